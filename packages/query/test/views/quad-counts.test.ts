import { expect, test } from 'vitest';
import { QuadCounts } from '../../src/views/quad-counts.ts';
import { saying, words } from './sample-members.ts';

const a = () => saying('a');

test('QUERY-31 a quad stays for as long as any statement of it does', () => {
  const counts = new QuadCounts();
  counts.add([a(), a(), a()]);
  expect(words(counts.take().added)).toEqual(['a']);
  for (const _ of [1, 2]) {
    counts.remove([a()]);
    expect(counts.take()).toEqual({ added: [], removed: [], late: 0 });
    expect(counts.size).toBe(1);
  }
  counts.remove([a()]);
  expect(words(counts.take().removed)).toEqual(['a']);
  expect(counts.size).toBe(0);
});

test('QUERY-31 what is taken back and stated again is no change, nor what is stated and taken back', () => {
  const counts = new QuadCounts();
  const first = a();
  counts.add([first]);
  counts.take();
  counts.remove([a()]);
  counts.add([a(), saying('b')]);
  counts.remove([saying('b')]);
  expect(counts.take()).toEqual({ added: [], removed: [], late: 0 });
  counts.remove([a()]);
  // The very quad that was told of as added.
  expect(counts.take().removed[0]).toBe(first);
});

test('what is kept is there once, and what was never stated cannot go', () => {
  const counts = new QuadCounts();
  counts.keep([a(), a()]);
  counts.remove([saying('b')]);
  expect(words(counts.take(3).added)).toEqual(['a']);
  expect(counts.take(3)).toEqual({ added: [], removed: [], late: 3 });
  counts.remove([a()]);
  expect(counts.size).toBe(0);
});

import { type Commit, describeStream, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { FrameCache } from '../src/push/frame-cache.ts';
import { PUBLIC_URL } from './test-server.ts';

const description = describeStream({ publicUrl: PUBLIC_URL, name: 'vehicles' });

function commitOf(sequence: number, text = 'x'): Commit {
  const id = `${PUBLIC_URL}vehicles/entities/${sequence}#v`;
  const quads = [quad(namedNode(id), namedNode('http://example.org/text'), literal(text))];
  const time = '2026-01-01T00:00:00.000Z';
  const member = { id, entity: id.slice(0, -2), kind: 'upsert', sequence, time, quads } as const;
  return { cursor: { epoch: 'e', sequence }, time, members: [member] };
}

const cacheOf = (limitBytes: number) => new FrameCache({ description, prefixes: {}, limitBytes });

test('PUSH-3 a commit is encoded once, and what is left of it is another frame', () => {
  const cache = cacheOf(100_000);
  const [first, second] = [commitOf(1), commitOf(2)];
  const whole = { ...second, members: [...first.members, ...second.members] };
  expect(cache.frameOf(whole)).toBe(cache.frameOf({ ...whole }));
  expect(cache.frameOf(second)).not.toBe(cache.frameOf(whole));
  expect(cache.startingAt(1)).toBe(cache.frameOf(whole));
  expect([cache.startingAt(1)?.last, cache.startingAt(2)?.last, cache.startingAt(3)]).toEqual([2, 2, undefined]);
});

test('PUSH-3 the oldest frames make room at the limit, and one is kept however large it is', () => {
  const one = cacheOf(1).frameOf(commitOf(1)).bytes.length;
  const cache = cacheOf(2 * one);
  const frames = [1, 2].map((sequence) => cache.frameOf(commitOf(sequence)));
  expect([1, 2].map((sequence) => cache.frameOf(commitOf(sequence)))).toEqual(frames);
  expect(cache.frameOf(commitOf(1))).toBe(frames[0]);
  cache.frameOf(commitOf(3));
  expect(cache.frameOf(commitOf(2))).toBe(frames[1]);
  expect(cache.frameOf(commitOf(1))).not.toBe(frames[0]);
  const tiny = cacheOf(1);
  expect(tiny.frameOf(commitOf(1))).toBe(tiny.frameOf(commitOf(1)));
});

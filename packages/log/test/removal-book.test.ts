import { extentOfPage } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { RemovalBook } from '../src/removal-book.ts';

const GRACE_MS = 60_000;

test('RET-6 pages are gone a grace period after they were erased, and not a millisecond before', () => {
  let nowMs = 1_000_000_000_000;
  const book = new RemovalBook({
    runs: [{ ...extentOfPage(0), erasedMs: nowMs }],
    clock: () => nowMs,
    graceMs: GRACE_MS,
  });
  nowMs += GRACE_MS - 1;
  expect(book.removals).toEqual([{ ...extentOfPage(0), state: 'emptied' }]);
  nowMs += 1;
  expect(book.removals).toEqual([{ ...extentOfPage(0), state: 'gone' }]);
});

test('without a grace period what is erased is gone within a millisecond', () => {
  let nowMs = 1000.5;
  const book = new RemovalBook({ runs: [], clock: () => nowMs, graceMs: 0 });
  book.take(book.erasing(extentOfPage(0)).runs);
  nowMs += 1;
  expect(book.removals.map(({ state }) => state)).toEqual(['gone']);
});

test('RET-6 thousands of pages that are erased one after the other leave a bounded number of runs', () => {
  let nowMs = 1_000_000_000_000;
  const book = new RemovalBook({ runs: [], clock: () => nowMs, graceMs: GRACE_MS });
  let most = 0;
  for (let page = 0; page < 20_000; page += 1) {
    nowMs += 25;
    for (const step of [book.unlinking, book.erasing]) book.take(step.call(book, extentOfPage(page)).runs);
    most = Math.max(most, book.runs.length);
  }
  expect(most).toBeLessThan(70);
  expect(book.heldFrom).toBe(extentOfPage(20_000).first);
  expect(book.removals.map(({ state }) => state)).toEqual(['gone', 'emptied']);
});

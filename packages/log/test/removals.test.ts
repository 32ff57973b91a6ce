import { extentOfPage } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { placeRange, Removals, type RemovedRange } from '../src/removals.ts';

const TOMBSTONE_MS = 60_000;

test.each([0, TOMBSTONE_MS])(
  'RET-6 pages are gone %i ms after they were erased, and not a moment before',
  (tombstoneMs) => {
    const erasedMs = 1_000_000_000_000;
    let nowMs = erasedMs - 0.5;
    const book = new Removals([], () => nowMs, tombstoneMs);
    book.ranges = book.with({ ...extentOfPage(0), erasedMs: book.erasedMs() }).all;
    nowMs = erasedMs + tombstoneMs - 0.5;
    expect(book.removals).toEqual([{ ...extentOfPage(0), state: 'tombstoned' }]);
    nowMs += 0.5;
    expect(book.removals).toEqual([{ ...extentOfPage(0), state: 'purged' }]);
  },
);

test('thousands of pages that are erased one after the other leave a bounded number of ranges', () => {
  let nowMs = 1_000_000_000_000;
  const book = new Removals([], () => nowMs, TOMBSTONE_MS);
  let most = 0;
  for (let page = 0; page < 6000; page += 1) {
    nowMs += 25;
    book.ranges = book.with(extentOfPage(page)).all;
    book.ranges = book.with({ ...extentOfPage(page), erasedMs: book.erasedMs() }).all;
    most = Math.max(most, book.ranges.length);
  }
  expect(most).toBeLessThan(70);
  expect(book.heldFrom).toBe(extentOfPage(6000).first);
  expect(book.removals.map(({ state }) => state)).toEqual(['purged', 'tombstoned']);
});

const LENGTH = 12;
const placed: fc.Arbitrary<RemovedRange> = fc
  .record({ first: fc.integer({ min: 1, max: LENGTH }), length: fc.nat(4), erasedMs: fc.option(fc.nat(8)) })
  .map(({ first, length, erasedMs }) => {
    const range = { first, last: Math.min(LENGTH, first + length) };
    return erasedMs === null ? range : { ...range, erasedMs };
  });

test('ranges say of every member what was last said of it, as few as can be', () => {
  check(
    fc.property(fc.array(placed, { maxLength: 12 }), fc.nat(8), (steps, purgedMs) => {
      let ranges: RemovedRange[] = [];
      const model = new Map<number, number | undefined>();
      for (const step of steps) {
        const next = placeRange(ranges, step, purgedMs);
        // What a step does not touch is the same object: a store writes no more than what changes.
        const isTouched = ({ first, last }: RemovedRange) => first <= step.last + 1 && last >= step.first - 1;
        for (const range of ranges) expect(isTouched(range) || next.includes(range)).toBe(true);
        ranges = next;
        for (let sequence = step.first; sequence <= step.last; sequence += 1) model.set(sequence, step.erasedMs);
      }
      for (let sequence = 0; sequence <= LENGTH + 1; sequence += 1) {
        const range = ranges.find(({ first, last }) => first <= sequence && last >= sequence);
        expect(range !== undefined).toBe(model.has(sequence));
        if (range) expect(seen(range.erasedMs, purgedMs)).toBe(seen(model.get(sequence), purgedMs));
      }
      for (const [index, range] of ranges.entries()) {
        const next = ranges[index + 1];
        if (!next) continue;
        expect(range.last).toBeLessThan(next.first);
        const isNeighbour = range.last + 1 === next.first;
        if (isNeighbour) expect(seen(range.erasedMs, purgedMs)).not.toBe(seen(next.erasedMs, purgedMs));
      }
    }),
  );
});

const seen = (erasedMs: number | undefined, purgedMs: number) =>
  erasedMs !== undefined && erasedMs <= purgedMs ? 'purged' : erasedMs;

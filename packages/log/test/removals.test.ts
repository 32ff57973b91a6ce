import { extentOfPage } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { placeRun, RemovalBook, type RemovalRun, runAt, runsChange } from '../src/removals.ts';

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
  for (let page = 0; page < 6000; page += 1) {
    nowMs += 25;
    for (const step of [book.unlinking, book.erasing]) book.take(step.call(book, extentOfPage(page)).runs);
    most = Math.max(most, book.runs.length);
  }
  expect(most).toBeLessThan(70);
  expect(book.heldFrom).toBe(extentOfPage(6000).first);
  expect(book.removals.map(({ state }) => state)).toEqual(['gone', 'emptied']);
});

const LENGTH = 12;
const placed: fc.Arbitrary<RemovalRun> = fc
  .record({ first: fc.integer({ min: 1, max: LENGTH }), length: fc.nat(4), erasedMs: fc.option(fc.nat(8)) })
  .map(({ first, length, erasedMs }) => {
    const run = { first, last: Math.min(LENGTH, first + length) };
    return erasedMs === null ? run : { ...run, erasedMs };
  });

test('runs say of every member what was last said of it, as few as can be', () => {
  check(
    fc.property(fc.array(placed, { maxLength: 12 }), fc.nat(8), (steps, goneMs) => {
      let runs: RemovalRun[] = [];
      const model = new Map<number, number | undefined>();
      for (const step of steps) {
        const next = placeRun(runs, step, goneMs);
        const { ended, begun } = runsChange(runs, next);
        expect(byFirst([...runs.filter((run) => !ended.includes(run)), ...begun])).toEqual(next);
        runs = next;
        for (let sequence = step.first; sequence <= step.last; sequence += 1) model.set(sequence, step.erasedMs);
      }
      for (let sequence = 0; sequence <= LENGTH + 1; sequence += 1) {
        const run = runAt(runs, sequence);
        expect(run !== undefined).toBe(model.has(sequence));
        if (run) expect(seen(run.erasedMs, goneMs)).toBe(seen(model.get(sequence), goneMs));
      }
      for (const [index, run] of runs.entries()) {
        const next = runs[index + 1];
        if (!next) continue;
        expect(run.last).toBeLessThan(next.first);
        if (run.last + 1 === next.first) expect(seen(run.erasedMs, goneMs)).not.toBe(seen(next.erasedMs, goneMs));
      }
    }),
  );
});

const seen = (erasedMs: number | undefined, goneMs: number) =>
  erasedMs !== undefined && erasedMs <= goneMs ? 'gone' : erasedMs;

const byFirst = (runs: readonly RemovalRun[]) => [...runs].sort((one, other) => one.first - other.first);

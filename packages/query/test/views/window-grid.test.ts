import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { closeOf, firstClosingAfter, lastOpenedBy, openOf, windowGrid } from '../../src/views/window-grid.ts';

test('QUERY-36 lengths are to the millisecond, and the step is the MAL, at most the range', () => {
  expect(windowGrid({ type: 'time', range: 0.3, step: 1.0004, originMs: 7 }, 1000)).toEqual({
    rangeMs: 300,
    stepMs: 1000,
    originMs: 7,
  });
  expect(windowGrid({ type: 'time', range: 60 }, 2000)).toEqual({ rangeMs: 60_000, stepMs: 2000, originMs: 0 });
  expect(windowGrid({ type: 'time', range: 1 }, 2000).stepMs).toBe(1000);
  expect(windowGrid({ type: 'time', range: 1 }, 0.1).stepMs).toBe(1);
});

test('QUERY-30 a window opens at its first instant and closes before the next', () => {
  const grid = { rangeMs: 10, stepMs: 5, originMs: 2 };
  // [2, 12) is window 0.
  expect([openOf(grid, 0), closeOf(grid, 0)]).toEqual([2, 12]);
  expect([1, 2, 6, 7].map((ms) => lastOpenedBy(grid, ms))).toEqual([-1, 0, 0, 1]);
  expect([6, 7, 11, 12].map((ms) => firstClosingAfter(grid, ms))).toEqual([-1, 0, 0, 1]);
});

test('QUERY-30 an instant lies in exactly the windows from the first closing after it to the last opened by it', () => {
  const lengthMs = fc.integer({ min: 1, max: 100_000_000_000 });
  const instantMs = fc.integer({ min: -8_000_000_000_000, max: 8_000_000_000_000 });
  check(
    fc.property(lengthMs, lengthMs, instantMs, instantMs, (rangeMs, stepMs, originMs, ms) => {
      const grid = { rangeMs, stepMs, originMs };
      const isIn = (index: number) => openOf(grid, index) <= ms && ms < closeOf(grid, index);
      const first = firstClosingAfter(grid, ms);
      const last = lastOpenedBy(grid, ms);
      expect([isIn(first - 1), isIn(last + 1)]).toEqual([false, false]);
      expect([isIn(first), isIn(last)]).toEqual([first <= last, first <= last]);
      expect(first - last).toBeLessThanOrEqual(1);
    }),
  );
});

import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { DOUBT_SHARE, doubtAtMs, MOST_DOUBT_DOUBLINGS } from '../src/index.ts';

const known = { nextUpdateMs: 100_000, intervalMs: 20_000, malMs: 2000, deliveryMs: 40, heardAtMs: 80_100 };

test('MAL-36 nothing is doubted where nothing is predicted, or where something was heard after the prediction', () => {
  const { nextUpdateMs: _, ...unpredicted } = known;
  expect(doubtAtMs(unpredicted)).toBeUndefined();
  expect(doubtAtMs({ ...known, heardAtMs: 100_000 })).toBeUndefined();
  expect(doubtAtMs({ ...known, heardAtMs: 99_999 })).toBeDefined();
});

test('MAL-36 an update is missed half an interval after it was due, or the MAL after it where that is longer', () => {
  expect(doubtAtMs(known)).toBe(100_000 + 40 + 20_000 * DOUBT_SHARE);
  expect(doubtAtMs({ ...known, malMs: 15_000 })).toBe(100_000 + 40 + 15_000);
});

test('MAL-36 an interval that is not known is taken from what was heard last to the prediction', () => {
  const { intervalMs: _, ...unstated } = known;
  expect(doubtAtMs(unstated)).toBe(100_000 + 40 + 19_900 * DOUBT_SHARE);
});

test('MAL-36 clients of different phases check at different times', () => {
  expect(doubtAtMs({ ...known, phase: 0.5 })).toBe(100_000 + 40 + 15_000);
});

test('MAL-36 checks that find nothing become rarer, to a limit', () => {
  const patienceMs = (vainChecks: number) => (doubtAtMs({ ...known, vainChecks }) ?? 0) - 100_040;
  expect(patienceMs(1)).toBe(20_000);
  expect(patienceMs(2)).toBe(40_000);
  expect(patienceMs(MOST_DOUBT_DOUBLINGS)).toBe(320_000);
  expect(patienceMs(MOST_DOUBT_DOUBLINGS + 1)).toBe(320_000);
});

test('MAL-36 a connection is checked once an interval at most, whatever is predicted, and never before the MAL', () => {
  check(
    fc.property(
      fc.array(fc.integer({ min: -30_000, max: 60_000 }), { maxLength: 50 }),
      fc.integer({ min: 200, max: 60_000 }),
      fc.integer({ min: 500, max: 60_000 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (predictions, malMs, intervalMs, phase) => {
        let heardAtMs = 0;
        for (const aheadMs of predictions) {
          // Each check finds nothing but another prediction.
          const nextUpdateMs = heardAtMs + aheadMs;
          const checkMs = doubtAtMs({ nextUpdateMs, intervalMs, malMs, deliveryMs: 20, heardAtMs, phase });
          if (checkMs === undefined) continue;
          expect(checkMs - heardAtMs).toBeGreaterThanOrEqual(intervalMs);
          expect(checkMs - nextUpdateMs).toBeGreaterThanOrEqual(malMs);
          heardAtMs = checkMs;
        }
      },
    ),
  );
});

test('MAL-36 a fraction of a millisecond is not rounded to just before the interval is over', () => {
  const heardAtMs = 87_382.50000000001;
  const checkMs = doubtAtMs({ nextUpdateMs: heardAtMs + 1, intervalMs: 43_691, malMs: 200, deliveryMs: 20, heardAtMs });
  expect((checkMs ?? 0) - heardAtMs).toBeGreaterThanOrEqual(43_691);
});

test('MAL-36 a stream of which every update comes in time is never checked', () => {
  check(
    fc.property(fc.integer({ min: 500, max: 60_000 }), fc.integer({ min: 1, max: 1000 }), (intervalMs, malMs) => {
      for (let update = 1; update < 20; update += 1) {
        const dueMs = update * intervalMs;
        const heardAtMs = dueMs - intervalMs + 20;
        const checkMs = doubtAtMs({ nextUpdateMs: dueMs, intervalMs, malMs, deliveryMs: 20, heardAtMs });
        expect(checkMs).toBeGreaterThan(dueMs + 20);
      }
    }),
  );
});

import { check, Floors, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { DOUBT_SHARE, doubtAtMs, MOST_DOUBT_DOUBLINGS } from '../src/mode.ts';

const known = { nextUpdateMs: 100_000, intervalMs: 20_000, malMs: 2000, deliveryMs: 40, heardAtMs: 80_100 };

const { nextUpdateMs: _, ...unpredicted } = known;
const { intervalMs: __, ...unstated } = known;

test.each([
  ['never where nothing is predicted', unpredicted, undefined],
  ['never where something was heard at the prediction', { ...known, heardAtMs: 100_000 }, undefined],
  ['an interval after what was heard just before it', { ...known, heardAtMs: 99_999 }, 19_959],
  ['half an interval after it was due', known, 20_000 * DOUBT_SHARE],
  ['the MAL after it where that is longer', { ...known, malMs: 15_000 }, 15_000],
  ['by the time since the last one where no interval is known', unstated, 19_900 * DOUBT_SHARE],
  ['by the phase of the client', { ...known, phase: 0.5 }, 15_000],
  ['later after a check that found nothing', { ...known, vainChecks: 1 }, 20_000],
  ['later still after another', { ...known, vainChecks: 2 }, 40_000],
  ['as late as the limit', { ...known, vainChecks: MOST_DOUBT_DOUBLINGS }, 320_000],
  ['no later than the limit', { ...known, vainChecks: MOST_DOUBT_DOUBLINGS + 1 }, 320_000],
])('MAL-36 an update is missed %s', (_name, read, patienceMs) => {
  expect(doubtAtMs(read)).toBe(patienceMs && 100_040 + patienceMs);
});

test('MAL-36 a connection is checked once an interval at most, whatever is predicted, and never before the MAL', () => {
  const met = new Floors({ checked: 50 });
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
          met.count('checked');
          expect(checkMs - heardAtMs).toBeGreaterThanOrEqual(intervalMs);
          expect(checkMs - nextUpdateMs).toBeGreaterThanOrEqual(malMs);
          heardAtMs = checkMs;
        }
      },
    ),
    { met },
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

import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { clockOffset, intersectClockBounds, quantile, UNKNOWN_CLOCK, withSample } from '../src/measurements.ts';

// A response made at `madeMs` on our clock by a server whose clock is ahead by `offsetMs`.
function sampleOf(offsetMs: number, sentMs: number, upMs: number, downMs: number) {
  const serverMs = sentMs + upMs + offsetMs;
  return { sentMs, receivedMs: sentMs + upMs + downMs, dateMs: Math.floor(serverMs / 1000) * 1000, ageSeconds: 0 };
}

test('MAL-4 the true offset stays inside the bounds, and many samples narrow them', () => {
  check(
    fc.property(
      fc.integer({ min: -3_600_000, max: 3_600_000 }),
      fc.array(fc.tuple(fc.nat(997), fc.nat(40), fc.nat(40)), { minLength: 60, maxLength: 60 }),
      (offsetMs, steps) => {
        let bounds = UNKNOWN_CLOCK;
        let sentMs = 1_700_000_000_000;
        for (const [stepMs, upMs, downMs] of steps) {
          sentMs += stepMs + 200;
          bounds = intersectClockBounds(bounds, sampleOf(offsetMs, sentMs, upMs, downMs));
          expect(bounds.lowMs).toBeLessThanOrEqual(offsetMs);
          expect(bounds.highMs).toBeGreaterThanOrEqual(offsetMs);
        }
        expect(Math.abs(clockOffset(bounds) - offsetMs)).toBeLessThanOrEqual(1080);
      },
    ),
  );
});

test('MAL-4 clocks that may agree are taken to agree', () => {
  expect(clockOffset(UNKNOWN_CLOCK)).toBe(0);
  expect(clockOffset({ lowMs: -400, highMs: 600 })).toBe(0);
  expect(clockOffset({ lowMs: 200, highMs: 900 })).toBe(550);
  expect(clockOffset({ lowMs: -900, highMs: -200 })).toBe(-550);
});

test('MAL-44 a clock that was set is believed when two responses agree on it, and one alone is not', () => {
  const before = intersectClockBounds(UNKNOWN_CLOCK, sampleOf(0, 1_000_000, 5, 5));
  const once = intersectClockBounds(before, sampleOf(3_600_000, 1_010_000, 5, 5));
  expect(clockOffset(once)).toBe(0);
  const twice = intersectClockBounds(once, sampleOf(3_600_000, 1_020_300, 5, 5));
  expect(Math.abs(clockOffset(twice) - 3_600_000)).toBeLessThanOrEqual(1010);
  const wrong = intersectClockBounds(once, sampleOf(0, 1_020_300, 5, 5));
  expect(clockOffset(wrong)).toBe(0);
  // What was wrong once is no witness later.
  expect(clockOffset(intersectClockBounds(wrong, sampleOf(3_600_000, 1_030_000, 5, 5)))).toBe(0);
});

test('MAL-4 Age counts: a cached response is older than its Date', () => {
  const sample = { sentMs: 60_000, receivedMs: 60_010, dateMs: 50_000, ageSeconds: 10 };
  // `Date` and `Age` each may have lost just under a second.
  expect(intersectClockBounds(UNKNOWN_CLOCK, sample)).toEqual({ lowMs: -10, highMs: 2000 });
});

test('a sample window keeps the newest and gives quantiles by nearest rank', () => {
  let window: readonly number[] = [];
  expect(quantile(window, 0.99, 7)).toBe(7);
  for (let value = 1; value <= 74; value += 1) window = withSample(window, value);
  expect(window).toHaveLength(64);
  expect(window[0]).toBe(11);
  expect(quantile(window, 0.5, 0)).toBe(42);
  expect(quantile(window, 1, 0)).toBe(74);
});

import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { chanceRatio, peakRate } from '../../src/client/peak-rate.ts';
import { seededRandom } from '../../src/seeded-random.ts';

const TIMES = fc
  .array(fc.integer({ min: 0, max: 999 }), { minLength: 1, maxLength: 60 })
  .map((times) => times.sort((left, right) => left - right));

test('the peak is that of the fullest of all windows', () => {
  check(
    fc.property(TIMES, fc.integer({ min: 1, max: 300 }), (times, windowMs) => {
      const fullest = Math.max(
        ...times.map((first) => times.filter((time) => time >= first && time < first + windowMs).length),
      );
      const { peak, mean, ratio } = peakRate(times, 1000, windowMs);
      expect(peak).toBe(fullest);
      expect(mean).toBeCloseTo((times.length * windowMs) / 1000);
      expect(ratio).toBeCloseTo(peak / mean);
    }),
  );
});

test('without events there is no peak', () => {
  expect(peakRate([], 1000, 100)).toEqual({ peak: 0, mean: 0, ratio: 0 });
});

test('what chance comes to is more even the more clients there are', () => {
  const ratios = [100, 1000, 10_000].map((clients) =>
    chanceRatio({ clients, requests: clients * 4, durationMs: 20_000, windowMs: 100 }, seededRandom(1)),
  );
  const [few, many, most] = ratios.map(({ median }) => median) as [number, number, number];
  expect(few).toBeGreaterThan(many);
  expect(many).toBeGreaterThan(most);
  expect(most).toBeGreaterThan(1);
});

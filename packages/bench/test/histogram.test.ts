/* Delays in counters: percentiles, sums, moments, densities, and how they are written. */
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { Histogram } from '../src/histogram.ts';

const value = fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 2 ** 31 - 1 }));
const values = fc.array(value, { minLength: 1 });

function of(micros: readonly number[]): Histogram {
  const histogram = new Histogram();
  for (const one of micros) histogram.note(one);
  return histogram;
}

test('a percentile is at most 1 % above the value of its rank, and never below it', () => {
  check(
    fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (micros, share) => {
      const sorted = [...micros].sort((left, right) => left - right);
      const exact = sorted[Math.max(1, Math.ceil(micros.length * share)) - 1] as number;
      const percentile = of(micros).percentileMs(share) * 1000;
      expect(Math.round(percentile)).toBeGreaterThanOrEqual(exact);
      expect(Math.round(percentile)).toBeLessThanOrEqual(Math.ceil(exact * 1.01));
    }),
  );
});

test('histograms that are added up are the histogram of all values, also once they have been encoded', () => {
  check(
    fc.property(values, values, (some, others) => {
      const sum = new Histogram(of(some).encode(), of(others).encode());
      expect(sum.buckets()).toEqual(of([...some, ...others]).buckets());
      expect(sum.total).toBe(some.length + others.length);
      const again = new Histogram();
      for (const { minMicros, count } of sum.buckets()) again.note(minMicros, count);
      expect(again.buckets()).toEqual(sum.buckets());
    }),
  );
});

test('what is early counts as 0, what is later than all counters counts in the last one, and nothing has no delay', () => {
  const histogram = of([-5, 1e15]);
  expect([histogram.percentileMs(0.5), histogram.total, histogram.buckets().length]).toEqual([0, 2, 2]);
  expect([of([]).percentileMs(0.99), of([]).meanMs, of([]).density()]).toEqual([0, 0, []]);
  expect(of([3, 123_457]).maxMicros).toBe(123_457);
});

test('values that are missing are later than all others', () => {
  const histogram = of(Array.from({ length: 99 }, () => 10_000));
  const percentiles = [0, 1, 2].map((missing) => histogram.percentileMs(0.99, missing));
  // The 100th of 101 is one of those that never came.
  expect(percentiles).toEqual([expect.closeTo(10, 1), expect.closeTo(10, 1), undefined]);
});

test('values below a limit are those whose counter is below it', () => {
  const histogram = of([10_000, 999_000, 1_000_000, 1_200_000]);
  expect([histogram.countBelow(9), histogram.countBelow(1000), histogram.countBelow(5000)]).toEqual([0, 2, 4]);
});

test('a density has an area of 1 over the logarithm of the delay', () => {
  check(
    fc.property(values, (micros) => {
      const points = of(micros).density();
      const step = Math.log10((points[1]?.ms ?? 0) / (points[0]?.ms ?? 1));
      expect(points.reduce((area, { density }) => area + density * step, 0)).toBeCloseTo(1, 6);
      expect([points[0]?.density, points.at(-1)?.density]).toEqual([0, 0]);
    }),
  );
});

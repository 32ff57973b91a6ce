import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { LatencyHistogram } from '../../src/load/latency-histogram.ts';
import { latencyMoments } from '../../src/load/latency-moments.ts';

function momentsOf(values: readonly number[]) {
  const histogram = new LatencyHistogram();
  for (const value of values) histogram.note(value);
  return latencyMoments(histogram.toSparse());
}

test('mean and standard deviation of known values', () => {
  expect(momentsOf([2, 4, 4, 4, 5, 5, 7, 9])).toEqual({ mean: 5, standardDeviation: 2 });
  expect(momentsOf([7, 7])).toEqual({ mean: 7, standardDeviation: 0 });
  expect(momentsOf([])).toEqual({ mean: 0, standardDeviation: 0 });
});

test('the mean of any values is within 0.5 % of theirs', () => {
  check(
    fc.property(fc.array(fc.nat({ max: 10_000_000 }), { minLength: 1 }), (values) => {
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      expect(Math.abs(momentsOf(values).mean - mean)).toBeLessThanOrEqual(mean * 0.005 + 1e-9);
    }),
  );
});

import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { LatencyHistogram } from '../src/load/latency-histogram.ts';
import { latencyMoments } from '../src/load/latency-moments.ts';

const value = fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 2 ** 31 - 1 }));

function of(values: readonly number[]): LatencyHistogram {
  const histogram = new LatencyHistogram();
  for (const one of values) histogram.note(one);
  return histogram;
}

test('a percentile is at most 1 % above the value of its rank, and never below it', () => {
  check(
    fc.property(fc.array(value, { minLength: 1 }), fc.double({ min: 0, max: 1, noNaN: true }), (values, share) => {
      const sorted = [...values].sort((left, right) => left - right);
      const exact = sorted[Math.max(1, Math.ceil(values.length * share)) - 1] as number;
      const told = of(values).percentile(share);
      expect(told).toBeGreaterThanOrEqual(exact);
      expect(told).toBeLessThanOrEqual(Math.ceil(exact * 1.01));
    }),
  );
});

test('histograms that are added up are the histogram of all values', () => {
  check(
    fc.property(fc.array(value), fc.array(value), (some, others) => {
      const sum = of(some);
      sum.add(of(others).toSparse());
      const all = of([...some, ...others]);
      expect(sum.toSparse()).toEqual(all.toSparse());
      expect(sum.total).toBe(some.length + others.length);
    }),
  );
});

test('the greatest value is told as it was, and nothing has no value', () => {
  expect(of([3, 123_457]).max).toBe(123_457);
  expect(of([]).percentile(0.99)).toBe(0);
});

test('what is early counts as 0, and what is very late in the last counter', () => {
  const histogram = of([-5, 1e15]);
  expect(histogram.percentile(0.5)).toBe(0);
  expect(histogram.total).toBe(2);
  expect(histogram.max).toBe(1e15);
});

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

import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { LatencyHistogram } from '../../src/load/latency-histogram.ts';

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

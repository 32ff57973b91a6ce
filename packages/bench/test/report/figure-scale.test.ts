import { expect, test } from 'vitest';
import { scaleOf } from '../../src/report/figure-scale.ts';

const SPAN = { from: 0, to: 100, ticks: 5 };
const LINEAR = { label: 'x' };
const LOG = { label: 'x', scale: 'log' } as const;

test.each([
  [
    [3, 97],
    [0, 20, 40, 60, 80, 100],
  ],
  [
    [0.012, 0.043],
    [0, 0.01, 0.02, 0.03, 0.04, 0.05],
  ],
  [
    [-1, 1],
    [-1, -0.5, 0, 0.5, 1],
  ],
  [[], [0, 0.2, 0.4, 0.6, 0.8, 1]],
  [[0], [0, 0.2, 0.4, 0.6, 0.8, 1]],
])('a linear axis of %j has ticks %j', (values, ticks) => {
  const scale = scaleOf(LINEAR, values, SPAN);
  expect(scale.ticks).toEqual(ticks);
  expect([scale.place(scale.low), scale.place(scale.high)]).toEqual([0, 100]);
});

test.each([
  [[100, 25_000], 20, [100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000]],
  [[100, 25_000], 4, [100, 1000, 10_000]],
  [[0.1, 1e6], 8, [0.1, 1, 10, 100, 1000, 10_000, 100_000, 1e6]],
  [[0.1, 1e6], 4, [0.1, 10, 1000, 100_000]],
  [[7], 5, [5, 10]],
  [[], 5, [1, 2, 5, 10]],
])('a logarithmic axis of %j with room for %d has ticks %j', (values, ticks, expected) => {
  expect(scaleOf(LOG, values, { ...SPAN, ticks }).ticks).toEqual(expected);
});

test('a logarithmic axis has equal lengths for equal factors, and no place for zero', () => {
  const scale = scaleOf(LOG, [1, 100], SPAN);
  expect([1, 10, 100].map(scale.place)).toEqual([0, 50, 100]);
  expect([0, -1, Number.NaN].map(scale.place)).toEqual([undefined, undefined, undefined]);
});

test('what an axis cannot show does not count for its ends', () => {
  expect(scaleOf(LOG, [0, 10, 100, Number.NaN], { ...SPAN, ticks: 9 }).low).toBe(10);
  expect(scaleOf(LINEAR, [5, Infinity], SPAN).high).toBe(5);
});

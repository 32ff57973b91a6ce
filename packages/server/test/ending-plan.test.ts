import { expect, test } from 'vitest';
import { endingPlan } from '../src/push/endpoint/ending-plan.ts';

test.each([
  [0, 8000, 0],
  [1, 8000, 10],
  [799, 8000, 7990],
  [800, 8000, 8000],
  [5000, 8000, 8000],
  [5000, 0, 0],
])('PUSH-32 %d streams with a grace of %d ms end within %d ms', (connections, graceMs, durationMs) => {
  const endedBy = endingPlan(connections, graceMs);
  expect(endedBy(durationMs)).toBe(connections);
  expect(endedBy(1e9)).toBe(connections);
  // And not before.
  if (durationMs > 0) expect(endedBy(durationMs - 1)).toBeLessThan(connections);
});

test('PUSH-32 they end evenly over that time', () => {
  const endedBy = endingPlan(5000, 8000);
  expect([0, 1, 1.6, 2000, 4000, 7999].map(endedBy)).toEqual([0, 0, 1, 1250, 2500, 4999]);
});

test('PUSH-32 a clock that is set back ends nothing', () => {
  expect(endingPlan(10, 8000)(-5)).toBe(0);
});

import { expect, test } from 'vitest';
import { pushLagBound, quantile, SAMPLE_WINDOW_SIZE, withSample } from '../src/index.ts';

test('MAL-9 MAL-20 the bound is what delivery took lately, and the time since anything was heard', () => {
  expect(pushLagBound({ silentMs: 0, deliveryMs: 40 })).toBe(40);
  expect(pushLagBound({ silentMs: 13_500, deliveryMs: 40 })).toBe(13_540);
});

test('MAL-35 silence before the predicted update is due shows nothing missing, after it no more than its time', () => {
  expect(pushLagBound({ silentMs: 13_500, deliveryMs: 40, dueMs: -2000 })).toBe(40);
  expect(pushLagBound({ silentMs: 13_500, deliveryMs: 40, dueMs: 300 })).toBe(340);
  expect(pushLagBound({ silentMs: 200, deliveryMs: 40, dueMs: 300 })).toBe(240);
  expect(pushLagBound({ silentMs: -5, deliveryMs: 40, dueMs: 300 })).toBe(40);
});

test('a sample window keeps the newest and gives quantiles by nearest rank', () => {
  let window: readonly number[] = [];
  expect(quantile(window, 0.99, 7)).toBe(7);
  for (let value = 1; value <= SAMPLE_WINDOW_SIZE + 10; value += 1) window = withSample(window, value);
  expect(window).toHaveLength(SAMPLE_WINDOW_SIZE);
  expect(window[0]).toBe(11);
  expect(quantile(window, 0.5, 0)).toBe(42);
  expect(quantile(window, 1, 0)).toBe(74);
});

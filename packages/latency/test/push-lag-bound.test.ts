import { expect, test } from 'vitest';
import { pushLagBound, quantile, SAMPLE_WINDOW_SIZE, withSample } from '../src/index.ts';

test('MAL-9 while the heartbeat is heard the bound is what delivery took lately', () => {
  expect(pushLagBound({ silentMs: 15_000, heartbeatMs: 15_000, deliveryMs: 40 })).toBe(40);
});

test('MAL-9 a missed heartbeat makes the silence itself the bound', () => {
  expect(pushLagBound({ silentMs: 15_041, heartbeatMs: 15_000, deliveryMs: 40 })).toBe(15_081);
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

import { expect, test } from 'vitest';
import { isWithin, summarizeLags } from '../../src/mqtt/lag-summary.ts';
import type { LagSample } from '../../src/mqtt/mqtt-messages.ts';

test('the 99th percentile of 100 lags is the 99th of them, and late is what is above 250 ms', () => {
  const samples = Array.from({ length: 100 }, (_, index): LagSample => [index, (100 - index) * 10]);
  expect(summarizeLags(samples)).toEqual({ messages: 100, p50Ms: 500, p99Ms: 990, longestMs: 1000, lateShare: 0.75 });
});

test('nothing has no lags', () => {
  expect(summarizeLags([])).toEqual({ messages: 0, p50Ms: 0, p99Ms: 0, longestMs: 0, lateShare: 0 });
});

test('a message belongs to the time from an instant on, without its end', () => {
  expect([9, 10, 19, 20].map((plannedMs) => isWithin([plannedMs, 0], 10, 10))).toEqual([false, true, true, false]);
});

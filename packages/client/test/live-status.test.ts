import { expect, test } from 'vitest';
import { lagBound } from '../src/live-status.ts';

test('MAL-20 nothing is promised before anything was read', () => {
  expect(lagBound({ nowMs: 1_000, currentAtMs: Number.NEGATIVE_INFINITY, readMs: 10 })).toBe(Number.POSITIVE_INFINITY);
});

test('MAL-20 a planned poll keeps its bound until it is late, then the bound grows with the silence', () => {
  const at = (nowMs: number) => lagBound({ nowMs, currentAtMs: 1_000, readMs: 10, plannedMs: 500 });
  expect([at(1_000), at(1_490), at(1_491), at(61_000)]).toEqual([500, 500, 501, 60_010]);
});

test('MAL-9 push is as late as it was lately, and the silence besides', () => {
  const at = (silentMs: number) =>
    lagBound({ nowMs: 0, currentAtMs: 0, readMs: 0, push: { silentMs, deliveryMs: 40 } });
  expect([at(0), at(14_000), at(33_000)]).toEqual([40, 14_040, 33_040]);
});

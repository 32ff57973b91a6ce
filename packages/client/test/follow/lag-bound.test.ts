import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { lagBound } from '../../src/follow/lag-bound.ts';
import { createLiveClient } from '../../src/index.ts';
import { reading, setUpOrigin, take } from '../support/setup-origin.ts';
import { testLimits } from '../support/test-limits.ts';

test('MAL-20 nothing is promised before anything was read', () => {
  expect(lagBound({ nowMs: 1_000, currentAtMs: Number.NEGATIVE_INFINITY, readMs: 10 })).toBe(Number.POSITIVE_INFINITY);
});

test('MAL-20 a planned poll keeps its bound until it is late, then the bound grows with the silence', () => {
  const at = (nowMs: number) => lagBound({ nowMs, currentAtMs: 1_000, readMs: 10, plannedMs: 500 });
  expect([at(1_000), at(1_490), at(1_491), at(61_000)]).toEqual([500, 500, 501, 60_010]);
});

test('MAL-91 the bound of a slow reader does not follow from what a quick one has read', async () => {
  const { origin, time } = await setUpOrigin();
  origin.pollingIntervalSeconds = 10;
  origin.commit('a');
  origin.nextUpdateMs = time.nowMs + 10_000;
  const client = createLiveClient({
    mal: 2,
    clock: time.clock,
    // Time stands still but for what the test says.
    sleep: (ms, signal) =>
      ms > 1_000 ? new Promise((_, reject) => signal?.addEventListener('abort', reject)) : time.sleep(ms, signal),
    random: () => 0.5,
    limits: testLimits,
  });
  const [quick, slow] = [client.follow(origin.url), client.follow(origin.url)];
  const [quickReading, slowReading] = [reading(quick), reading(slow)];
  await take(quickReading, 1);
  await take(slowReading, 1);
  const both = [take(quickReading, 1), take(slowReading, 1)];
  await until(() => origin.pushed.size === 1 && [quick, slow].every(({ status }) => status.state === 'pushing'));
  time.nowMs += 10_000;
  origin.commit('b');
  await Promise.all(both);
  // All of it is due in the future, for both.
  expect([quick, slow].map(({ status }) => status.lagBoundMs < 1_000)).toEqual([true, true]);
  // The slow one takes the first of two members: the second waits, though nothing else does.
  const first = [take(quickReading, 2), take(slowReading, 1)];
  time.nowMs += 10_000;
  origin.commit('c', 'd');
  await Promise.all(first);
  time.nowMs += 5_000;
  expect(quick.status.lagBoundMs).toBeLessThan(1_000);
  expect(slow.status.lagBoundMs).toBeGreaterThanOrEqual(5_000);
  // Neither does what waits for it whole.
  const next = take(quickReading, 1);
  time.nowMs += 5_000;
  origin.commit('e');
  await next;
  time.nowMs += 5_000;
  expect(quick.status.lagBoundMs).toBeLessThan(1_000);
  expect(slow.status.lagBoundMs).toBeGreaterThanOrEqual(15_000);
});

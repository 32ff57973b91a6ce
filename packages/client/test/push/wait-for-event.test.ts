import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import type { ClientEnvironment } from '../../src/index.ts';
import { followOrigin, reading, sequences, setUpOrigin, take } from '../support/setup-origin.ts';
import { testLimits } from '../support/test-limits.ts';

/** Follows an origin that publishes every 5 s, predicts it, and pushes. */
async function followRegular(environment?: ClientEnvironment) {
  const setup = await setUpOrigin();
  const { origin, time } = setup;
  origin.pollingIntervalSeconds = 5;
  origin.offersTails = true;
  origin.commit('a');
  origin.nextUpdateMs = time.nowMs + 5_000;
  const follower = followOrigin(setup, { mal: 2, ...(environment ? { environment } : {}) });
  const iterator = reading(follower);
  await take(iterator, 1);
  return { ...setup, follower, iterator };
}

test('MAL-47 an update that was predicted and does not come is asked for, and the connection that hid it left', async () => {
  const { origin, time, iterator, follower } = await followRegular();
  origin.onEvent = () => [];
  time.at(time.nowMs + 5_000, () => {
    origin.commit('b');
    origin.nextUpdateMs = time.nowMs + 5_000;
  });
  const [change] = await take(iterator, 1);
  expect(change).toMatchObject({ via: 'pull', member: { sequence: 2 } });
  // By the MAL or half the interval after it was due, and as much again for the client's own place.
  expect(change?.lagMs).toBeLessThanOrEqual(2 * 2_500 + 100);
  const next = take(iterator, 1);
  await until(() => origin.requestsTo(/events/).length === 2);
  origin.onEvent = (frame) => [frame];
  origin.commit('c');
  expect(sequences(await next)).toEqual([3]);
  expect(follower.status.gaps).toBe(0);
});

test('MAL-47 where the check finds nothing the connection stays, and is checked ever more rarely', async () => {
  const { origin, time, iterator } = await followRegular();
  const next = take(iterator, 1);
  await until(() => origin.requestsTo(/after-/).length >= 6);
  const checks = origin.requestsTo(/after-/).map(({ atMs }) => atMs);
  const distances = checks.slice(1).map((atMs, index) => atMs - (checks[index] as number));
  expect(distances.at(-1)).toBeGreaterThan(2 * (distances[0] as number));
  origin.commit('b');
  await next;
  expect(origin.requestsTo(/events/)).toHaveLength(1);
  expect(time.nowMs).toBeGreaterThan(0);
});

test('MAL-47 a clock that jumped is reason to look, and the server’s clock is learned anew', async () => {
  const { origin, time, iterator, follower } = await followRegular();
  origin.nextUpdateMs = undefined;
  origin.onEvent = () => [];
  const next = take(iterator, 1);
  await until(() => time.running(testLimits.watchMs) > 0);
  time.nowMs += 3_600_000;
  origin.commit('b');
  time.expire(testLimits.watchMs);
  expect(await next).toMatchObject([{ via: 'pull', member: { sequence: 2 } }]);
  expect(follower.status.gaps).toBe(0);
});

test('MAL-47 a network that comes back is reason to look', async () => {
  const listeners = new Set<() => void>();
  const { origin, iterator } = await followRegular({
    isOnline: () => true,
    onOnline: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    pushSlot: async () => () => {},
  });
  origin.nextUpdateMs = undefined;
  origin.onEvent = () => [];
  const next = take(iterator, 1);
  await until(() => listeners.size > 0 && origin.pushed.size === 1);
  origin.commit('b');
  for (const listener of listeners) listener();
  expect(await next).toMatchObject([{ via: 'pull', member: { sequence: 2 } }]);
});

test('MAL-36 events that bring nothing put off no check', async () => {
  const setup = await setUpOrigin();
  const { origin, time } = setup;
  origin.pollingIntervalSeconds = 5;
  origin.commit('a');
  origin.nextUpdateMs = time.nowMs + 5_000;
  const checksMs: number[] = [];
  const sleep: typeof time.sleep = (ms, signal) => {
    if (ms >= 1_000_000) return time.sleep(ms, signal);
    checksMs.push(time.nowMs + ms);
    return new Promise((_, reject) => signal?.addEventListener('abort', reject));
  };
  const iterator = reading(followOrigin(setup, { mal: 2, sleep }));
  await take(iterator, 1);
  const next = take(iterator, 1);
  await until(() => origin.pushed.size === 1 && checksMs.length === 1);
  for (const text of ['event: advice\ndata: {}\n\n', 'event: update\nid: e1-1\ndata: {}\n\n']) {
    const count = checksMs.length;
    time.nowMs += 5_500;
    for (const connection of origin.pushed) connection.write(text);
    if (time.nowMs < (checksMs[0] as number)) await until(() => checksMs.length > count);
  }
  // The last came when it was time to look.
  expect(await Promise.race([next, until(() => origin.requestsTo(/pages/).length > 0)])).toBeUndefined();
  expect(new Set(checksMs.slice(0, 2)).size).toBe(1);
  origin.commit('b');
  await next;
});

test('MAL-47 a jump of an hour while nobody waits is reason to look as soon as somebody does', async () => {
  const { origin, time, iterator, follower } = await followRegular();
  origin.nextUpdateMs = undefined;
  const first = take(iterator, 1);
  await until(() => origin.pushed.size === 1);
  origin.commit('b');
  await first;
  await until(() => time.running(testLimits.watchMs) > 0);
  time.nowMs += 3_600_000;
  time.expire(testLimits.watchMs);
  // The reader comes back: the connection hides what was published since.
  await until(() => time.running(testLimits.watchMs) > 0);
  origin.onEvent = () => [];
  origin.commit('c');
  expect(await take(iterator, 1)).toMatchObject([{ via: 'pull', member: { sequence: 3 } }]);
  origin.onEvent = (frame) => [frame];
  const next = take(iterator, 1);
  await until(() => origin.requestsTo(/events/).length === 2 && follower.status.state === 'pushing');
  origin.commit('d');
  expect(await next).toMatchObject([{ via: 'push', member: { sequence: 4 } }]);
  expect(follower.status).toMatchObject({ gaps: 0, mode: 'push' });
});

import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import type { ClientEnvironment, LiveStatus } from '../../src/index.ts';
import { followOrigin, reading, sequences, setUpOrigin, take } from '../support/setup-origin.ts';

const PAGES = /^\/s\/pages/;

test('MAL-53 tells each change of its status, and the end of each synchronisation run', async () => {
  const setup = await setUpOrigin();
  const { origin } = setup;
  origin.commit('a', 'b');
  const follower = followOrigin(setup, { mal: 1 });
  const told: LiveStatus[] = [];
  const runs: LiveStatus[] = [];
  const off = follower.on('status', (status) => told.push(status));
  follower.on('caught-up', (status) => runs.push(status));
  const iterator = reading(follower);
  await take(iterator, 2);
  const next = take(iterator, 1);
  await until(() => origin.pushed.size === 1);
  expect(runs.map(({ isCaughtUp }) => isCaughtUp)).toEqual([true]);
  expect(told.map(({ state }) => state)).toEqual(['starting', 'choosing', 'pushing']);
  expect(told.at(-1)).toMatchObject({ mode: 'push', reason: 'MAL 1 s is below the break-even of 10 s' });
  off();
  origin.commit('c');
  await next;
  await iterator.return?.();
  expect(told).toHaveLength(3);
  expect(follower.status.state).toBe('ended');
});

test('MAL-72 run() keeps the map of entities without a loop, until its signal', async () => {
  const setup = await setUpOrigin();
  const { origin } = setup;
  origin.commit('a', 'b');
  const controller = new AbortController();
  const follower = followOrigin(setup, { mal: 1 }, { signal: controller.signal });
  const entities = follower.latest();
  const heard: string[] = [];
  entities.on('upsert', ({ entity }) => heard.push(`+${entity.at(-1)}`));
  entities.on('delete', ({ entity }) => heard.push(`-${entity.at(-1)}`));
  const running = follower.run();
  await until(() => origin.pushed.size === 1);
  origin.commit('-a', 'c');
  await until(() => heard.length === 4);
  expect(heard).toEqual(['+a', '+b', '-a', '+c']);
  expect([...entities.keys()]).toEqual([origin.entity('b'), origin.entity('c')]);
  controller.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
});

test('MAL-51 a document leads to what is new after it: one request an update, across pages', async () => {
  const setup = await setUpOrigin();
  const { origin, time } = setup;
  origin.offersPush = false;
  origin.offersTails = true;
  origin.pollingIntervalSeconds = 5;
  origin.commit('a');
  const publish = (atMs: number) => {
    origin.nextUpdateMs = atMs;
    time.at(atMs, () => {
      origin.commit('a', 'b');
      publish(atMs + 5_000);
    });
  };
  publish(time.nowMs + 5_000);
  const follower = followOrigin(setup, { mal: 4 });
  const iterator = reading(follower);
  expect(sequences(await take(iterator, 41))).toEqual(Array.from({ length: 41 }, (_, index) => index + 1));
  expect(origin.requestsTo(PAGES).map(({ path }) => path)).toEqual(
    Array.from({ length: 20 }, (_, index) => `/s/pages/after-${2 * index + 1}`),
  );
});

function offlineEnvironment(): ClientEnvironment & { online: boolean; come(): void } {
  const listeners = new Set<() => void>();
  return {
    online: true,
    isOnline() {
      return this.online;
    },
    onOnline: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    pushSlot: async () => () => {},
    come() {
      this.online = true;
      for (const listener of [...listeners]) listener();
    },
  };
}

test('MAL-54 asks for nothing while the network is gone, and within a second when it is back', async () => {
  const setup = await setUpOrigin();
  const { origin, time } = setup;
  origin.offersPush = false;
  origin.commit('a');
  const environment = offlineEnvironment();
  const follower = followOrigin(setup, { mal: 60, environment });
  const iterator = reading(follower);
  await take(iterator, 1);
  environment.online = false;
  const next = take(iterator, 1);
  await until(() => follower.status.state === 'pulling');
  const asked = origin.seen.length;
  for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(origin.seen).toHaveLength(asked);
  expect(follower.status.reason).toBe('offline, nothing is asked until the network is back');
  time.nowMs += 3_600_000;
  expect(follower.status.lagBoundMs).toBeGreaterThan(3_600_000);
  origin.commit('b');
  const backMs = time.nowMs;
  environment.come();
  expect(sequences(await next)).toEqual([2]);
  expect((origin.seen[asked]?.atMs ?? 0) - backMs).toBeLessThanOrEqual(1_000);
});

test('MAL-38 without a connection to spare a stream is pulled, and push is tried again later', async () => {
  const setup = await setUpOrigin();
  const { origin, time } = setup;
  origin.commit('a');
  let isCrowded = true;
  const environment = {
    isOnline: () => true,
    onOnline: () => () => {},
    pushSlot: async () => (isCrowded ? undefined : () => {}),
  };
  const follower = followOrigin(setup, { mal: 2, environment });
  const iterator = reading(follower);
  await take(iterator, 1);
  const next = take(iterator, 1);
  await until(() => follower.status.mode === 'pull' && follower.status.state === 'waiting');
  expect(follower.status.reason).toContain('no connection to spare');
  isCrowded = false;
  time.at(time.nowMs + 31_000, () => {});
  await until(() => origin.pushed.size === 1);
  origin.commit('b');
  expect(await next).toMatchObject([{ via: 'push' }]);
});

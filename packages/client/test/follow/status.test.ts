import { HEARTBEAT_MS } from '@ldes-live/rdf-stream';
import { until, VirtualTime } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import type { Follower, LiveStatus } from '../../src/index.ts';
import { Network } from '../support/network.ts';
import { answering, refusing } from '../support/scripted-origin.ts';
import {
  clientOf,
  following,
  followOrigin,
  publishRegularly,
  pushing,
  pushingTogether,
  type Reading,
  reading,
  sequences,
  setUpOrigin,
  take,
  turns,
} from '../support/setup-origin.ts';
import { BASE } from '../tree/model-publisher.ts';
import { IMMUTABLE, member, ROOT, ScriptedPages } from '../tree/scripted-pages.ts';

test('a push connection shows nothing by being open: only what it brought counts, and its heartbeats', async () => {
  const { origin, time, follower, iterator, next: first } = await pushing(1, { mal: 2 });
  await until(() => follower.status.state === 'pushing');
  time.nowMs += 14_000;
  expect(follower.status.lagBoundMs).toBeGreaterThanOrEqual(14_000);
  origin.commit('b');
  await first;
  expect(follower.status.lagBoundMs).toBeLessThan(100);
  time.nowMs += HEARTBEAT_MS;
  expect(follower.status.lagBoundMs).toBeGreaterThanOrEqual(HEARTBEAT_MS);
  // What a heartbeat showed holds also when its connection is left.
  const bounds: number[] = [];
  follower.on('status', ({ state, lagBoundMs }) => state === 'backing-off' && bounds.push(lagBoundMs));
  void take(iterator, 1).catch(() => {});
  for (const connection of origin.pushed) connection.write(':\n\n');
  await until(() => follower.status.lagBoundMs < 100);
  for (const connection of origin.pushed) connection.destroy();
  await until(() => bounds.length > 0);
  expect(bounds[0]).toBeLessThan(HEARTBEAT_MS);
});

test('a heartbeat shows nothing of what waits to be delivered before it', async () => {
  const { origin, time, follower, iterator, next: first } = await pushing(1, { mal: 2 });
  origin.commit('b');
  await first;
  time.nowMs += HEARTBEAT_MS;
  origin.onEvent = (frame) => [new Uint8Array([...frame, ...new TextEncoder().encode(':\n\n')])];
  const one = take(iterator, 1);
  origin.commit('c');
  origin.commit('d');
  await one;
  time.nowMs += HEARTBEAT_MS;
  // The second is here or in the network, and has not been delivered.
  expect(follower.status.lagBoundMs).toBeGreaterThanOrEqual(HEARTBEAT_MS);
});

test('CLU-25 by push, what a server may lack that is cut off counts until it is not cut off any more, heartbeats or not', async () => {
  const { origin, time, follower, iterator, next: first } = await pushing(1, { mal: 2 });
  await until(() => follower.status.state === 'pushing');
  origin.commit('b');
  await first;
  const next = take(iterator, 1);
  const write = (text: string) => {
    for (const connection of origin.pushed) connection.write(text);
  };
  const status = (data: object) => write(`event: status\ndata: ${JSON.stringify(data)}\n\n`);
  time.nowMs += HEARTBEAT_MS;
  write(':\n\n');
  await until(() => follower.status.lagBoundMs < 100);
  const since = new Date(time.nowMs - 5000).toISOString();
  // Sources that fail keep nothing from being delivered that is published.
  status({ source: 'failing', since });
  await until(() => follower.status.source?.state === 'failing');
  expect(follower.status.lagBoundMs).toBeLessThan(100);
  status({ source: 'failing', since, completeTo: since });
  await until(() => follower.status.lagBoundMs >= 4000);
  time.nowMs += HEARTBEAT_MS;
  write(':\n\n');
  await turns();
  expect(follower.status.lagBoundMs).toBeGreaterThanOrEqual(4000 + HEARTBEAT_MS);
  status({ source: 'ok' });
  write(':\n\n');
  await until(() => follower.status.lagBoundMs < 100);
  origin.commit('c');
  expect(sequences(await next)).toEqual([3]);
});

test('CLU-25 by pull, a document of a server that is cut off is as current as that says', async () => {
  const { origin, time, follower, iterator } = await following({ mal: 30 }, { origin: { source: 'ok' } });
  const since = Math.floor(time.nowMs / 1000) - 100;
  origin.source = `failing;since=@${since};complete-to=@${since}`;
  void take(iterator, 1).catch(() => {});
  await until(() => follower.status.source?.state === 'failing');
  await until(() => follower.status.lagBoundMs >= 100_000);
  origin.source = 'ok';
  await until(() => follower.status.lagBoundMs < 60_000);
});

test('a follower that is offline says so', async () => {
  const environment = new Network();
  const { origin, follower, iterator } = await following({ mal: 30, environment });
  origin.fault = refusing();
  void take(iterator, 1).catch(() => {});
  await until(() => follower.status.state === 'backing-off');
  environment.isThere = false;
  expect(follower.status.reason).toMatch(/^offline, failing since /);
  expect(follower.status.isInTrouble).toBe(true);
});

/** The reasons that a follower gave, by state. */
function reasonsOf(follower: Follower): Map<string, string[]> {
  const reasons = new Map<string, string[]>();
  follower.on('status', ({ state, reason }) => reasons.set(state, [...(reasons.get(state) ?? []), reason]));
  return reasons;
}

test('each state gives the reason that it is for', async () => {
  const { origin, time } = await setUpOrigin();
  origin.pollingIntervalSeconds = 5;
  origin.commit('a');
  origin.nextUpdateMs = time.nowMs + 5_000;
  const follower = followOrigin(origin, { mal: 2 });
  expect(follower.status).toMatchObject({ state: 'discovering', reason: 'looking up the stream' });
  expect(follower.status.lagBoundMs).toBe(Number.POSITIVE_INFINITY);
  const reasons = reasonsOf(follower);
  const iterator = reading(follower);
  await take(iterator, 1);
  origin.onEvent = () => [];
  time.at(time.nowMs + 5_000, () => origin.commit('b'));
  expect(await take(iterator, 1)).toMatchObject([{ via: 'pull' }]);
  expect(follower.status).toMatchObject({ state: 'repairing', reason: 'an update that was predicted did not come' });
  expect(follower.status.isInTrouble).toBe(false);
  origin.onEvent = (frame) => [frame];
  const next = take(iterator, 1);
  await until(() => origin.requestsTo(/events/).length === 2 && follower.status.state === 'pushing');
  // What was found is over, and so is the doubt.
  expect(follower.status.reason).toBe('MAL 2 s is below the break-even of 10 s');
  origin.commit('c');
  await next;
  const later = take(iterator, 1);
  origin.fault = refusing();
  for (const connection of origin.pushed) connection.destroy();
  await until(() => reasons.has('backing-off'));
  expect(reasons.get('backing-off')?.[0]).toMatch(/^failing since 2026-03-01T12:0.*: /);
  origin.fault = undefined;
  await until(() => origin.pushed.size === 1);
  origin.commit('d');
  await later;
  expect(follower.status).toMatchObject({ state: 'pushing', reason: 'MAL 2 s is below the break-even of 10 s' });
  expect(reasons.get('starting')).toEqual(['reading the latest state']);
  await iterator.return?.();
  expect(follower.status).toMatchObject({ state: 'ended', reason: 'the reader stopped' });
});

test('who waits for a poll says why it pulls', async () => {
  const { origin, follower, iterator } = await following({ mal: 30 });
  const reasons = reasonsOf(follower);
  const next = take(iterator, 1);
  await until(() => reasons.has('waiting'));
  expect(reasons.get('waiting')).toEqual(['MAL 30 s is not below the break-even of 10 s']);
  origin.commit('b');
  await next;
});

test('a reading that ended by an error says by which, and promises nothing', async () => {
  const { origin } = await setUpOrigin();
  origin.fault = answering(401);
  const follower = followOrigin(origin, { mal: 30 });
  await expect(follower.run()).rejects.toMatchObject({ code: 'ERR_RESPONSE_STATUS' });
  expect(follower.status).toMatchObject({ state: 'ended', lagBoundMs: Number.POSITIVE_INFINITY });
  expect(follower.status.reason).toMatch(/^the stream cannot be read: .* answered with status 401/);
});

test('of an LDES to which nothing can be added nothing is missing, however long ago it was read', async () => {
  const time = new VirtualTime({ waits: 'at once' });
  const { fetch } = new ScriptedPages({ '/root': { text: ROOT + member('a', '01:00'), ...IMMUTABLE } });
  const follower = clientOf({ time }, { fetch }).follow(`${BASE}/root`, { from: 'start' });
  expect(await take(reading(follower), 2)).toHaveLength(1);
  time.nowMs += 3_600_000;
  expect(follower.status).toMatchObject({ state: 'ended', lagBoundMs: 0, isCaughtUp: true });
  expect(follower.status.reason).toMatch(/all of the stream was read/);
});

test('a reader is not caught up while it repairs a hole, and is when it has', async () => {
  const { origin, time, follower, iterator, next } = await pushing(2);
  let ends = 0;
  follower.on('caught-up', () => {
    ends += 1;
  });
  await until(() => follower.status.state === 'pushing');
  let answer = () => {};
  origin.fault = (request, response) => {
    if (!request.url?.startsWith('/s/pages')) return false;
    answer = () => origin.answer(request, response);
    return true;
  };
  origin.onEvent = () => [];
  origin.commit('b');
  origin.onEvent = (frame) => [new Uint8Array([...frame, ...new TextEncoder().encode(':\n\n')])];
  time.nowMs += 7_000;
  origin.commit('c');
  await until(() => follower.status.state === 'repairing');
  expect(follower.status.isCaughtUp).toBe(false);
  // The heartbeat after it shows nothing of the hole.
  time.nowMs += HEARTBEAT_MS;
  for (const connection of origin.pushed) connection.write(':\n\n');
  await time.settled();
  expect(follower.status.lagBoundMs).toBeGreaterThanOrEqual(7_000 + HEARTBEAT_MS);
  origin.fault = undefined;
  answer();
  expect((await next).map(({ via }) => via)).toEqual(['pull', 'pull']);
  const before = ends;
  void take(iterator, 1);
  await until(() => follower.status.state === 'pushing');
  expect([follower.status.isCaughtUp, ends]).toEqual([true, before + 1]);
});

test('a reader is not caught up when it could not take in time what push brought', async () => {
  const together = await pushingTogether(2, { mal: 1, limits: { eventBytes: 2_000 } });
  const { origin } = together;
  const [quick, slow] = together.followers as [Follower, Follower];
  const [quickReading, slowReading] = together.iterators as [Reading, Reading];
  origin.commit('b');
  await Promise.all(together.next);
  for (let count = 0; count < 8; count += 1) {
    const next = take(quickReading, 1);
    origin.commit('c');
    await next;
  }
  expect([quick.status.isCaughtUp, slow.status.isCaughtUp]).toEqual([true, false]);
  expect(sequences(await take(slowReading, 8))).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
  void take(slowReading, 1);
  await until(() => slow.status.state === 'pushing');
  expect(slow.status.isCaughtUp).toBe(true);
});

test('a slow loop is not caught up while what push brought waits for it', async () => {
  const { origin, follower, iterator, next } = await pushing(1);
  origin.commit('b', 'c');
  await next;
  expect(follower.status.isCaughtUp).toBe(false);
  expect(sequences(await take(iterator, 1))).toEqual([3]);
  expect(follower.status.isCaughtUp).toBe(true);
  for (const name of 'def') origin.commit(name);
  for (const sequence of [4, 5, 6]) {
    expect(sequences(await take(iterator, 1))).toEqual([sequence]);
    // What the network still holds back is not known of.
    if (sequence === 6) expect(follower.status.isCaughtUp).toBe(true);
  }
});

test('tells each change of its status, and the end of each synchronisation run', async () => {
  const { origin } = await setUpOrigin('a', 'b');
  const follower = followOrigin(origin, { mal: 1 });
  const told: LiveStatus[] = [];
  const runs: boolean[] = [];
  const off = follower.on('status', (status) => told.push(status));
  follower.on('caught-up', ({ isCaughtUp }) => runs.push(isCaughtUp));
  const iterator = reading(follower);
  await take(iterator, 2);
  const next = take(iterator, 1);
  await until(() => origin.pushed.size === 1);
  expect(runs).toEqual([true]);
  expect(told.map(({ state }) => state)).toEqual(['starting', 'choosing', 'pushing']);
  expect(told.at(-1)).toMatchObject({ mode: 'push', reason: 'MAL 1 s is below the break-even of 10 s' });
  off();
  origin.commit('c');
  await next;
  await iterator.return?.();
  expect([runs.length, told.length, follower.status.state]).toEqual([1, 3, 'ended']);
});

test('MAL-51 a document leads to what is new after it: one request an update, across pages', async () => {
  const { origin } = await setUpOrigin();
  Object.assign(origin, { offersPush: false, offersTails: true, pollingIntervalSeconds: 5 });
  origin.commit('a');
  publishRegularly(origin, 'a', 'b');
  const iterator = reading(followOrigin(origin, { mal: 4 }));
  expect(sequences(await take(iterator, 41))).toEqual(Array.from({ length: 41 }, (_, index) => index + 1));
  expect(origin.requestsTo(/^\/s\/pages/).map(({ path }) => path)).toEqual(
    Array.from({ length: 20 }, (_, index) => `/s/pages/after-${2 * index + 1}`),
  );
});

test('MAL-54 asks for nothing while the network is gone, and within a second when it is back', async () => {
  const environment = new Network();
  const context = await following({ mal: 60, environment }, { origin: { offersPush: false } });
  const { origin, time, follower, iterator } = context;
  environment.isThere = false;
  const next = take(iterator, 1);
  await until(() => follower.status.state === 'pulling');
  const asked = origin.seen.length;
  await turns(50);
  expect(origin.seen).toHaveLength(asked);
  expect(follower.status.reason).toBe('offline: nothing is requested until the network is back');
  time.nowMs += 3_600_000;
  expect(follower.status.lagBoundMs).toBeGreaterThan(3_600_000);
  origin.commit('b');
  const backMs = time.nowMs;
  environment.come();
  expect(sequences(await next)).toEqual([2]);
  expect((origin.seen[asked]?.atMs ?? 0) - backMs).toBeLessThanOrEqual(1_000);
});

test('MAL-38 without a connection to spare a stream is pulled, and push is tried again later', async () => {
  let isCrowded = true;
  const environment = new Network(async () => (isCrowded ? undefined : () => {}));
  const { origin, time, follower, iterator } = await following({ mal: 2, environment });
  const next = take(iterator, 1);
  await until(() => follower.status.mode === 'pull' && follower.status.state === 'waiting');
  expect(follower.status.reason).toContain('no connection is free');
  isCrowded = false;
  time.at(time.nowMs + 31_000, () => {});
  await until(() => origin.pushed.size === 1);
  origin.commit('b');
  expect(await next).toMatchObject([{ via: 'push' }]);
});

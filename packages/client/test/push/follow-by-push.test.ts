import { type Member, prefixes } from '@ldes-live/rdf-stream';
import { commitEvent } from '@ldes-live/test-support/events';
import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import type { Change } from '../../src/index.ts';
import { answering, conflation } from '../support/scripted-origin.ts';
import { following, pushing, sequences, take, testLimits, turns } from '../support/setup-origin.ts';

/** By which way each change came, and its cursor. */
const waysOf = (changes: readonly Change[]) => changes.map(({ via, cursor }) => `${via} ${cursor}`);

test('MAL-5 a MAL below the break-even is followed by push, in order', async () => {
  const { origin, time, follower, next } = await pushing(3);
  origin.commit('b', 'c');
  time.nowMs += 20;
  origin.commit('-a');
  const changes = await next;
  expect(sequences(changes)).toEqual([2, 3, 4]);
  expect(waysOf(changes)).toEqual(['push e1-2', 'push e1-3', 'push e1-4']);
  expect(changes.map(({ kind }) => kind)).toEqual(['upsert', 'upsert', 'delete']);
  expect(origin.requestsTo(/events/)[0]?.headers['last-event-id']).toBe('e1-1');
  const reason = 'MAL 1 s is below the break-even of 10 s';
  expect(follower.status).toMatchObject({ state: 'pushing', mode: 'push', reason, malMisses: 0 });
  expect(follower.status.lagBoundMs).toBeLessThanOrEqual(1_000);
  expect([...follower.latest().keys()]).toEqual(['b', 'c'].map((name) => origin.entity(name)));
});

test('a choice of push is made again with the first event after a minute, by how late events come then', async () => {
  const { origin, time, follower, next } = await pushing(4);
  const commitLate = async (name: string, delayMs: number) => {
    origin.onEvent = (frame) => {
      time.nowMs += delayMs;
      return [frame];
    };
    const { sequence } = origin.commit(name).cursor;
    await until(() => follower.state.cursor === `e1-${sequence}`);
    await turns();
  };
  // It is open then: what was published before says nothing of it.
  await commitLate('b', 0);
  time.nowMs += 1_000;
  await commitLate('c', 3_000);
  expect(follower.status).toMatchObject({ mode: 'push', reason: 'MAL 1 s is below the break-even of 10 s' });
  time.nowMs += 60_000;
  await commitLate('d', 1);
  expect(follower.status.mode).toBe('pull');
  expect(follower.status.reason).toContain('but push cannot meet it: updates are up to 3 s late');
  origin.commit('e');
  expect(waysOf(await next)).toEqual(['push e1-2', 'push e1-3', 'push e1-4', 'pull e1-5']);
});

test('MAL-10 an event whose id is the beginning of the log brings its members all the same', async () => {
  const { origin, next } = await pushing(2);
  origin.onEvent = (frame) => [Buffer.from(`${Buffer.from(frame)}`.replace(/^id: .*/m, 'id: e1-0'))];
  origin.commit('b');
  origin.commit('c');
  expect(waysOf(await next)).toEqual(['push e1-2', 'push e1-3']);
});

test('MAL-18 a hole is repaired from the pages, and the connection is kept', async () => {
  const { origin, follower, next } = await pushing(5);
  origin.onEvent = (frame, commit) => (commit.cursor.sequence === 3 ? [] : [frame]);
  for (const name of 'bcde') origin.commit(name);
  await until(() => follower.state.cursor === 'e1-5' && follower.status.state === 'pushing');
  origin.commit('f');
  expect(waysOf(await next)).toEqual(['push e1-2', 'pull e1-3', 'pull e1-4', 'pull e1-5', 'push e1-6']);
  expect(origin.requestsTo(/events/)).toHaveLength(1);
  expect(follower.status.mode).toBe('push');
});

test('MAL-18 a hole that the pages do not fill yet is repaired by a new connection', async () => {
  const { origin, next } = await pushing(3);
  origin.onEvent = (frame, commit) => (commit.cursor.sequence === 3 ? [] : [frame]);
  // A cache before the pages that still holds the page as it was.
  origin.fault = (request, response) => {
    if (!/^\/s\/pages\//.test(request.url ?? '')) return false;
    origin.onEvent = (frame) => [frame];
    response.writeHead(304, { 'ldes-cursor': 'e1-2' }).end();
    return true;
  };
  for (const name of 'bcd') origin.commit(name);
  expect(sequences(await next)).toEqual([2, 3, 4]);
  expect(origin.requestsTo(/events/)[1]?.headers['last-event-id']).toBe('e1-2');
});

test('PUSH-62, MAL-18 what a conflation leaves out is read from the pages, and the connection is kept', async () => {
  const { origin, follower, iterator, next } = await pushing(6);
  // Two commits are held back, and the third is sent as the newest state after the first.
  origin.onEvent = (_, { cursor }) => (cursor.sequence < 7 ? [] : conflation(origin, 'e1-1'));
  origin.commit('b', 'c', 'd');
  origin.commit('b', 'c');
  origin.commit('-b');
  expect(waysOf(await next)).toEqual([2, 3, 4, 5, 6, 7].map((sequence) => `pull e1-${sequence}`));
  origin.onEvent = (frame) => [frame];
  const more = take(iterator, 1);
  origin.commit('f');
  expect(waysOf(await more)).toEqual(['push e1-8']);
  expect(origin.requestsTo(/events/)).toHaveLength(1);
  expect(follower.status).toMatchObject({ mode: 'push', gaps: 0 });
});

test('PUSH-62 a conflation that tells nothing new is passed over', async () => {
  const { origin, follower, next } = await pushing(2);
  origin.commit('b');
  await until(() => follower.state.cursor === 'e1-2');
  const pages = origin.requestsTo(/pages/).length;
  for (const connection of origin.pushed) for (const bytes of conflation(origin, 'e1-0')) connection.write(bytes);
  origin.commit('c');
  expect(sequences(await next)).toEqual([2, 3]);
  expect(origin.requestsTo(/pages/)).toHaveLength(pages);
});

test('PUSH-62 a conflation of another life of the log is a gap', async () => {
  const { origin, next } = await pushing(2);
  const text = 'event: conflated\ndata: {"from":"e1-1","to":"e2-9"}\n\n';
  for (const connection of origin.pushed) connection.write(text);
  expect((await next).map(({ kind }) => kind)).toEqual(['gap', 'upsert']);
});

test.each([
  ['some', ['b', 'c', 'd', 'e'], ({ sequence }: Member) => sequence % 2 === 0],
  ['the last', ['b', 'c', 'd'], ({ sequence }: Member) => sequence === 2],
])('MAL-18 an event that lacks %s members of its commit leads to the pages', async (_which, names, isSent) => {
  const { origin, next } = await pushing(names.length);
  origin.onEvent = (_, commit) => [
    commitEvent({ ...commit, members: commit.members.filter(isSent) }, origin.description, prefixes),
  ];
  origin.commit(...names);
  const expected = names.map((_name, index) => `${index === 0 ? 'push' : 'pull'} e1-${index + 2}`);
  expect(waysOf(await next)).toEqual(expected);
  expect(origin.requestsTo(/events/)).toHaveLength(1);
});

test('MAL-12 the wait that the server asks for is kept before a reconnect', async () => {
  const { origin, time, next } = await pushing(2, { mal: 1 }, { origin: { retryMs: 5_000 } });
  origin.commit('b');
  for (const connection of origin.pushed) connection.end();
  await until(() => origin.requestsTo(/events/).length === 2);
  expect(time.waits.at(-1)).toBeGreaterThanOrEqual(5_000);
  origin.commit('c');
  expect(sequences(await next)).toEqual([2, 3]);
});

test.each([
  ['404', 404, {}],
  ['406', 406, {}],
  ['503', 503, { 'retry-after': '120' }],
  ['no content', 204, {}],
  ['HTML', 200, { 'content-type': 'text/html' }],
])('an endpoint that answers %s is left for pull at once, and tried again later', async (_name, status, headers) => {
  // A MAL near the break-even: few polls pass until push is tried again.
  const { origin, time, follower, iterator } = await following({ mal: 9 });
  origin.fault = answering(status, { to: /events/, headers });
  time.at(time.nowMs + 2_000, () => origin.commit('b'));
  expect(waysOf(await take(iterator, 1))).toEqual(['pull e1-2']);
  expect(origin.requestsTo(/events/)).toHaveLength(1);
  expect(follower.status).toMatchObject({ mode: 'pull' });
  expect(follower.status.reason).toMatch(/push endpoint .* (answers|sends)/);
  origin.fault = undefined;
  const refusedMs = time.nowMs;
  const next = take(iterator, 1);
  await until(() => origin.pushed.size === 1);
  origin.commit('c');
  expect(waysOf(await next)).toEqual(['push e1-3']);
  const againMs = origin.requestsTo(/events/)[1]?.atMs ?? 0;
  expect(againMs - refusedMs).toBeGreaterThan(status === 503 ? 110_000 : 20_000);
});

test.each(['at once', 'after a heartbeat'])('MAL-17 silence %s: a new connection, then pull', async (when) => {
  const { origin, time, follower, iterator } = await following({ mal: 1 });
  const next = take(iterator, 1);
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    await until(() => origin.requestsTo(/events/).length === attempt && time.running(testLimits.silenceMs) === 1);
    if (when !== 'at once') time.nowMs += 20_000;
    for (const connection of when === 'at once' ? [] : origin.pushed) connection.write(':\n\n');
    await turns();
    time.nowMs += 33_000;
    if (attempt === 1) expect(follower.status.lagBoundMs).toBeGreaterThanOrEqual(33_000);
    time.expire(testLimits.silenceMs);
  }
  time.at(time.nowMs + 5_000, () => origin.commit('b'));
  expect(waysOf(await next)).toEqual(['pull e1-2']);
  expect(follower.status.reason).toMatch(/sent nothing for/);
});

test.each([
  ['an event that is no JSON-LD', 'event: update\nid: e1-2\ndata: {]\n\n'],
  ['an event without a cursor', 'event: update\ndata: {}\n\n'],
  ['a conflation that does not say up to where', 'event: conflated\ndata: {"from":"e1-1"}\n\n'],
  ['a conflation that is no JSON', 'event: conflated\ndata: {]\n\n'],
])('%s: pull', async (_name, text) => {
  const { origin, time, next } = await pushing(1, { mal: 1, limits: { eventBytes: 2_000 } });
  time.at(time.nowMs + 500, () => origin.commit('b'));
  for (const connection of origin.pushed) connection.write(text);
  expect((await next)[0]).toMatchObject({ via: 'pull', cursor: 'e1-2' });
});

test('events of unknown types and empty commits are passed over', async () => {
  const { origin, next } = await pushing(1);
  const text = 'event: advice\ndata: {}\n\nevent: update\nid: e1-1\ndata: {}\n\n';
  for (const connection of origin.pushed) connection.write(text);
  origin.commit('b');
  expect(waysOf(await next)).toEqual(['push e1-2']);
});

test('the reader sets the pace: what it has not taken is left in the network', async () => {
  const { origin, follower, iterator, next } = await pushing(1);
  origin.commit('b');
  await next;
  const before = follower.status.bytes;
  const names = Array.from({ length: 10 }, (_, index) => `${index}`.padEnd(8_000, 'x'));
  const isHeldBack = () => [...origin.pushed].some((response) => response.writableLength > 0);
  // The buffers of a socket hold some megabytes: as many commits as fill them.
  while (!isHeldBack() && origin.head.sequence < 5_000) {
    origin.commit(...names);
    await turns(1);
  }
  expect([isHeldBack(), follower.status.bytes]).toEqual([true, before]);
  const left = origin.head.sequence - 2;
  expect(sequences(await take(iterator, left))).toEqual(Array.from({ length: left }, (_, index) => index + 3));
});

test.each([
  [60_000, 1],
  // With a greater MAL, few polls pass in the hour.
  [1_000_000_000, 9],
])('MAL-37 MAL-12 push is left for a wait of %d ms, by a MAL of %d s', async (retryMs, mal) => {
  const { origin, time, follower, iterator, next } = await pushing(1, { mal }, { origin: { retryMs } });
  origin.commit('b');
  await next;
  const endedMs = time.nowMs;
  time.at(endedMs + 5_000, () => origin.commit('c'));
  const pulled = take(iterator, 1);
  for (const connection of origin.pushed) connection.end();
  expect(waysOf(await pulled)).toEqual(['pull e1-3']);
  expect(time.nowMs - endedMs).toBeLessThanOrEqual(5_000 + 1_000 * mal);
  expect(follower.status.reason).toMatch(/the push endpoint asks for a wait of/);
  void take(iterator, 1).catch(() => {});
  await until(() => origin.requestsTo(/events/).length === 2);
  const againMs = (origin.requestsTo(/events/)[1]?.atMs ?? 0) - endedMs;
  // No longer than an hour.
  const askedMs = Math.min(retryMs, 3_600_000);
  expect(againMs).toBeGreaterThanOrEqual(askedMs);
  expect(againMs).toBeLessThanOrEqual(askedMs * 1.5 + 1_000);
});

import { formatSseEvent } from '@ldes-live/rdf-stream';
import { LIMIT_MS, until, type VirtualTime } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import {
  CircuitBreaker,
  FAILED_PAUSE_MS,
  FAILURE_LIMIT,
  MAX_PAUSE_MS,
  REFUSED_PAUSE_MS,
} from '../../src/connection/circuit-breaker.ts';
import { errors } from '../../src/errors.ts';
import type { LiveClientOptions, Sleep } from '../../src/index.ts';
import { Network } from '../support/network.ts';
import type { Fault } from '../support/scripted-origin.ts';
import {
  type Following,
  following,
  followOrigin,
  pushing,
  pushingTogether,
  reading,
  sequences,
  setUpOrigin,
  take,
  testLimits,
  turns,
} from '../support/setup-origin.ts';

/** A breaker at a time of its own, and what counts for a new connection each time. */
function breakerAt(random: number) {
  let nowMs = 1_000;
  const breaker = new CircuitBreaker({ clock: () => nowMs, random: () => random });
  const isClosedAfter = (ms: number) => {
    nowMs += ms;
    return breaker.isClosed;
  };
  return { breaker, isClosedAfter, fail: () => breaker.recordFailure({}, 'cut') };
}

test('MAL-16 push is given up for a time after as many failures as the limit, and on trial after that', () => {
  const { breaker, isClosedAfter, fail } = breakerAt(0.999);
  for (let failure = 1; failure < FAILURE_LIMIT; failure += 1) fail();
  expect(breaker.isClosed).toBe(true);
  fail();
  expect([breaker.problem, breaker.isClosed]).toEqual(['cut', false]);
  expect([1, 2].map(() => isClosedAfter(FAILED_PAUSE_MS / 2))).toEqual([false, true]);
  fail();
  expect(breaker.isClosed).toBe(false);
});

test('a refusal gives push up at once, for as long as the server asks at least', () => {
  const { breaker, isClosedAfter } = breakerAt(0);
  breaker.open({}, 'no');
  expect(breaker.isClosed).toBe(false);
  expect(isClosedAfter(REFUSED_PAUSE_MS / 2)).toBe(true);
  breaker.open({}, errors.ERR_PUSH_REFUSED({ url: 'u', problem: 'answers 503', retryAfterMs: 600_000 }));
  expect(breaker.problem).toMatch(/answers 503/);
  expect(isClosedAfter(599_999)).toBe(false);
  expect(isClosedAfter(1)).toBe(true);
});

test('the pauses grow up to the longest, and are forgotten with a success', () => {
  const { breaker, isClosedAfter, fail } = breakerAt(0.999);
  for (let refusal = 0; refusal < 12; refusal += 1) breaker.open({}, 'no');
  expect(isClosedAfter(MAX_PAUSE_MS * 0.99)).toBe(false);
  expect(isClosedAfter(MAX_PAUSE_MS * 0.01)).toBe(true);
  fail();
  expect(breaker.isClosed).toBe(false);
  breaker.recordSuccess({});
  for (let failure = 1; failure < FAILURE_LIMIT; failure += 1) fail();
  expect(breaker.isClosed).toBe(true);
  fail();
  expect(isClosedAfter(FAILED_PAUSE_MS)).toBe(true);
});

test('MAL-16 a cause counts once, and what failed is no success after', () => {
  const { breaker } = breakerAt(0.5);
  const connection = {};
  for (let count = 0; count < FAILURE_LIMIT; count += 1) breaker.recordFailure(connection, 'cut');
  expect(breaker.isClosed).toBe(true);
  breaker.open({}, 'no');
  breaker.recordSuccess(connection);
  expect(breaker.isClosed).toBe(false);
});

const EVENTS = /^\/s\/events/;

/** Each connection brings a text, and ends. */
function endingWith(text: string): Fault {
  return (request, response) => {
    if (!request.url?.includes('events')) return false;
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`:\n\n${text}`);
    return true;
  };
}

const SEEN = 'event: update\nid: e1-1\ndata: {}\n\n';

test.each([
  ['nothing', '', /ended the push connection/],
  ['an event of an unknown type', 'event: advice\ndata: {}\n\n', /ended the push connection/],
  ['an event that was sent before', SEEN, /ended the push connection/],
  ['a gap', formatSseEvent({ event: 'gap', id: 'e1-1', data: '{}' }), /cannot be continued/],
  ['members that are not there', 'event: update\nid: e1-99\ndata: {}\n\n', /ends before sequence 99/],
])('MAL-16 connections that bring %s are given up after three, and the pages read', async (_name, text, problem) => {
  const { origin, time } = await setUpOrigin('a');
  origin.fault = endingWith(text);
  const follower = followOrigin(origin, { mal: 1 });
  const given: [number, string][] = [];
  follower.on('status', ({ mode, reason, state }) => {
    if (state === 'waiting' && mode === 'pull') given.push([origin.requestsTo(EVENTS).length, reason]);
  });
  const iterator = reading(follower);
  await take(iterator, 1);
  time.at(time.nowMs + 30_000, () => time.every(30_000, () => origin.commit('b')));
  for (let via = 'push'; given.length === 0 || via === 'push'; ) via = (await take(iterator, 1))[0]?.via ?? '';
  expect(given[0]).toEqual([FAILURE_LIMIT, expect.stringMatching(problem)]);
});

test('MAL-16 an update that came resets what was held against push, and one that was sent before does not', async () => {
  const endsWith = endingWith(SEEN);
  const { origin, follower, iterator } = await following({ mal: 1 });
  const modes: string[] = [];
  follower.on('status', ({ mode, state }) => state === 'waiting' && modes.push(mode));
  origin.fault = (...request) => origin.requestsTo(EVENTS).length % 3 !== 0 && endsWith(...request);
  for (let round = 0; round < 3; round += 1) {
    const next = take(iterator, 1);
    await until(() => origin.pushed.size === 1);
    origin.commit('b');
    expect(await next).toMatchObject([{ via: 'push' }]);
    for (const connection of origin.pushed) connection.end();
  }
  expect(modes).toEqual([]);
});

test('MAL-16 an update that came late ends nothing of what was held against push', async () => {
  const { origin, time, follower, iterator, next } = await pushing(20);
  for (let count = 0; count < 20; count += 1) origin.commit('b');
  await next;
  const endsWith = endingWith(SEEN);
  origin.fault = (...request) => origin.requestsTo(EVENTS).length !== 4 && endsWith(...request);
  const late = take(iterator, 1);
  for (const connection of origin.pushed) connection.end();
  await until(() => origin.requestsTo(EVENTS).length === 4 && follower.status.state === 'pushing');
  await turns();
  origin.onEvent = (frame) => {
    time.nowMs += 20_000;
    return [frame];
  };
  origin.commit('b');
  expect(await late).toMatchObject([{ via: 'push' }]);
  void take(iterator, 1).catch(() => {});
  for (const connection of origin.pushed) connection.end();
  await until(() => follower.status.mode === 'pull');
  expect(origin.requestsTo(EVENTS)).toHaveLength(5);
});

test('MAL-45 a connection that ends for several followers is held against push once', async () => {
  const { origin, followers, next, areAllPushing } = await pushingTogether(5);
  const pulled: string[] = [];
  for (const each of followers) each.on('status', ({ mode, state }) => state === 'waiting' && pulled.push(mode));
  for (const connection of origin.pushed) connection.end();
  await until(() => followers.every(({ status }) => status.state === 'backing-off'));
  await until(() => origin.pushed.size >= 1 && areAllPushing());
  origin.commit('b');
  for (const changes of await Promise.all(next)) expect(changes).toMatchObject([{ via: 'push', cursor: 'e1-2' }]);
  expect(pulled).toEqual([]);
});

test('MAL-45 an event that several followers cannot read makes push be given up once, not for each a longer time', async () => {
  const { origin, time, next } = await pushingTogether(5, { mal: 5 });
  const refusedMs = time.nowMs;
  for (const connection of origin.pushed) connection.write('event: update\nid: e1-2\ndata: {]\n\n');
  await until(() => origin.requestsTo(EVENTS).length === 2 && origin.pushed.size >= 1);
  const againMs = origin.requestsTo(EVENTS)[1]?.atMs ?? 0;
  expect(againMs - refusedMs).toBeLessThanOrEqual(REFUSED_PAUSE_MS + 5_000);
  origin.commit('b');
  await Promise.all(next);
});

/** Follows with a MAL of 10 s, by a connection that holds back an event; what it brings then. */
async function heldBack() {
  const origin = { offersTails: true, breakEvenSeconds: 60 };
  const context = await following({ mal: 10 }, { origin });
  const { time, follower, iterator } = context;
  /** The event is written now, and twenty seconds pass before it arrives. */
  const hold = async (name: string) => {
    const next = take(iterator, 1);
    await until(() => context.origin.pushed.size === 1 && follower.status.state === 'pushing');
    await turns();
    context.origin.onEvent = (frame) => {
      time.nowMs += 20_000;
      return [frame];
    };
    context.origin.commit(name);
    expect(await next).toMatchObject([{ via: 'push' }]);
    context.origin.onEvent = (frame) => [frame];
  };
  return { ...context, hold };
}

test('MAL-49 a proxy that holds events back is left for pull when they came too late three times', async () => {
  const { origin, follower, iterator, hold } = await heldBack();
  for (const name of ['b', 'c', 'd']) await hold(name);
  const next = take(iterator, 1);
  await until(() => follower.status.mode === 'pull');
  expect(follower.status.reason).toContain('20.0 s late');
  origin.commit('e');
  expect(await next).toMatchObject([{ via: 'pull' }]);
  expect(follower.status).toMatchObject({ malMisses: 3, gaps: 0 });
  // MAL-16: it is tried again, and kept where nothing is held back any more.
  const later = take(iterator, 1);
  await until(() => origin.requestsTo(EVENTS).length === 2 && follower.status.state === 'pushing');
  await turns();
  origin.commit('f');
  expect(await later).toMatchObject([{ via: 'push' }]);
});

test('MAL-49 push that was late once, and left for that, is tried again', async () => {
  const { origin, time, follower, iterator, hold } = await heldBack();
  await hold('b');
  void take(iterator, 1).catch(() => {});
  for (const connection of origin.pushed) connection.end();
  await until(() => follower.status.reason.includes('push cannot meet it: updates are up to 20 s late'));
  const leftMs = time.nowMs;
  await until(() => follower.status.state === 'pushing');
  expect(time.nowMs - leftMs).toBeLessThan(MAX_PAUSE_MS + 60_000);
});

test('MAL-49 a reader that is slow itself has no reason to leave push', async () => {
  const { origin, time, follower, iterator, next: first } = await pushing(1);
  for (const name of ['b', 'c', 'd', 'e', 'f']) origin.commit(name);
  await first;
  for (let count = 0; count < 4; count += 1) {
    time.nowMs += 5_000;
    expect(await take(iterator, 1)).toMatchObject([{ via: 'push' }]);
  }
  expect(follower.status.mode).toBe('push');
});

/** Follows an origin that publishes every 5 s, predicts it, and pushes. */
function followRegular(options: Partial<LiveClientOptions> = {}, sleepOf?: Following['sleepOf']) {
  const origin = { pollingIntervalSeconds: 5, offersTails: true };
  return following({ mal: 2, ...options }, { origin, nextUpdateInMs: 5_000, sleepOf });
}

test('MAL-36 an update that was predicted and does not come is asked for, and the connection that hid it left', async () => {
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

test('MAL-36 where the check finds nothing the connection stays, and is checked ever more rarely', async () => {
  const { origin, iterator } = await followRegular();
  const next = take(iterator, 1);
  await until(() => origin.requestsTo(/after-/).length >= 6);
  const checks = origin.requestsTo(/after-/).map(({ atMs }) => atMs);
  const distances = checks.slice(1).map((atMs, index) => atMs - (checks[index] as number));
  // Each is for another update that did not come.
  expect(distances[0]).toBeGreaterThan(5_000);
  expect(distances.at(-1)).toBeGreaterThan(2 * (distances[0] as number));
  origin.commit('b');
  await next;
  expect(origin.requestsTo(/events/)).toHaveLength(1);
});

test.each(['a clock that jumped', 'a network that comes back'])('MAL-36 %s is reason to look', async (reason) => {
  const environment = new Network();
  const { origin, time, iterator, follower } = await followRegular({ environment });
  origin.nextUpdateMs = undefined;
  origin.onEvent = () => [];
  const next = take(iterator, 1);
  await until(() => environment.listeners.size > 0 && origin.pushed.size === 1);
  const isJump = reason === 'a clock that jumped';
  if (isJump) time.nowMs += 3_600_000;
  origin.commit('b');
  if (isJump) time.expire(testLimits.watchMs);
  else environment.tell();
  expect(await next).toMatchObject([{ via: 'pull', member: { sequence: 2 } }]);
  expect(follower.status.gaps).toBe(0);
});

test('MAL-36 events that bring nothing put off no check', async () => {
  const checksMs: number[] = [];
  const sleepOf = (time: VirtualTime): Sleep => {
    return (ms, signal) => {
      if (ms >= LIMIT_MS) return time.sleep(ms, signal);
      checksMs.push(time.nowMs + ms);
      return new Promise((_, reject) => signal.addEventListener('abort', reject));
    };
  };
  const { origin, time, iterator } = await followRegular({}, sleepOf);
  const next = take(iterator, 1);
  await until(() => origin.pushed.size === 1 && checksMs.length === 1);
  for (const text of ['event: advice\ndata: {}\n\n', SEEN]) {
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

test('MAL-36 a jump of an hour while nobody waits is reason to look as soon as somebody does', async () => {
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
  void take(iterator, 1).catch(() => {});
  await until(() => origin.requestsTo(/events/).length === 2 && follower.status.state === 'pushing');
  expect(follower.status).toMatchObject({ gaps: 0, mode: 'push' });
});

import { formatSseEvent } from '@ldes-live/codec';
import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { createLiveClient } from '../../src/index.ts';
import { REFUSED_PAUSE_MS, STRIKE_LIMIT } from '../../src/push/push-trust.ts';
import type { Fault } from '../support/scripted-origin.ts';
import { followOrigin, reading, setUpOrigin, take } from '../support/setup-origin.ts';
import { testLimits } from '../support/test-limits.ts';

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
])('MAL-85 connections that bring %s are given up after three, and the pages read', async (_name, text, problem) => {
  const setup = await setUpOrigin();
  const { origin, time } = setup;
  origin.commit('a');
  origin.fault = endingWith(text);
  const follower = followOrigin(setup, { mal: 1 });
  const opened: number[] = [];
  const reasons: string[] = [];
  follower.on('status', ({ mode, reason, state }) => {
    if (state !== 'waiting' || mode !== 'pull') return;
    reasons.push(reason);
    opened.push(origin.requestsTo(EVENTS).length);
  });
  const iterator = reading(follower);
  await take(iterator, 1);
  const publishing = () => {
    origin.commit('b');
    time.at(time.nowMs + 30_000, publishing);
  };
  time.at(time.nowMs + 30_000, publishing);
  for (;;) {
    const [change] = await take(iterator, 1);
    if (reasons.length > 0 && change?.kind === 'upsert' && change.via === 'pull') break;
  }
  expect(opened[0]).toBe(STRIKE_LIMIT);
  expect(reasons[0]).toMatch(problem);
});

test('MAL-85 an update that came resets what was held against push, and one that was sent before does not', async () => {
  const setup = await setUpOrigin();
  const { origin } = setup;
  origin.commit('a');
  const endsWith = endingWith(SEEN);
  const follower = followOrigin(setup, { mal: 1 });
  const modes: string[] = [];
  follower.on('status', ({ mode, state }) => state === 'waiting' && modes.push(mode));
  const iterator = reading(follower);
  await take(iterator, 1);
  for (let round = 0; round < 3; round += 1) {
    origin.fault = (request, response, of) => {
      const isFruitless = origin.requestsTo(EVENTS).length % 3 !== 0;
      return isFruitless && endsWith(request, response, of);
    };
    const next = take(iterator, 1);
    await until(() => origin.pushed.size === 1);
    origin.commit('b');
    expect(await next).toMatchObject([{ via: 'push' }]);
    for (const connection of origin.pushed) connection.end();
  }
  expect(modes).toEqual([]);
});

test('MAL-45 a connection that ends for several followers is held against push once', async () => {
  const setup = await setUpOrigin();
  const { origin, time } = setup;
  origin.commit('a');
  const client = createLiveClient({
    mal: 1,
    clock: time.clock,
    sleep: time.sleep,
    random: () => 0.5,
    limits: testLimits,
  });
  const followers = Array.from({ length: 5 }, () => client.follow(origin.url));
  const iterators = followers.map(reading);
  for (const iterator of iterators) await take(iterator, 1);
  const pulled: string[] = [];
  for (const each of followers) each.on('status', ({ mode, state }) => state === 'waiting' && pulled.push(mode));
  const taken = iterators.map((iterator) => take(iterator, 1));
  await until(() => origin.pushed.size === 1 && followers.every(({ status }) => status.state === 'pushing'));
  for (const connection of origin.pushed) connection.end();
  await until(() => followers.every(({ status }) => status.state === 'backing-off'));
  await until(() => origin.pushed.size >= 1 && followers.every(({ status }) => status.state === 'pushing'));
  origin.commit('b');
  for (const changes of await Promise.all(taken)) expect(changes).toMatchObject([{ via: 'push', cursor: 'e1-2' }]);
  expect(pulled).toEqual([]);
});

test('MAL-45 an event that several followers cannot read makes push be given up once, not for each a longer time', async () => {
  const setup = await setUpOrigin();
  const { origin, time } = setup;
  origin.commit('a');
  const client = createLiveClient({
    mal: 1,
    clock: time.clock,
    sleep: time.sleep,
    random: () => 0.5,
    limits: testLimits,
  });
  const followers = Array.from({ length: 5 }, () => client.follow(origin.url));
  const iterators = followers.map(reading);
  for (const iterator of iterators) await take(iterator, 1);
  const taken = iterators.map((iterator) => take(iterator, 1));
  await until(() => origin.pushed.size === 1 && followers.every(({ status }) => status.state === 'pushing'));
  const refusedMs = time.nowMs;
  for (const connection of origin.pushed) connection.write('event: update\nid: e1-2\ndata: {]\n\n');
  await until(() => origin.requestsTo(EVENTS).length === 2 && origin.pushed.size >= 1);
  const againMs = origin.requestsTo(EVENTS)[1]?.atMs ?? 0;
  expect(againMs - refusedMs).toBeLessThanOrEqual(REFUSED_PAUSE_MS + 5_000);
  origin.commit('b');
  await Promise.all(taken);
});

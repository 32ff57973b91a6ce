import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { until, VirtualTime } from '@ldes-live/test-support/virtual-time';
import { expect, onTestFinished, test } from 'vitest';
import type { Follower } from '../../src/index.ts';
import { Network } from '../support/network.ts';
import { ScriptedOrigin } from '../support/scripted-origin.ts';
import {
  clientOf,
  followOrigin,
  publishRegularly,
  pushingTogether,
  type Reading,
  reading,
  sequences,
  setUpOrigin,
  take,
  turns,
} from '../support/setup-origin.ts';

const PAGES = /^\/s\/pages/;
const EVENTS = /^\/s\/events/;

test('MAL-45 followers of one URL in one client share a push connection, which the last of them closes', async () => {
  const { origin, iterators, next } = await pushingTogether(3);
  for (const name of ['b', 'c', 'd']) origin.commit(name);
  for (const changes of await Promise.all(next)) expect(sequences(changes)).toEqual([2]);
  for (const iterator of iterators) expect(sequences(await take(iterator, 2))).toEqual([3, 4]);
  const [first, ...others] = iterators as [Reading, ...Reading[]];
  for (const other of others) await other.return?.();
  const alone = take(first, 1);
  origin.commit('e');
  expect(sequences(await alone)).toEqual([5]);
  await first.return?.();
  await until(() => origin.pushed.size === 0);
  expect(origin.requestsTo(EVENTS)).toHaveLength(1);
});

test('MAL-45 a follower that joins where the connection has been gets what it lacks from the pages', async () => {
  const { origin, client, iterators, next } = await pushingTogether(1);
  origin.commit('b');
  origin.commit('c');
  await next[0];
  const [early] = iterators as [Reading];
  await take(early, 1);
  const late = reading(client.follow(origin.url, { from: 'e1-1' }));
  expect(sequences(await take(late, 2))).toEqual([2, 3]);
  const both = [take(early, 1), take(late, 1)];
  await until(() => origin.pushed.size === 1);
  origin.commit('d');
  expect((await Promise.all(both)).map(sequences)).toEqual([[4], [4]]);
  expect(origin.requestsTo(EVENTS)).toHaveLength(1);
});

test('MAL-45 followers that pull share each request', async () => {
  const { origin } = await setUpOrigin();
  Object.assign(origin, { offersPush: false, offersTails: true, pollingIntervalSeconds: 5 });
  origin.commit('a');
  publishRegularly(origin, 'a');
  const client = clientOf(origin, { mal: 4 });
  const readings = [1, 2].map(() => take(reading(client.follow(origin.url)), 9));
  for (const changes of await Promise.all(readings)) {
    expect(sequences(changes)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  }
  // Eight updates, asked for once each; a follower may be one request ahead when the other is done.
  expect(origin.requestsTo(PAGES).length).toBeLessThanOrEqual(9);
});

test('MAL-45 followers that came at different times poll together', async () => {
  const time = new VirtualTime();
  const origin = new ScriptedOrigin(time);
  await origin.listen();
  onTestFinished(() => origin.close());
  Object.assign(origin, { offersPush: false, offersTails: true });
  origin.commit('a');
  const client = clientOf(origin);
  const followers = [1, 2].map(() => client.follow(origin.url));
  for (const iterator of followers.map(reading)) {
    await take(iterator, 1);
    void take(iterator, 2).catch(() => {});
    await time.pass(10_000);
  }
  origin.commit('b');
  await time.pass(60_000);
  expect(followers.map(({ state }) => state.cursor)).toEqual(['e1-2', 'e1-2']);
  expect(origin.requestsTo(PAGES)).toHaveLength(3);
});

test('MAL-45 the smallest MAL of those who follow rules, for as long as they do', async () => {
  const { origin } = await setUpOrigin('a');
  origin.pollingIntervalSeconds = 5;
  publishRegularly(origin, 'a');
  const client = clientOf(origin, { mal: 60 });
  const followers = [client.follow(origin.url), client.follow(origin.url, { mal: 1 })] as const;
  const [patient, hasty] = followers.map(reading) as [Reading, Reading];
  await take(patient, 1);
  await take(hasty, 1);
  const readings = [take(patient, 1), take(hasty, 1)];
  await until(() => origin.pushed.size === 1);
  origin.commit('b');
  expect((await Promise.all(readings)).flat().map(({ via }) => via)).toEqual(['push', 'push']);
  expect(followers.map(({ status }) => status.mode)).toEqual(['push', 'push']);
  await hasty.return?.();
  await take(patient, 1);
  expect(followers[0].status.mode).toBe('pull');
});

test('MAL-45 clients share nothing', async () => {
  const { origin, next } = await pushingTogether(1);
  const other = reading(followOrigin(origin, { mal: 1 }));
  await take(other, 1);
  const both = [...next, take(other, 1)];
  await until(() => origin.pushed.size === 2);
  origin.commit('b');
  await Promise.all(both);
  expect(origin.requestsTo(EVENTS)).toHaveLength(2);
});

test('a connection that hid something is left for one new one by all who follow', async () => {
  const environment = new Network();
  const { listeners } = environment;
  const {
    origin,
    followers,
    iterators,
    next: found,
    areAllPushing,
  } = await pushingTogether(3, { mal: 1, environment });
  await until(() => listeners.size === 3);
  const [hiding] = origin.pushed;
  origin.onEvent = () => [];
  origin.commit('b');
  // One of them hears of it before the others do, and is back before they have left.
  const [first, ...others] = [...listeners];
  first?.();
  const early = await Promise.race(found.map((one, index) => one.then(() => index)));
  const next = [take(iterators[early] as Reading, 1)];
  await until(() => origin.requestsTo(EVENTS).length === 2);
  for (const listener of others) listener();
  for (const changes of await Promise.all(found)) expect(changes).toMatchObject([{ via: 'pull', cursor: 'e1-2' }]);
  for (const [index, iterator] of iterators.entries()) if (index !== early) next.push(take(iterator, 1));
  await until(() => origin.pushed.size === 1 && !origin.pushed.has(hiding as never) && areAllPushing());
  origin.onEvent = (frame) => [frame];
  origin.commit('c');
  for (const changes of await Promise.all(next)) expect(changes).toMatchObject([{ via: 'push', cursor: 'e1-3' }]);
  expect([origin.requestsTo(EVENTS).length, followers.length]).toEqual([2, 3]);
});

test('MAL-45 followers in two lives of a log have a connection each, and neither closes that of the other', async () => {
  const together = await pushingTogether(1);
  const { origin, client } = together;
  const [old] = together.iterators as [Reading];
  // Rebuilt, and the old connection has not heard of it yet.
  origin.onEvent = () => [];
  origin.rebuild('e2');
  origin.commit('x');
  const [first, second] = [1, 2].map(() => reading(client.follow(origin.url))) as [Reading, Reading];
  for (const iterator of [first, second]) expect(await take(iterator, 1)).toMatchObject([{ cursor: 'e2-1' }]);
  void take(first, 1);
  const next = take(second, 1);
  await until(() => origin.pushed.size === 2);
  const [oldConnection, newConnection] = [...origin.pushed];
  await first.return?.();
  origin.onEvent = (frame) => [frame];
  origin.commit('y');
  expect(await next).toMatchObject([{ via: 'push', cursor: 'e2-2' }]);
  expect(origin.pushed.has(newConnection as never)).toBe(true);
  // Now the old one finds out by itself.
  expect(await together.next[0]).toMatchObject([{ kind: 'gap', via: 'push' }]);
  expect(sequences(await take(old, 2))).toEqual([1, 2]);
  const last = take(old, 1);
  await until(() => !origin.pushed.has(oldConnection as never));
  origin.commit('z');
  expect(await last).toMatchObject([{ via: 'push', cursor: 'e2-3' }]);
  expect(origin.requestsTo(EVENTS)).toHaveLength(2);
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('MAL-45 what was learned of a URL lives as long as a follower of it, read or not, and no longer', async () => {
  const { origin } = await setUpOrigin('a');
  const client = clientOf(origin);
  const held = { followers: [client.follow(origin.url), client.follow(origin.url)] };
  for await (const _ of held.followers[0] as Follower) break;
  const requests = () => client.follow(origin.url).status.requests;
  // What is referred to weakly is kept until the turn is over.
  const collect = async (mostRounds: number, isOver = () => false) => {
    for (let rounds = 0; rounds < mostRounds && !isOver(); rounds += 1) {
      await turns(1);
      collectGarbage();
    }
  };
  for (let left = 2; left > 0; left -= 1) {
    await collect(2);
    expect(requests()).toBeGreaterThan(0);
    held.followers.pop();
  }
  await collect(100, () => requests() === 0);
  expect(requests()).toBe(0);
});

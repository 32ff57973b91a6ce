import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import { WeakConnections } from '../../src/client.ts';
import { StreamConnection } from '../../src/connection/stream-connection.ts';
import { LiveFollower } from '../../src/follower.ts';
import { hostEnvironment } from '../../src/index.ts';
import { clientLimits } from '../../src/options.ts';
import { Network } from '../support/network.ts';
import {
  clientOf,
  publishRegularly,
  pushingTogether,
  type Reading,
  reading,
  sequences,
  setUpOrigin,
  take,
} from '../support/setup-origin.ts';

const PAGES = /^\/s\/pages/;

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
  expect(origin.requestsTo(/^\/s\/events/)).toHaveLength(1);
});

test('MAL-45 a follower that joins where the connection has been gets what it lacks from the pages', async () => {
  const { origin } = await setUpOrigin('a');
  const client = clientOf(origin, { mal: 1 });
  const early = reading(client.follow(origin.url));
  await take(early, 1);
  const waiting = take(early, 2);
  await until(() => origin.pushed.size === 1);
  origin.commit('b');
  origin.commit('c');
  await waiting;
  const late = reading(client.follow(origin.url, { from: 'e1-1' }));
  expect(sequences(await take(late, 2))).toEqual([2, 3]);
  const both = [take(early, 1), take(late, 1)];
  await until(() => origin.pushed.size === 1);
  origin.commit('d');
  expect((await Promise.all(both)).map(sequences)).toEqual([[4], [4]]);
  expect(origin.requestsTo(/^\/s\/events/)).toHaveLength(1);
});

test('MAL-45 followers that pull share each request', async () => {
  const { origin } = await setUpOrigin();
  origin.offersPush = false;
  origin.offersTails = true;
  origin.commit('a');
  origin.pollingIntervalSeconds = 5;
  publishRegularly(origin, 'a');
  const client = clientOf(origin, { mal: 4 });
  const [first, second] = [1, 2].map(() => reading(client.follow(origin.url)));
  const readings = [first, second].map((iterator) => take(iterator as never, 9));
  for (const changes of await Promise.all(readings)) {
    expect(sequences(changes)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  }
  // Eight updates, asked for once each; a follower may be one request ahead when the other is done.
  expect(origin.requestsTo(PAGES).length).toBeLessThanOrEqual(9);
});

test('MAL-46 the smallest MAL of those who follow rules, for as long as they do', async () => {
  const { origin } = await setUpOrigin('a');
  origin.pollingIntervalSeconds = 5;
  publishRegularly(origin, 'a');
  const client = clientOf(origin, { mal: 60 });
  const patient = client.follow(origin.url);
  const patientReading = reading(patient);
  await take(patientReading, 1);
  const hasty = client.follow(origin.url, { mal: 1 });
  const hastyReading = reading(hasty);
  await take(hastyReading, 1);
  const readings = [take(patientReading, 1), take(hastyReading, 1)];
  await until(() => origin.pushed.size === 1);
  origin.commit('b');
  expect((await Promise.all(readings)).flat().map(({ via }) => via)).toEqual(['push', 'push']);
  expect([patient.status.mode, hasty.status.mode]).toEqual(['push', 'push']);
  await hastyReading.return?.();
  const later = take(patientReading, 1);
  await later;
  expect(patient.status.mode).toBe('pull');
});

test('MAL-45 clients share nothing', async () => {
  const { origin } = await setUpOrigin('a');
  const iterators = [1, 2].map(() => reading(clientOf(origin, { mal: 1 }).follow(origin.url)));
  for (const iterator of iterators) await take(iterator, 1);
  const readings = iterators.map((iterator) => take(iterator, 1));
  await until(() => origin.pushed.size === 2);
  origin.commit('b');
  await Promise.all(readings);
  expect(origin.requestsTo(/^\/s\/events/)).toHaveLength(2);
});

test('MAL-87 a connection that hid something is left for one new one by all who follow', async () => {
  const { origin } = await setUpOrigin('a');
  const environment = new Network();
  const { listeners } = environment;
  const client = clientOf(origin, { mal: 1, environment });
  const followers = [1, 2, 3].map(() => client.follow(origin.url));
  const iterators = followers.map(reading);
  for (const iterator of iterators) await take(iterator, 1);
  const found = iterators.map((iterator) => take(iterator, 1));
  await until(() => origin.pushed.size === 1 && listeners.size === 3);
  const [hiding] = origin.pushed;
  origin.onEvent = () => [];
  origin.commit('b');
  // One of them hears of it before the others do, and is back before they have left.
  const [first, ...others] = [...listeners];
  first?.();
  const early = await Promise.race(found.map((one, index) => one.then(() => index)));
  const next = [take(iterators[early] as never, 1)];
  await until(() => origin.requestsTo(/^\/s\/events/).length === 2);
  for (const listener of others) listener();
  for (const changes of await Promise.all(found)) expect(changes).toMatchObject([{ via: 'pull', cursor: 'e1-2' }]);
  for (const [index, iterator] of iterators.entries()) if (index !== early) next.push(take(iterator, 1));
  await until(() => origin.pushed.size === 1 && !origin.pushed.has(hiding as never));
  await until(() => followers.every(({ status }) => status.state === 'pushing'));
  origin.onEvent = (frame) => [frame];
  origin.commit('c');
  for (const changes of await Promise.all(next)) expect(changes).toMatchObject([{ via: 'push', cursor: 'e1-3' }]);
  expect(origin.requestsTo(/^\/s\/events/)).toHaveLength(2);
});

test('MAL-45 followers in two lives of a log have a connection each, and neither closes that of the other', async () => {
  const { origin } = await setUpOrigin('a');
  const client = clientOf(origin, { mal: 1 });
  const old = reading(client.follow(origin.url));
  await take(old, 1);
  const waiting = take(old, 1);
  await until(() => origin.pushed.size === 1);
  // Rebuilt, and the old connection has not heard of it yet.
  origin.onEvent = () => [];
  origin.rebuild('e2');
  origin.commit('x');
  const [first, second] = [1, 2].map(() => reading(client.follow(origin.url)));
  for (const iterator of [first, second]) expect(await take(iterator as never, 1)).toMatchObject([{ cursor: 'e2-1' }]);
  const both = [first, second].map((iterator) => take(iterator as never, 1));
  await until(() => origin.pushed.size === 2);
  const [oldConnection, newConnection] = [...origin.pushed];
  await first?.return?.();
  origin.onEvent = (frame) => [frame];
  origin.commit('y');
  expect(await both[1]).toMatchObject([{ via: 'push', cursor: 'e2-2' }]);
  expect(origin.pushed.has(newConnection as never)).toBe(true);
  // Now the old one finds out by itself.
  expect(await waiting).toMatchObject([{ kind: 'gap', via: 'push' }]);
  expect(sequences(await take(old, 2))).toEqual([1, 2]);
  const last = take(old, 1);
  await until(() => !origin.pushed.has(oldConnection as never));
  origin.commit('z');
  expect(await last).toMatchObject([{ via: 'push', cursor: 'e2-3' }]);
  expect(origin.requestsTo(/^\/s\/events/)).toHaveLength(2);
});

const URL_A = 'http://shares.example/a';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const circumstances = {
  malMs: 1_000,
  phase: 0.5,
  fetch,
  clock: () => 0,
  random: () => 0.5,
  sleep: async () => {},
  headers: {},
  hosts: 'any' as const,
  limits: clientLimits({}),
  environment: hostEnvironment(),
};

function setUp() {
  let made = 0;
  const shares = new WeakConnections((url) => {
    made += 1;
    return new StreamConnection(circumstances, url);
  });
  return {
    shares,
    made: () => made,
    follower: () => new LiveFollower(URL_A, {}, { ...circumstances, connection: shares.of(URL_A) }),
  };
}

/** Collects until a condition holds: what is referred to weakly is kept until the turn is over. */
async function collectUntil(condition: () => boolean): Promise<void> {
  for (let rounds = 0; rounds < 100 && !condition(); rounds += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
}

test('MAL-45 those who follow a URL have the same share, and others have their own', () => {
  const { shares, made } = setUp();
  const share = shares.of(URL_A);
  expect(shares.of(URL_A)).toBe(share);
  expect(shares.of('http://shares.example/b')).not.toBe(share);
  expect(made()).toBe(2);
});

test('a share lives as long as a follower of its URL, read or not, and no longer', async () => {
  const { shares, made, follower } = setUp();
  const held = { followers: [follower(), follower()] as LiveFollower[] };
  const share = new WeakRef(shares.of(URL_A));
  for (let left = 2; left > 0; left -= 1) {
    for (let rounds = 0; rounds < 2; rounds += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      collectGarbage();
    }
    expect(share.deref()).toBeDefined();
    expect(made()).toBe(1);
    held.followers.pop();
  }
  await collectUntil(() => share.deref() === undefined);
  expect(share.deref()).toBeUndefined();
  shares.of(URL_A);
  expect(made()).toBe(2);
});

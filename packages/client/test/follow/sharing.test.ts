import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { until, VirtualTime } from '@ldes-live/test-support/virtual-time';
import { expect, onTestFinished, test } from 'vitest';
import type { Follower } from '../../src/index.ts';
import { Network } from '../support/network.ts';
import { ScriptedOrigin } from '../support/scripted-origin.ts';
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

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Collects until a condition holds: what is referred to weakly is kept until the turn is over. */
async function collectUntil(condition: () => boolean): Promise<void> {
  for (let rounds = 0; rounds < 100 && !condition(); rounds += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
}

test('MAL-45 what was learned of a URL lives as long as a follower of it, read or not, and no longer', async () => {
  const { origin } = await setUpOrigin('a');
  const client = clientOf(origin);
  const held = { followers: [client.follow(origin.url), client.follow(origin.url)] };
  for await (const _ of held.followers[0] as Follower) break;
  const requests = () => client.follow(origin.url).status.requests;
  for (let left = 2; left > 0; left -= 1) {
    for (let rounds = 0; rounds < 2; rounds += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      collectGarbage();
    }
    expect(requests()).toBeGreaterThan(0);
    held.followers.pop();
  }
  await collectUntil(() => requests() === 0);
  expect(requests()).toBe(0);
});

import { until } from '@ldes-live/test-support/virtual-time';
import { expect, test } from 'vitest';
import type { FollowOptions } from '../../src/index.ts';
import { createLiveClient } from '../../src/index.ts';
import {
  caughtUp,
  clientOf,
  followOrigin,
  reading,
  readToHead,
  sequences,
  setUpOrigin,
  take,
} from '../support/setup-origin.ts';

const EVENTS = /^\/s\/events/;
const URL_S = 'http://live.example/s';

const refused = (code: string, message: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });
const follow = (options: object) => createLiveClient({ mal: 1 }).follow(URL_S, options as FollowOptions);

test.each<[string, string, object, RegExp]>([
  ['MAL-97', 'ERR_OPTION_INVALID', { entity: 'bus' }, /entity is "bus": give an absolute IRI/],
  ['MAL-97', 'ERR_OPTION_INVALID', { entity: ['urn:a:1', 7] }, /entity is "7"/],
  ['MAL-97', 'ERR_OPTION_INVALID', { entity: [] }, /entity is \[\]: give one value or more/],
  ['MAL-97', 'ERR_OPTION_INVALID', { type: 'geo:Feature' }, /type is "geo:Feature": give an absolute IRI/],
  ['MAL-97', 'ERR_OPTION_INVALID', { bbox: [3, 51, 4] }, /bbox is "3,51,4": give west,south,east,north in degrees/],
  ['MAL-97', 'ERR_OPTION_INVALID', { bbox: '3,52,4,51' }, /south not above north/],
  ['MAL-97', 'ERR_OPTION_INVALID', { bbox: [[3, 51, 4, 52], '1'] }, /bbox is "1"/],
  ['MAL-97', 'ERR_OPTION_INVALID', { bbox: [Number.NaN, 0, 1, 1] }, /bbox is "NaN,0,1,1"/],
  ['option:', 'ERR_OPTION_UNKNOWN', { bbx: '0,0,1,1' }, /Unknown option bbx. Did you mean bbox\?/],
  ['option:', 'ERR_OPTION_UNKNOWN', { Entity: 'urn:a:1' }, /Did you mean entity\?/],
  ['option:', 'ERR_OPTION_UNKNOWN', { window: 3 }, /Unknown option window. Give one of from, .*bbox/],
])('%s %s following with %o is refused, with what was meant', (_id, code, options, message) => {
  expect(() => follow(options)).toThrow(refused(code, message));
});

test('MAL-97 a saved state is that of its filter, whatever order and form it was given in', () => {
  const { state } = follow({ entity: ['urn:a:2', 'urn:a:1'], bbox: [0, 0, 1, 1] });
  expect(JSON.parse(JSON.stringify(state))).toEqual({ url: URL_S, filter: expect.any(String) });
  const same = { state, entity: ['urn:a:1', 'urn:a:2'], bbox: '0,0,1,1.0' };
  expect(() => follow(same)).not.toThrow();
  for (const other of [{}, { entity: 'urn:a:1' }]) {
    expect(() => follow({ state, ...other })).toThrow(refused('ERR_STATE_MISMATCH', /belongs to .* filtered by/));
  }
  expect(() => follow({ state: { url: URL_S }, entity: 'urn:a:1' })).toThrow(
    refused('ERR_STATE_MISMATCH', /not to .* filtered by/),
  );
});

test('MAL-97 by pull what does not fit is left out, and the position moves past it', async () => {
  const { origin } = await setUpOrigin('a', 'b', 'c', 'd', 'e');
  origin.offersPush = false;
  origin.commit('a', 'b');
  const follower = followOrigin(origin, {}, { from: 'start', entity: origin.entity('b') });
  const atHead = caughtUp(follower);
  const iterator = reading(follower);
  expect(sequences(await take(iterator, 2))).toEqual([2, 7]);
  void take(iterator, 1).catch(() => {});
  await atHead;
  origin.commit('a');
  await until(() => follower.state.cursor === 'e1-8');
  expect([...follower.latest().keys()]).toEqual([origin.entity('b')]);
});

/** A follower of entity `a` that waits on its push connection, whose server leaves out all but `a`. */
async function filtered() {
  const { origin } = await setUpOrigin('a', 'b');
  origin.onEvent = (frame, { members }) => (members.some(({ entity }) => entity === origin.entity('a')) ? [frame] : []);
  const client = clientOf(origin, { mal: 1 });
  const entity = origin.entity('a');
  const follower = client.follow(origin.url, { entity });
  const iterator = reading(follower);
  expect(sequences(await take(iterator, 1))).toEqual([1]);
  const next = take(iterator, 1);
  await until(() => origin.pushed.size === 1);
  return { origin, client, entity, follower, next };
}

test('MAL-99 push is asked for its part, on one connection for those who ask for the same', async () => {
  const { origin, client, entity, next } = await filtered();
  const other = reading(client.follow(origin.url, { entity: [entity] }));
  await take(other, 1);
  const both = [next, take(other, 1)];
  const whole = reading(client.follow(origin.url, { entity: origin.entity('b') }));
  await take(whole, 1);
  void take(whole, 1).catch(() => {});
  await until(() => origin.pushed.size === 2);
  origin.commit('a');
  for (const changes of await Promise.all(both)) expect(changes).toMatchObject([{ cursor: 'e1-3', via: 'push' }]);
  const queries = origin.requestsTo(EVENTS).map(({ path }) => new URL(path, URL_S).searchParams.getAll('entity'));
  expect(queries).toEqual([[entity], [origin.entity('b')]]);
});

test.each([
  [1, 1],
  [2, 0],
])('MAL-99 with a limit of 1 value a push of %i asks for %i: past it all is pushed', async (values, sent) => {
  const { origin } = await setUpOrigin('a');
  const entity = ['a', 'b'].slice(0, values).map((name) => origin.entity(name));
  const iterator = reading(followOrigin(origin, { mal: 1, limits: { filterValues: 1 } }, { entity }));
  await take(iterator, 1);
  const next = take(iterator, 1);
  await until(() => origin.pushed.size === 1);
  expect(new URL(origin.requestsTo(EVENTS)[0]?.path as string, URL_S).searchParams.size).toBe(sent);
  origin.commit('c');
  origin.commit('a');
  expect(await next).toMatchObject([{ cursor: 'e1-3', via: 'push' }]);
});

test('MAL-99 the connection of the whole stream is joined where it is open', async () => {
  const { origin } = await setUpOrigin('a', 'b');
  const client = clientOf(origin, { mal: 1 });
  const whole = reading(client.follow(origin.url));
  await take(whole, 2);
  const all = take(whole, 2);
  await until(() => origin.pushed.size === 1);
  const part = reading(client.follow(origin.url, { entity: origin.entity('b') }));
  await take(part, 1);
  const one = take(part, 1);
  origin.commit('a');
  origin.commit('b');
  expect(sequences(await all)).toEqual([3, 4]);
  expect(await one).toMatchObject([{ cursor: 'e1-4', via: 'push' }]);
  expect(origin.requestsTo(EVENTS)).toHaveLength(1);
});

test('MAL-100 numbers that are skipped are not asked for, and an id alone moves the position', async () => {
  const { origin, follower, next } = await filtered();
  const asked = origin.requestsTo(/pages/).length;
  for (const names of [['b'], ['c', 'd'], ['b']]) origin.commit(...names);
  for (const response of origin.pushed) response.write('id: e1-6\n\n');
  await until(() => follower.state.cursor === 'e1-6');
  origin.commit('b');
  origin.commit('a');
  expect(await next).toMatchObject([{ cursor: 'e1-8', via: 'push' }]);
  expect(origin.requestsTo(/pages/)).toHaveLength(asked);
});

test('MAL-98 of the whole state nothing is given that is outside, from a cursor the end of what may be known', async () => {
  const { origin } = await setUpOrigin('a', 'b');
  origin.offersPush = false;
  origin.commit('-b');
  const type = 'http://example.org/Bus';
  const state = followOrigin(origin, {}, { type });
  await readToHead(state);
  expect(state.latest().size).toBe(0);
  const later = reading(followOrigin(origin, {}, { from: 'e1-1', type }));
  expect(await take(later, 1)).toMatchObject([{ kind: 'delete', cursor: 'e1-3', inFilter: true }]);
});

test('MAL-98 whoever begins now may have anything', async () => {
  const { origin } = await setUpOrigin('a', 'b');
  origin.offersPush = false;
  const follower = followOrigin(origin, {}, { from: 'now', entity: origin.entity('a') });
  const atHead = caughtUp(follower);
  const next = take(reading(follower), 1);
  await atHead;
  origin.commit('-a');
  expect(await next).toMatchObject([{ kind: 'delete', inFilter: true }]);
});

test('MAL-98 after a gap the reader has nothing', async () => {
  const { origin } = await setUpOrigin('a', 'b');
  origin.offersPush = false;
  const iterator = reading(followOrigin(origin, {}, { entity: origin.entity('a') }));
  await take(iterator, 1);
  origin.rebuild('e2');
  origin.commit('b');
  expect(await take(iterator, 1)).toMatchObject([{ kind: 'gap' }]);
  const next = take(iterator, 1);
  origin.commit('-a');
  origin.commit('a');
  expect(await next).toMatchObject([{ kind: 'upsert', cursor: 'e2-3' }]);
});

import { expect, test } from 'vitest';
import { answering, meeting } from '../support/scripted-origin.ts';
import { following, followOrigin, pushing, reading, sequences, setUpOrigin, take } from '../support/setup-origin.ts';

test('MAL-13 from latest: the living entities in sequence order, not counted as late', async () => {
  const { origin, time } = await setUpOrigin('a', 'b', 'c');
  origin.commit('-b', 'a');
  time.nowMs += 3_600_000;
  const follower = followOrigin(origin, {});
  const state = { via: 'pull', kind: 'upsert' };
  expect(await take(reading(follower), 2)).toMatchObject([
    { ...state, cursor: 'e1-3', lagMs: 3_600_000, member: { sequence: 3 } },
    { ...state, cursor: 'e1-5', member: { sequence: 5 } },
  ]);
  expect(follower.status.malMisses).toBe(0);
  // Whoever stops within the state misses nothing when going on from its cursor.
  expect(sequences(await take(reading(followOrigin(origin, {}, { from: 'e1-3' })), 2))).toEqual([4, 5]);
});

test.each(['start', 'latest', 'now'])('from %s on an empty stream', async (from) => {
  const { origin, time } = await setUpOrigin();
  time.at(time.nowMs + 60_000, () => origin.commit('a'));
  expect(sequences(await take(reading(followOrigin(origin, {}, { from })), 1))).toEqual([1]);
});

test('from now: only what comes', async () => {
  const { origin, time } = await setUpOrigin('a', 'b');
  const follower = followOrigin(origin, {}, { from: 'now' });
  time.at(time.nowMs + 1_000, () => origin.commit('c'));
  expect(sequences(await take(reading(follower), 1))).toEqual([3]);
  expect(follower.latest().size).toBe(1);
});

test('MAL-13 from a saved state: what follows, history not counted as late', async () => {
  const { origin, time } = await setUpOrigin('a');
  const before = followOrigin(origin, {});
  await take(reading(before), 1);
  const state = JSON.parse(JSON.stringify(before.state));
  expect(state).toEqual({ url: origin.url, cursor: 'e1-1' });
  origin.commit('b', 'c');
  time.nowMs += 3_600_000;
  const after = followOrigin(origin, {}, { from: 'start', state });
  expect(sequences(await take(reading(after), 2))).toEqual([2, 3]);
  expect(after.status.malMisses).toBe(0);
});

test('MAL-11 a rebuilt log is a gap, found by pull; the state follows anew', async () => {
  const { origin, time, follower, iterator } = await following({}, { commit: ['a', 'b'] });
  origin.rebuild('e2');
  origin.commit('c', 'd', 'c-2');
  const changes = await take(iterator, 4);
  expect(changes[0]).toEqual({ kind: 'gap', cursor: 'e2-0', from: 'e1-2', via: 'pull' });
  expect(sequences(changes.slice(1))).toEqual([1, 2, 3]);
  expect([...follower.latest().keys()]).toEqual(['c', 'd', 'c-2'].map((name) => origin.entity(name)));
  expect(follower.status.gaps).toBe(1);
  time.at(time.nowMs + 1_000, () => origin.commit('e'));
  expect((await take(iterator, 1))[0]?.cursor).toBe('e2-4');
});

test.each([
  ['found by a new connection', true],
  ['told of by an event', false],
])('MAL-11 a rebuilt log is a gap, %s', async (_how, isCut) => {
  const { origin, next: taken } = await pushing(2, { mal: 1 }, { commit: ['a', 'b'] });
  origin.rebuild('e2');
  if (isCut) for (const connection of origin.pushed) connection.end();
  origin.commit('c');
  expect(await taken).toMatchObject([
    { kind: 'gap', cursor: 'e2-0', from: 'e1-2', via: 'push' },
    { kind: 'upsert', cursor: 'e2-1' },
  ]);
});

test('MAL-11 a log that went back is a gap', async () => {
  const { origin } = await setUpOrigin();
  for (const name of ['a', 'b', 'c']) origin.commit(name);
  const iterator = reading(followOrigin(origin, {}));
  await take(iterator, 3);
  origin.goBack(1);
  expect(await take(iterator, 2)).toMatchObject([{ kind: 'gap', cursor: 'e1-0', from: 'e1-3' }, { cursor: 'e1-1' }]);
});

test('a cursor of another life is a gap at once', async () => {
  const { origin } = await setUpOrigin('a');
  expect(await take(reading(followOrigin(origin, {}, { from: 'old-7' })), 2)).toMatchObject([
    { kind: 'gap', from: 'old-7', cursor: 'e1-0' },
    { kind: 'upsert', cursor: 'e1-1' },
  ]);
});

test('a latest state that is gone sends the follower to the root again', async () => {
  const { origin } = await setUpOrigin('a');
  origin.fault = answering(404, { to: /latest$/, times: 1 });
  expect(sequences(await take(reading(followOrigin(origin, {})), 1))).toEqual([1]);
  expect(origin.requestsTo(/^\/s$/)).toHaveLength(2);
});

test.each<[Record<string, string>, string, string]>([
  [{ 'content-type': 'text/html' }, '<!doctype html>', 'ERR_MEDIA_TYPE_UNSUPPORTED'],
  [{}, '', 'ERR_MEDIA_TYPE_UNSUPPORTED'],
  [{ 'content-type': 'application/n-quads' }, '', 'ERR_TREE_VIEW_MISSING'],
  [{ 'content-type': 'text/turtle' }, 'nonsense', 'ERR_RDF_MALFORMED'],
])('a root of %o, "%s", is refused', async (headers, body, code) => {
  const { origin } = await setUpOrigin();
  origin.fault = meeting({}, (response) => response.writeHead(200, headers).end(body));
  await expect(take(reading(followOrigin(origin, {})), 1)).rejects.toMatchObject({ code });
});

import { expect, test } from 'vitest';
import { following, followOrigin, pushing, reading, sequences, setUpOrigin, take } from '../support/setup-origin.ts';

test('MAL-13 from latest: the living entities in sequence order, not counted as late', async () => {
  const { origin, time } = await setUpOrigin('a', 'b', 'c');
  origin.commit('-b', 'a');
  time.nowMs += 3_600_000;
  const follower = followOrigin(origin, {});
  const changes = await take(reading(follower), 2);
  expect(sequences(changes)).toEqual([3, 5]);
  expect(changes.every(({ via, kind }) => via === 'pull' && kind === 'upsert')).toBe(true);
  expect(changes[0]?.lagMs).toBe(3_600_000);
  expect(follower.status.malMisses).toBe(0);
});

test('MAL-13 a reader that stops within the state misses nothing when it goes on from its cursor', async () => {
  const { origin } = await setUpOrigin('a', 'b', 'c');
  origin.commit('a', '-c');
  const [first] = await take(reading(followOrigin(origin, {})), 1);
  expect(first?.cursor).toBe('e1-2');
  const rest = await take(reading(followOrigin(origin, {}, { from: first?.cursor ?? '' })), 3);
  expect(sequences(rest)).toEqual([3, 4, 5]);
});

test('from start on an empty stream, and from its empty latest state', async () => {
  for (const from of ['start', 'latest', 'now'] as const) {
    const { origin, time } = await setUpOrigin();
    time.at(time.nowMs + 60_000, () => origin.commit('a'));
    expect(sequences(await take(reading(followOrigin(origin, {}, { from })), 1))).toEqual([1]);
  }
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

test('MAL-11 a rebuilt log is a gap, found by push', async () => {
  const { origin, next: taken } = await pushing(2, { mal: 1 }, { commit: ['a', 'b'] });
  origin.rebuild('e2');
  for (const connection of origin.pushed) connection.end();
  origin.commit('c');
  expect(await taken).toMatchObject([
    { kind: 'gap', cursor: 'e2-0', from: 'e1-2', via: 'push' },
    { kind: 'upsert', cursor: 'e2-1' },
  ]);
});

test('MAL-11 an event of another life of the log is a gap', async () => {
  const { origin, next: taken } = await pushing(2);
  origin.rebuild('e2');
  origin.commit('b');
  expect(await taken).toMatchObject([{ kind: 'gap', cursor: 'e2-0', from: 'e1-1' }, { cursor: 'e2-1' }]);
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
  origin.fault = (request, response) => {
    if (!request.url?.endsWith('latest') || origin.requestsTo(/latest/).length > 1) return false;
    response.writeHead(404).end();
    return true;
  };
  expect(sequences(await take(reading(followOrigin(origin, {})), 1))).toEqual([1]);
  expect(origin.requestsTo(/^\/s$/)).toHaveLength(2);
});

test('a root of another media type, or that is the view of no stream, is refused', async () => {
  const { origin } = await setUpOrigin();
  const answers: [Record<string, string>, string, string][] = [
    [{ 'content-type': 'text/html' }, '<!doctype html>', 'ERR_MEDIA_TYPE_UNSUPPORTED'],
    [{}, '', 'ERR_MEDIA_TYPE_UNSUPPORTED'],
    [{ 'content-type': 'application/n-quads' }, '', 'ERR_TREE_VIEW_MISSING'],
    [{ 'content-type': 'text/turtle' }, 'nonsense', 'ERR_RDF_MALFORMED'],
  ];
  for (const [headers, body, code] of answers) {
    origin.fault = (_request, response) => {
      response.writeHead(200, headers).end(body);
      return true;
    };
    const error = await take(reading(followOrigin(origin, {})), 1).catch((thrown) => thrown);
    expect(error.code).toBe(code);
  }
});

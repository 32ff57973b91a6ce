import { expect, test } from 'vitest';
import { SAME_BYTES_CONFIRM_MS } from '../src/polling/judge.ts';
import { cut, ok, status } from './feed-server.ts';
import { jsonFeed, numbered, ORIGIN, pollJson } from './poll-json.ts';
import { accepted, rejected } from './polling.ts';

test('a poll hands on what changed, in one batch, and reports it', async () => {
  const { polling, serve } = await pollJson();
  expect(await serve({ entities: { a: '1', b: '1', c: '1' } })).toEqual({
    kind: 'accepted',
    origin: ORIGIN,
    startedAtMs: polling.time.nowMs,
    durationMs: 0,
    visibleMs: 0,
    bytes: 38,
    entities: 3,
    upserts: 3,
    deletes: 0,
    findings: { read: 1 },
    problems: [],
  });
  expect(await serve({ entities: { a: '1', b: '2' } })).toMatchObject({ entities: 2, ...accepted(1, 1) });
  expect(polling.latest.batches.map((batch) => batch.map(({ kind, entity }) => [kind, entity]))).toEqual([
    [
      ['upsert', 'a'],
      ['upsert', 'b'],
      ['upsert', 'c'],
    ],
    [
      ['upsert', 'b'],
      ['delete', 'c'],
    ],
  ]);
  expect(polling.source.health()).toMatchObject({ state: 'ok', findings: { read: 2 }, errors: {} });
});

test('SRC-30 what makes many statements is handed on in several batches', async () => {
  const quads = () => Array(100_000).fill(undefined);
  const one = (entity: string) => ({ entity, fingerprint: '1', quads });
  const said = { deleted: [], unreadable: [], unnamedRecords: 0, differential: false, findings: {}, problems: [] };
  const read = () => ({ ...said, entities: ['a', 'b', 'c', 'd', 'e'].map(one) });
  const { polling, serve } = await pollJson({ read });
  expect(await serve({ entities: {} })).toMatchObject({ entities: 5, ...accepted(5, 0) });
  const batches = polling.latest.batches.map((batch) => batch.map(({ entity }) => entity).join(''));
  expect(batches).toEqual(['ab', 'cd', 'e']);
});

test('a poll without a change hands on nothing, and an empty feed is a feed', async () => {
  const { polling, serve } = await pollJson();
  const event = await serve({ entities: {} });
  expect(event).toMatchObject({ kind: 'accepted', entities: 0 });
  expect(event).toMatchObject({ visibleMs: undefined });
  expect(polling.latest.batches).toEqual([]);
});

test('the same bytes again are unchanged and are not read again', async () => {
  const { polling, reader, serve } = await pollJson();
  await serve({ entities: { a: '1' } });
  expect(await polling.poll()).toMatchObject({ kind: 'unchanged', by: 'bytes' });
  expect(reader.count).toBe(1);
  expect(polling.latest.batches).toHaveLength(1);
});

test('a body that was taken makes the next request conditional', async () => {
  const { server, polling, conditions, serve } = await pollJson();
  await serve({ entities: { a: '1' } }, { etag: '"1"' });
  server.answer = status(304);
  expect(await polling.poll()).toMatchObject({ kind: 'unchanged', by: 'status' });
  expect(await polling.poll()).toMatchObject({ kind: 'unchanged', by: 'status' });
  expect(await serve({ entities: { a: '1' } }, { etag: '"2"' })).toMatchObject({ kind: 'unchanged', by: 'bytes' });
  await polling.poll();
  expect(conditions()).toEqual([undefined, '"1"', '"1"', '"1"', '"2"']);
  expect(polling.source.health()).toMatchObject({ state: 'ok', errors: {} });
});

test.each([
  ['malformed', ok('<html>', { etag: '"bad"' })],
  ['malformed with the validator of the good one', ok('<html>', { etag: '"1"' })],
  ['cut', cut(Buffer.from('{}'), 1, { 'content-length': 2, etag: '"bad"' })],
  ['implausibly small', ok(jsonFeed({ entities: {} }), { etag: '"bad"' })],
  ['a refusal', status(500, { etag: '"bad"' })],
])('after a poll that is %s the next request is not conditional', async (_, bad) => {
  const { server, polling, conditions } = await pollJson();
  const good = ok(jsonFeed({ entities: { a: '1' } }), { etag: '"1"' });
  server.answer = good;
  await polling.poll();
  server.answer = bad;
  await polling.poll();
  server.answer = (response, request) => (request.headers['if-none-match'] ? status(304) : good)(response, request);
  expect(await polling.poll()).toMatchObject({ kind: 'unchanged', by: 'bytes' });
  expect(await polling.poll()).toMatchObject({ kind: 'unchanged', by: 'status' });
  expect(conditions()).toEqual([undefined, '"1"', undefined, '"1"']);
});

/** Feeds that are served one after the other: entities and their content, the time, and what the poll of it reports. */
test.each<[id: string, what: string, steps: string, living: number]>([
  // Neither its upserts nor its time.
  ['GTFS-39', 'was held back counts for nothing', '10 10 +10-0, 1x3 90 SHRUNK, 10x3 20 +10-0, 2 95 SHRUNK', 10],
  ['GTFS-39', 'is as it was ends the suspicion', '10 10 +10-0, 4 20 SHRUNK, 10 10 unchanged, 3 30 SHRUNK', 10],
  [
    'GTFS-40',
    'is as it was ends the row',
    '1 90 +1-0, 1x2 1 BACK, 1x3 2 BACK, 1 90 unchanged, 1x4 3 BACK, 1x5 4 BACK',
    1,
  ],
])('%s a feed that %s: %s', async (_, _what, steps, living) => {
  const { polling, serve } = await pollJson();
  const codes: Record<string, string> = { SHRUNK: 'ERR_FEED_SHRUNK', BACK: 'ERR_FEED_TIME_WENT_BACK' };
  for (const step of steps.split(', ')) {
    const [entities = '', time, report = ''] = step.split(' ');
    const [count, content] = entities.split('x');
    const [, upserts, deletes] = /^\+(\d+)-(\d+)$/.exec(report) ?? [];
    const code = codes[report];
    const event = upserts ? accepted(Number(upserts), Number(deletes)) : code ? rejected(code) : { kind: report };
    expect(await serve({ entities: numbered(Number(count), content), timeMs: Number(time) }), step).toMatchObject(
      event,
    );
    expect(polling.source.health().state).toBe(code ? 'failing' : 'ok');
  }
  expect(polling.latest.size).toBe(living);
});

test('GTFS-40 what is held back is told with how much is gone, and with its times, also where no date can be one', async () => {
  const { polling, serve } = await pollJson();
  const details = async (count: number, timeMs: number) => {
    const event = await serve({ entities: numbered(count), timeMs });
    return event.kind === 'rejected' && event.error.details;
  };
  await details(10, Date.UTC(2024, 1, 8));
  expect(await details(4, Date.UTC(2024, 1, 9))).toMatchObject({ gone: 6, living: 10, limitGoneShare: 0.5 });
  const times = { headerTime: '2024-01-01T00:00:00.000Z', newest: '2024-02-08T00:00:00.000Z' };
  expect(await details(10, Date.UTC(2024, 0, 1))).toMatchObject(times);
  expect(polling.source.health().errors).toEqual({ ERR_FEED_SHRUNK: 1, ERR_FEED_TIME_WENT_BACK: 1 });
  await serve({ entities: numbered(10, '2'), timeMs: 1e18 });
  expect(await details(10, 1e17)).toMatchObject({ headerTime: '100000000000000000 ms' });
});

test('GTFS-39 equal bytes are believed once they have stood for ten minutes of the clock', async () => {
  const { polling, serve } = await pollJson();
  await serve({ entities: numbered(1) });
  expect(await serve({ entities: {} })).toMatchObject({ kind: 'rejected' });
  polling.time.nowMs += SAME_BYTES_CONFIRM_MS;
  expect(await polling.poll()).toMatchObject(accepted(0, 1));
});

test('GTFS-43 what another feed described as well, and then ended, comes back with the next poll, changed or not', async () => {
  const { polling, serve } = await pollJson();
  await serve({ entities: numbered(3), timeMs: 1000 }, { etag: '"same"' });
  const [moved = ''] = polling.latest.entities();
  polling.latest.append([{ kind: 'delete', entity: moved, origin: 'http://feed.example/b' }]);
  expect(await polling.poll()).toMatchObject(accepted(1, 0));
  expect(polling.latest.get(moved)).toMatchObject({ origin: 'http://feed.example/a' });
  expect(await polling.poll()).toMatchObject({ kind: 'unchanged' });
});

test('a body that is not kept is known again by its hash, and is read again once an entity of it has ended', async () => {
  const { server, polling, reader, conditions, serve } = await pollJson({ keepsBody: false });
  await serve({ entities: numbered(3) }, { etag: '"1"' });
  expect(await serve({ entities: numbered(3) }, { etag: '"2"' })).toMatchObject({ kind: 'unchanged', by: 'bytes' });
  const good = server.answer;
  server.answer = (response, request) => (request.headers['if-none-match'] ? status(304) : good)(response, request);
  expect(await polling.poll()).toMatchObject({ kind: 'unchanged', by: 'status' });
  expect(reader.count).toBe(1);
  polling.latest.append([{ kind: 'delete', entity: 'e1', origin: 'http://feed.example/b' }]);
  expect(await polling.poll()).toMatchObject({ kind: 'unchanged', by: 'status' });
  expect(await polling.poll()).toMatchObject(accepted(1, 0));
  expect(conditions()).toEqual([undefined, '"1"', '"2"', '"2"', undefined]);
  expect(polling.latest.size).toBe(3);
});

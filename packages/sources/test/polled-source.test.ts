import { expect, test } from 'vitest';
import { cut, ok, status } from './feed-server.ts';
import { jsonFeed } from './json-feed.ts';
import { ORIGIN, pollJson } from './poll-json.ts';

test('a poll hands on what changed, in one batch, and reports it', async () => {
  const { server, polling } = await pollJson();
  server.answer = ok(jsonFeed({ entities: { a: '1', b: '1', c: '1' } }));
  expect(await polling.poll()).toEqual({
    kind: 'taken',
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
  server.answer = ok(jsonFeed({ entities: { a: '1', b: '2' } }));
  expect(await polling.poll()).toMatchObject({ kind: 'taken', entities: 2, upserts: 1, deletes: 1 });
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

test('a poll without a change hands on nothing, and an empty feed is a feed', async () => {
  const { server, polling } = await pollJson();
  server.answer = ok(jsonFeed({ entities: {} }));
  const event = await polling.poll();
  expect(event).toMatchObject({ kind: 'taken', entities: 0 });
  expect(event).not.toHaveProperty('visibleMs');
  expect(polling.latest.batches).toEqual([]);
});

test('GTFS-36 the same bytes again are unchanged and are not read again', async () => {
  const { server, polling, reader } = await pollJson();
  server.answer = ok(jsonFeed({ entities: { a: '1' } }));
  await polling.poll();
  expect(await polling.poll()).toMatchObject({ kind: 'unchanged', by: 'bytes' });
  expect(reader.count).toBe(1);
  expect(polling.latest.batches).toHaveLength(1);
});

test('GTFS-31 a body that was taken makes the next request conditional', async () => {
  const { server, polling, conditions } = await pollJson();
  server.answer = ok(jsonFeed({ entities: { a: '1' } }), { etag: '"1"' });
  await polling.poll();
  server.answer = status(304);
  expect(await polling.poll()).toMatchObject({ kind: 'unchanged', by: 'status' });
  expect(await polling.poll()).toMatchObject({ kind: 'unchanged', by: 'status' });
  server.answer = ok(jsonFeed({ entities: { a: '1' } }), { etag: '"2"' });
  expect(await polling.poll()).toMatchObject({ kind: 'unchanged', by: 'bytes' });
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
])('GTFS-31 after a poll that is %s the next request is not conditional', async (_, bad) => {
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

import { expect, test } from 'vitest';
import { SAME_BYTES_CONFIRM_MS } from '../src/shrink-guard.ts';
import { cut, ok, status } from './feed-server.ts';
import { jsonFeed, numbered, ORIGIN, pollJson } from './poll-json.ts';
import { heldBack, taken } from './polling.ts';

test('a poll hands on what changed, in one batch, and reports it', async () => {
  const { polling, serve } = await pollJson();
  expect(await serve({ entities: { a: '1', b: '1', c: '1' } })).toEqual({
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
  expect(await serve({ entities: { a: '1', b: '2' } })).toMatchObject({ entities: 2, ...taken(1, 1) });
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
  const { polling, serve } = await pollJson();
  const event = await serve({ entities: {} });
  expect(event).toMatchObject({ kind: 'taken', entities: 0 });
  expect(event).not.toHaveProperty('visibleMs');
  expect(polling.latest.batches).toEqual([]);
});

test('GTFS-36 the same bytes again are unchanged and are not read again', async () => {
  const { polling, reader, serve } = await pollJson();
  await serve({ entities: { a: '1' } });
  expect(await polling.poll()).toMatchObject({ kind: 'unchanged', by: 'bytes' });
  expect(reader.count).toBe(1);
  expect(polling.latest.batches).toHaveLength(1);
});

test('GTFS-31 a body that was taken makes the next request conditional', async () => {
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

test('GTFS-39 a feed that lost most of its entities is held back until other bytes confirm it', async () => {
  const { polling, serve } = await pollJson();
  const serveIt = (count: number, timeMs: number) => serve({ entities: numbered(count), timeMs });
  await serveIt(10, 1000);
  expect(await serveIt(4, 2000)).toMatchObject(
    heldBack('ERR_FEED_SHRUNK', { gone: 6, living: 10, limitGoneShare: 0.5 }),
  );
  expect(polling.source.health()).toMatchObject({ state: 'failing', errors: { ERR_FEED_SHRUNK: 1 } });
  expect(await serveIt(4, 2000)).toMatchObject({ kind: 'heldBack' });
  expect(polling.latest.size).toBe(10);
  expect(await serveIt(3, 3000)).toMatchObject({ kind: 'taken', deletes: 7 });
  expect(polling.latest.size).toBe(3);
});

test('GTFS-39 a feed that lost its one entity and then stands still is believed after ten minutes', async () => {
  const { polling, conditions, serve } = await pollJson();
  const { time } = polling;
  const headers = { etag: '"still"' };
  await serve({ entities: numbered(1), timeMs: 1000 }, headers);
  expect(await serve({ entities: {}, timeMs: 2000 }, headers)).toMatchObject({ kind: 'heldBack' });
  const sinceMs = time.nowMs;
  time.nowMs = sinceMs + SAME_BYTES_CONFIRM_MS - 1;
  expect(await polling.poll()).toMatchObject({ kind: 'heldBack', startedAtMs: sinceMs + SAME_BYTES_CONFIRM_MS - 1 });
  expect(polling.latest.size).toBe(1);
  time.nowMs = sinceMs + SAME_BYTES_CONFIRM_MS;
  expect(await polling.poll()).toMatchObject({
    kind: 'taken',
    deletes: 1,
    startedAtMs: sinceMs + SAME_BYTES_CONFIRM_MS,
  });
  expect(polling.latest.size).toBe(0);
  expect(conditions()).toEqual([undefined, '"still"', undefined, undefined]);
});

test('GTFS-43 what another feed described as well, and then ended, comes back with the next poll, changed or not', async () => {
  const { polling, serve } = await pollJson();
  await serve({ entities: numbered(3), timeMs: 1000 }, { etag: '"same"' });
  const [moved = ''] = polling.latest.entities();
  polling.latest.append([{ kind: 'delete', entity: moved, origin: 'http://feed.example/b' }]);
  expect(await polling.poll()).toMatchObject(taken(1, 0));
  expect(polling.latest.get(moved)).toMatchObject({ origin: 'http://feed.example/a' });
  expect(await polling.poll()).toMatchObject({ kind: 'unchanged' });
});

test('GTFS-39 a poll that was held back counts for nothing: neither its upserts nor its time', async () => {
  const { polling, serve } = await pollJson();
  const serveIt = (entities: Record<string, string>, timeMs: number) => serve({ entities, timeMs });
  await serveIt(numbered(10), 1000);
  expect(await serveIt({ new: '1' }, 9000)).toMatchObject({ kind: 'heldBack' });
  expect(polling.latest.get('new')).toBeUndefined();
  expect(await serveIt(numbered(10, '2'), 2000)).toMatchObject(taken(10, 0));
  expect(await serveIt(numbered(2), 9500)).toMatchObject({ kind: 'heldBack' });
});

test('GTFS-39 the feed as it was ends the suspicion', async () => {
  const { polling, serve } = await pollJson();
  const serveIt = (count: number, timeMs: number) => serve({ entities: numbered(count), timeMs });
  await serveIt(10, 1000);
  expect(await serveIt(4, 2000)).toMatchObject({ kind: 'heldBack' });
  expect(await serveIt(10, 1000)).toMatchObject({ kind: 'unchanged' });
  expect(await serveIt(3, 3000)).toMatchObject({ kind: 'heldBack' });
  expect(polling.latest.size).toBe(10);
});

test('GTFS-40 a feed whose time goes back is held back until three polls go on from there', async () => {
  const { polling, serve } = await pollJson();
  const serveIt = (content: string, timeMs: number) => serve({ entities: { a: content }, timeMs });
  await serveIt('1', Date.UTC(2024, 1, 8));
  expect(await serveIt('2', Date.UTC(2024, 0, 1))).toMatchObject(
    heldBack('ERR_FEED_TIME_WENT_BACK', { headerTime: '2024-01-01T00:00:00.000Z', newest: '2024-02-08T00:00:00.000Z' }),
  );
  expect(await serveIt('3', Date.UTC(2024, 0, 2))).toMatchObject({ kind: 'heldBack' });
  expect(polling.latest.get('a')?.fingerprint).toBe('1');
  expect(await serveIt('4', Date.UTC(2024, 0, 3))).toMatchObject({ kind: 'taken' });
  expect(polling.latest.get('a')?.fingerprint).toBe('4');
});

test('GTFS-40 the feed as it was ends the row of earlier times', async () => {
  const { serve } = await pollJson();
  const serveIt = (content: string, timeMs: number) => serve({ entities: { a: content }, timeMs });
  const taken = () => serveIt('1', 1e15);
  await taken();
  await serveIt('2', 1);
  await serveIt('3', 2);
  expect(await taken()).toMatchObject({ kind: 'unchanged' });
  expect(await serveIt('4', 3)).toMatchObject({ kind: 'heldBack' });
  expect(await serveIt('5', 4)).toMatchObject({ kind: 'heldBack' });
});

test('a time that no date can be is named as it is', async () => {
  const { serve } = await pollJson();
  await serve({ entities: { a: '1' }, timeMs: 1e18 });
  expect(await serve({ entities: { a: '2' }, timeMs: 1e17 })).toMatchObject({
    error: { details: { headerTime: '100000000000000000 ms' } },
  });
});

import { httpServer } from '@ldes-live/test-support/net';
import { expect, test } from 'vitest';
import { createLiveClient, DEFAULT_LIMITS } from '../src/index.ts';

const code = (expected: string) => expect.objectContaining({ code: expected });

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '10'])('a MAL of %s is an error', (mal) => {
  expect(() => createLiveClient({ mal: mal as number })).toThrow(code('ERR_MAL_INVALID'));
});

test('a client without a MAL is an error that shows how to give one', () => {
  const create = createLiveClient as (options?: unknown) => unknown;
  for (const options of [undefined, null, {}, 10]) expect(() => create(options)).toThrow(/undefined.*\{ mal: 10 \}/);
  expect(() => create({ mal: '10' })).toThrow(/is "10"/);
});

test('limits are numbers above 0; those left out have their defaults', () => {
  expect(() => createLiveClient({ mal: 1, limits: { eventBytes: 0 } })).toThrow(code('ERR_LIMIT_INVALID'));
  expect(() => createLiveClient({ mal: 1, limits: { requestMs: 1 } })).not.toThrow();
  expect(DEFAULT_LIMITS.silenceMs).toBeGreaterThan(30_000);
});

test.each([
  [{ requestMS: 1000 }, /limits\.requestMS is 1000: there is no such limit.* requestMs,/],
  [{ requestMs: '1000' }, /is "1000".*from 1 to 2147483647/],
  [{ requestMs: 2 ** 31 }, /from 1 to 2147483647/],
  [{ pageRequests: 0.5 }, /of 1 or more/],
  [{ requestBurst: 0 }, /of 1 or more/],
  [{ bufferEntities: Number.NaN }, /of 1 or more/],
  [{ rememberedMembers: 1 }, /of 2 or more/],
])('ERR_LIMIT_INVALID limits of %o are refused, with what is possible', (limits, message) => {
  const create = () => createLiveClient({ mal: 1, limits: limits as object });
  expect(create).toThrow(code('ERR_LIMIT_INVALID'));
  expect(create).toThrow(message);
});

test('the least and the greatest limits are taken', () => {
  for (const limits of [
    { requestMs: 2 ** 31 - 1 },
    { requestBurst: 1 },
    { rememberedMembers: 2 },
    { documentBytes: Number.POSITIVE_INFINITY },
  ])
    expect(() => createLiveClient({ mal: 1, limits })).not.toThrow();
});

test.each(['vehicles', 'ftp://example.org/s', 'http://user:secret@example.org/s', '', new URL('http://example.org/s')])(
  '"%s" is no stream URL',
  (url) => {
    expect(() => createLiveClient({ mal: 1 }).follow(url as string)).toThrow(code('ERR_STREAM_URL_INVALID'));
  },
);

test('a start that is neither a word nor a cursor is an error, and so is the state of another stream', () => {
  const client = createLiveClient({ mal: 1 });
  expect(() => client.follow('http://example.org/s', { from: 'yesterday' })).toThrow(code('ERR_OPTION_INVALID'));
  const state = { url: 'http://example.org/other', cursor: 'e1-1' };
  expect(() => client.follow('http://example.org/s', { state })).toThrow(code('ERR_STATE_MISMATCH'));
});

test('uses the fetch of the environment where none is given', async () => {
  const asked: unknown[] = [];
  const server = await httpServer(({ url }, response) => {
    asked.push(url);
    response.writeHead(404).end();
  });
  try {
    const follower = createLiveClient({ mal: 1 }).follow(`${server.url}s`);
    await expect(follower[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'ERR_RESPONSE_STATUS',
      message: expect.stringMatching(`^${server.url}s answered 404: .*Check the URL.* ${server.url}\\.$`),
    });
  } finally {
    await server.close();
  }
  expect(asked).toEqual(['/s']);
});

const STREAM = 'http://live.example/s';
const follow = (request: object) => () => createLiveClient({ mal: 1 }).follow(STREAM, request);

test.each([
  { after: 'tomorrow' },
  { before: '2026-03-01' },
  // Without a zone it depends on where the program runs.
  { after: '2026-03-01T12:00:00' },
  { after: '2026-03-01T12:00:00Z', before: '2026-03-01T12:00:00Z' },
  { after: '2026-03-01T12:00:00Z', before: '2026-03-01T12:30:00+01:00' },
  { before: '2026-13-01T12:00:00Z' },
])('ERR_RANGE_INVALID nothing can be read of %o', (request) => {
  expect(follow(request)).toThrow(expect.objectContaining({ code: 'ERR_RANGE_INVALID' }));
});

test('a range of instants with their zones is taken, of one end or both', () => {
  for (const request of [
    { after: '2026-03-01T12:00:00Z' },
    { before: '2026-03-01T12:00:00.5+01:00' },
    { after: '2026-03-01T12:00:00Z', before: '2026-03-01T13:30:00+01:00' },
  ]) {
    expect(follow(request)).not.toThrow();
  }
});

test('ERR_RANGE_INVALID says which instant is none, and which two nothing lies between', () => {
  expect(follow({ before: 'tomorrow' })).toThrow(/before is "tomorrow".*2026-03-01T12:00:00Z/);
  const [after, before] = ['2026-03-02T00:00:00Z', '2026-03-01T00:00:00Z'];
  expect(follow({ after, before })).toThrow(/2026-03-02.*2026-03-01.*the earlier one as after/);
});

test.each([
  [{ from: 'yesterday' }, /from is "yesterday": give latest, start, now, or a cursor/],
  [{ from: 12 }, /from is 12/],
  [{ versions: 'latest' }, /versions is "latest": give "all" or "newest"/],
  [{ order: 'descending' }, /order is "descending": give "ascending" or "none"/],
])('ERR_OPTION_INVALID %o is refused, with the value and what there is', (request, message) => {
  expect(follow(request)).toThrow(expect.objectContaining({ code: 'ERR_OPTION_INVALID' }));
  expect(follow(request)).toThrow(message);
});

test('every word, a cursor and nothing at all are taken', () => {
  for (const from of ['latest', 'start', 'now', 'k3x9a-42', undefined]) expect(follow({ from })).not.toThrow();
  for (const versions of ['all', 'newest', undefined]) expect(follow({ versions })).not.toThrow();
  for (const order of ['ascending', 'none', undefined]) expect(follow({ order })).not.toThrow();
});

test.each([
  [{}, /\{\} names no URL.*follower\.state/],
  ['{"url":"http://live.example/s"}', /names no URL/],
  [{ url: STREAM, cursor: 'end' }, /cursor that is none/],
])('ERR_STATE_INVALID a state of %o is refused', (state, message) => {
  expect(follow({ state })).toThrow(expect.objectContaining({ code: 'ERR_STATE_INVALID' }));
  expect(follow({ state })).toThrow(message);
});

test('a state without a position, and none at all, begin anew; one of another stream is refused', () => {
  for (const state of [{ url: STREAM }, null, undefined]) expect(follow({ state })).not.toThrow();
  expect(follow({ state: { url: `${STREAM}2` } })).toThrow(/is that of http:\/\/live\.example\/s2, not of/);
});

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
  'ERR_MAL_INVALID a follower cannot have a MAL of %s',
  (mal) => {
    expect(follow({ mal })).toThrow(expect.objectContaining({ code: 'ERR_MAL_INVALID' }));
  },
);

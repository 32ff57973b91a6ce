import { httpServer } from '@ldes-live/test-support/net';
import { expect, onTestFinished, test } from 'vitest';
import { createLiveClient, DEFAULT_LIMITS } from '../src/index.ts';

const URL_S = 'http://live.example/s';
const refused = (code: string, message = /./) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });
const follow = (request: object, url: unknown = URL_S) => createLiveClient({ mal: 1 }).follow(url as string, request);

test.each<[unknown, RegExp]>([
  ...[undefined, null, {}, 10].map((options) => [options, /undefined.*\{ mal: 10 \}/] as [unknown, RegExp]),
  [{ mal: '10' }, /MAL "10" is not/],
  ...[0, -1, Number.NaN, Number.POSITIVE_INFINITY].map((mal) => [{ mal }, /MAL/] as [unknown, RegExp]),
])('ERR_MAL_INVALID a client of %o is refused, and told how to give one', (options, message) => {
  const create = createLiveClient as (options?: unknown) => unknown;
  expect(() => create(options)).toThrow(refused('ERR_MAL_INVALID', message));
});

test.each([
  [{ eventBytes: 0 }, /eventBytes is 0/],
  [{ requestMS: 1000 }, /limits\.requestMS is 1000: unknown limit.* requestMs,/],
  [{ requestMs: '1000' }, /is "1000".*from 1 to 2147483647/],
  [{ requestMs: 2 ** 31 }, /from 1 to 2147483647/],
  [{ pageRequests: 0.5 }, /of 1 or more/],
  [{ requestBurst: 0 }, /of 1 or more/],
  [{ bufferEntities: Number.NaN }, /of 1 or more/],
  [{ rememberedMembers: 1 }, /of 2 or more/],
])('ERR_LIMIT_INVALID limits of %o are refused, with what is possible', (limits, message) => {
  expect(() => createLiveClient({ mal: 1, limits: limits as object })).toThrow(refused('ERR_LIMIT_INVALID', message));
});

test.each([
  ['MAL-106', 'ERR_OPTION_INVALID', { hosts: 'private' }, /hosts is "private"/],
  ['option:', 'ERR_OPTION_UNKNOWN', { limit: {} }, /Did you mean limits\?/],
])('%s %s a client of %o is refused', (_id, code, options, message) => {
  expect(() => createLiveClient({ mal: 1, ...(options as object) })).toThrow(refused(code, message));
});

test.each([
  { requestMs: 1 },
  { requestMs: 2 ** 31 - 1 },
  { requestBurst: 1 },
  { rememberedMembers: 2 },
  { documentBytes: Number.POSITIVE_INFINITY },
])('limits of %o are taken; those left out have their defaults', (limits) => {
  expect(() => createLiveClient({ mal: 1, limits })).not.toThrow();
  expect(DEFAULT_LIMITS.silenceMs).toBeGreaterThan(30_000);
});

test.each(['vehicles', 'ftp://example.org/s', 'http://user:secret@example.org/s', '', new URL('http://example.org/s')])(
  '"%s" is no stream URL',
  (url) => {
    expect(() => follow({}, url)).toThrow(refused('ERR_STREAM_URL_INVALID'));
  },
);

const NOON = '2026-03-01T12:00:00Z';

test.each<[string, object, RegExp]>([
  ['ERR_RANGE_INVALID', { after: 'tomorrow' }, /after is "tomorrow".*2026-03-01T12:00:00Z/],
  ['ERR_RANGE_INVALID', { before: '2026-03-01' }, /before is "2026-03-01"/],
  // Without a zone it depends on where the program runs.
  ['ERR_RANGE_INVALID', { after: '2026-03-01T12:00:00' }, /./],
  ['ERR_RANGE_INVALID', { before: '2026-13-01T12:00:00Z' }, /./],
  ['ERR_RANGE_INVALID', { after: NOON, before: NOON }, /./],
  ['ERR_RANGE_INVALID', { after: NOON, before: '2026-03-01T12:30:00+01:00' }, /The earlier one is after/],
  ['ERR_OPTION_INVALID', { from: 'yesterday' }, /from is "yesterday": give latest, start, now, or a cursor/],
  ['ERR_OPTION_INVALID', { from: 12 }, /from is 12/],
  ['ERR_OPTION_INVALID', { versions: 'latest' }, /versions is "latest": give "all" or "newest"/],
  ['ERR_OPTION_INVALID', { order: 'descending' }, /order is "descending": give "ascending" or "none"/],
  ['ERR_STATE_INVALID', { state: {} }, /\{\} has no URL.*follower\.state/],
  ['ERR_STATE_INVALID', { state: `{"url":"${URL_S}"}` }, /has no URL/],
  ['ERR_STATE_INVALID', { state: { url: URL_S, cursor: 'end' } }, /an invalid cursor/],
  ['ERR_STATE_MISMATCH', { state: { url: `${URL_S}2` } }, /belongs to http:\/\/live\.example\/s2, not to/],
  ...[0, -1, Number.NaN, Number.POSITIVE_INFINITY].map(
    (mal) => ['ERR_MAL_INVALID', { mal }, /./] as [string, object, RegExp],
  ),
])('%s: following with %o is refused, with the value and what there is', (code, request, message) => {
  expect(() => follow(request)).toThrow(refused(code, message));
});

test.each([
  { after: NOON },
  { before: '2026-03-01T12:00:00.5+01:00' },
  { after: NOON, before: '2026-03-01T13:30:00+01:00' },
  ...['latest', 'start', 'now', 'k3x9a-42', undefined].map((from) => ({ from })),
  ...['all', 'newest', undefined].map((versions) => ({ versions })),
  ...['ascending', 'none', undefined].map((order) => ({ order })),
  // A state without a position begins anew, as none does.
  ...[{ url: URL_S }, null, undefined].map((state) => ({ state })),
])('following with %o is possible', (request) => {
  expect(() => follow(request)).not.toThrow();
});

test('uses the fetch of the environment where none is given', async () => {
  const server = await httpServer(({ url }, response) => response.writeHead(url === '/s' ? 404 : 500).end());
  onTestFinished(() => server.close());
  await expect(follow({}, `${server.url}s`).run()).rejects.toMatchObject({
    code: 'ERR_RESPONSE_STATUS',
    message: expect.stringMatching(`^${server.url}s answered with status 404: .*Give the URL.* ${server.url}\\.$`),
  });
});

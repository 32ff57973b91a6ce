import { getEventListeners, once } from 'node:events';
import { createServer } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import { listen } from '@ldes-live/test-support/net';
import { expect, onTestFinished, test } from 'vitest';
import { fetchLimits, type GetRequest, get as getOnce, sendGet } from '../src/polling/fetch.ts';
import { FakeTime } from './fake-time.ts';
import { type Answer, cut, type FeedServer, ok, openFeedServer, status } from './feed-server.ts';

const body = Buffer.from('0123456789'.repeat(500));

interface Overrides extends Partial<Omit<GetRequest, 'limits'>> {
  readonly limits?: Partial<GetRequest['limits']>;
  readonly time?: FakeTime;
  readonly signal?: AbortSignal;
}

function get(url: string, { limits, time = new FakeTime(), signal, ...request }: Overrides = {}) {
  return getOnce(
    { url, home: url, headers: {}, validators: undefined, ...request, limits: { ...fetchLimits({}), ...limits } },
    { fetch: sendGet, clock: time.clock, sleep: time.sleep },
    signal ?? new AbortController().signal,
  );
}

async function failure(work: Promise<unknown>): Promise<StreamError> {
  const thrown = await work.catch((reason: unknown) => reason);
  if (!isStreamError(thrown)) throw new Error('no named error', { cause: thrown });
  return thrown;
}

async function validatorsOf(server: FeedServer) {
  const answer = await get(server.url);
  if (answer.kind !== 'body') throw new Error('no body');
  return answer.validators;
}

/** A server that answers the first request of a connection by these bytes, and closes it with the next. */
async function openRawServer(answer: string) {
  const ports = new Set<number | undefined>();
  const server = createServer((socket) => {
    ports.add(socket.remotePort);
    socket.on('error', () => undefined);
    socket.once('data', () => socket.once('data', () => socket.destroy()).write(answer));
  });
  const url = `http://127.0.0.1:${await listen(server)}/`;
  onTestFinished(() => void server.close());
  return { url, server, ports };
}

/** A server whose feed has moved to `/a`. */
const openMovedServer = (answer: Answer) =>
  openFeedServer((...given) => (given[1].url === '/a' ? answer : status(302, { location: '/a' }))(...given));

test('a body comes as it was sent, and is asked for in either of two codings', async () => {
  const server = await openFeedServer(ok(body));
  const time = new FakeTime();
  const whole = { kind: 'body', bytes: body, validators: undefined, url: server.url };
  expect(await get(server.url, { time })).toEqual(whole);
  expect(time.waits).toEqual([]);
  server.answer = ok('');
  expect(await get(server.url)).toEqual({ ...whole, bytes: Buffer.alloc(0) });
  expect(server.requests[0]?.headers['accept-encoding']).toBe('gzip, br');
});

test.each([
  ['gzip', gzipSync(body)],
  ['deflate', deflateSync(body)],
  ['br', brotliCompressSync(body)],
])(
  'GTFS-32 a body compressed by %s is decompressed, whatever HTTP says of its length, if it has its end',
  async (...row) => {
    const [coding, compressed] = row;
    const headers = { 'content-encoding': coding };
    const server = await openFeedServer(ok(compressed, headers));
    expect(await get(server.url)).toMatchObject({ bytes: body });
    for (const length of [compressed.length - 1, compressed.length >> 1, 0]) {
      server.answer = ok(compressed.subarray(0, length), headers);
      const cut = { code: 'ERR_FEED_CUT', details: { reason: 'Z_BUF_ERROR' } };
      expect(await failure(get(server.url))).toMatchObject(cut);
    }
  },
);

test('while the parts of a large body are put together, others have their turn', async () => {
  const parts = Array.from({ length: 512 }, () => new Uint8Array(65_536).fill(1));
  const response = { status: 200, headers: new Headers(), body: ReadableStream.from(parts) };
  let turns = 0;
  let isOver = false;
  const takeTurns = () => {
    turns += 1;
    if (!isOver) setImmediate(takeTurns);
  };
  setImmediate(takeTurns);
  const time = new FakeTime();
  const limits = fetchLimits({});
  const request = { url: 'http://h/', home: 'http://h/', headers: {}, validators: undefined, limits };
  const world = { fetch: async () => response as never, clock: time.clock, sleep: time.sleep };
  const answer = await getOnce(request, world, new AbortController().signal);
  isOver = true;
  expect(answer).toMatchObject({ kind: 'body', bytes: { length: 33_554_432 } });
  expect(turns).toBeGreaterThan(1);
});

test('a body that is compressed twice is decompressed twice, and one by nothing known is left as it is', async () => {
  const twice = brotliCompressSync(gzipSync(body));
  const server = await openFeedServer(ok(twice, { 'content-encoding': 'GZIP, br' }));
  expect(await get(server.url)).toMatchObject({ bytes: body });
  server.answer = ok(body, { 'content-encoding': 'x-other' });
  expect(await get(server.url)).toMatchObject({ bytes: body });
});

test('one connection serves one request after the other, whatever becomes of each', async () => {
  const ports = new Set<number | undefined>();
  const gzip = { 'content-encoding': 'gzip' };
  const answers = [ok(body), status(304, gzip), status(304), ok(gzipSync(body), gzip)];
  const server = await openFeedServer((response, request) => {
    ports.add(request.socket.remotePort);
    (answers.shift() ?? ok(body))(response, request);
  });
  const validators = { url: server.url, etag: '"1"' };
  for (let request = 0; request < 5; request += 1) await get(server.url, { validators });
  expect(ports.size).toBe(1);
});

test('a connection that the server closes though it is kept is opened anew', async () => {
  const { url, ports } = await openRawServer('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc');
  for (let request = 0; request < 3; request += 1) expect(await get(url)).toMatchObject({ bytes: Buffer.from('abc') });
  expect(ports.size).toBe(3);
});

test('where a body came from after redirects, and its link, are told', async () => {
  const link = '</feed.pb?page=2>; rel="next"';
  const server = await openMovedServer(ok(body, { link }));
  expect(await get(server.url)).toMatchObject({ url: `${server.origin}/a`, link });
});

test('requests name ldes-live; header fields of the feed are sent, and may replace ours', async () => {
  const server = await openFeedServer(ok(body));
  await get(server.url);
  await get(server.url, { headers: { 'x-api-key': 'k1', 'Accept-Encoding': 'identity', 'User-Agent': 'us' } });
  expect(server.requests.map(({ headers }) => headers)).toMatchObject([
    { 'user-agent': 'ldes-live', accept: '*/*' },
    { 'user-agent': 'us', 'x-api-key': 'k1', 'accept-encoding': 'identity' },
  ]);
});

test.each([
  ['us%C3%A9r:p%zz@', 'usér:p%zz'],
  ['key@', 'key:'],
  [':key@', ':key'],
])('the user of a URL is sent as basic authorization: %s', async (user, credentials) => {
  const server = await openFeedServer(ok(body));
  await get(server.url.replace('//', `//${user}`));
  const sent = server.requests[0]?.headers.authorization ?? '';
  expect(Buffer.from(sent.replace('Basic ', ''), 'base64').toString()).toBe(credentials);
});

const modified = 'Thu, 08 Feb 2024 13:00:00 GMT';

test('an ETag and a past Last-Modified make the next request conditional, and 304 says unchanged', async () => {
  const date = 'Thu, 08 Feb 2024 13:00:01 GMT';
  const server = await openFeedServer(ok(body, { etag: '"a"', 'last-modified': modified, date }));
  const validators = await validatorsOf(server);
  server.answer = status(304);
  expect(await get(server.url, { validators })).toEqual({ kind: 'unchanged' });
  expect(server.requests[1]?.headers).toMatchObject({ 'if-none-match': '"a"', 'if-modified-since': modified });
});

/** What an answer says of itself, and what of that is relied upon: Last-Modified from one second before Date on. */
test.each<[fields: Record<string, string>, validators: object | undefined]>([
  [{ etag: 'W/"a"' }, { etag: 'W/"a"' }],
  [{ 'last-modified': modified, date: 'Thu, 08 Feb 2024 13:00:01 GMT' }, { lastModified: modified }],
  [{ 'last-modified': modified, date: modified }, undefined],
  [{ 'last-modified': 'lately', date: modified }, undefined],
  [{ 'last-modified': modified }, undefined],
])('of %j the validators are %j', async (fields, validators) => {
  const server = await openFeedServer((response, request) => {
    response.sendDate = false;
    ok(body, fields)(response, request);
  });
  expect(await validatorsOf(server)).toEqual(validators && { url: server.url, ...validators });
});

test('304 to a request without a condition is a failure', async () => {
  const server = await openFeedServer(status(304));
  expect(await failure(get(server.url))).toMatchObject({ code: 'ERR_FEED_STATUS', details: { status: 304 } });
});

test('304 says nothing of a body that came from another URL', async () => {
  const server = await openMovedServer(status(304));
  const validators = { url: server.url, etag: '"1"' };
  expect(await failure(get(server.url, { validators }))).toMatchObject({ details: { status: 304 } });
});

test('what is tied to the signal is let go of after each GET, since it lives as long as the process', async () => {
  const server = await openFeedServer(ok(body));
  const { signal } = new AbortController();
  for (const answer of [ok(body), status(500)]) {
    server.answer = answer;
    await get(server.url, { signal }).catch(() => undefined);
  }
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test.each([204, 206, 400, 401, 404, 500, 502])('GTFS-32 status %d is a failure that names it', async (code) => {
  const server = await openFeedServer(status(code));
  const error = await failure(get(server.url));
  expect(error).toMatchObject({ code: 'ERR_FEED_STATUS', details: { url: server.url, status: code } });
  expect(error.message).toContain(`status ${code}`);
});

test.each([
  ['90', 90_000],
  ['Thu, 08 Feb 2024 13:02:00 GMT', 120_000],
  ['Thu, 08 Feb 2024 12:00:00 GMT', 0],
])('429 and 503 tell how long to wait: %s', async (value, retryAfterMs) => {
  for (const code of [429, 503]) {
    const server = await openFeedServer(status(code, { 'retry-after': value }));
    expect(await failure(get(server.url))).toMatchObject({ details: { status: code, retryAfterMs } });
  }
});

test('where there is no host or server, and where one closes before the answer or speaks no HTTP, nothing is reached', async () => {
  const reason = expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/);
  const code = 'ERR_FEED_UNREACHABLE';
  expect(await failure(get('http://feed.invalid/'))).toMatchObject({ code, details: { reason } });
  const switching = await openRawServer('HTTP/1.1 101 Other\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n');
  expect(await failure(get(switching.url))).toMatchObject({ code, details: { reason: 'ECONNRESET' } });
  const { url, server } = await openRawServer('hello\r\n\r\n');
  expect(await failure(get(url))).toMatchObject({ code });
  server.close();
  await new Promise(setImmediate);
  expect(await failure(get(url))).toMatchObject({ code, details: { reason: 'ECONNREFUSED' } });
  const closing = await openFeedServer((response) => response.destroy());
  expect(await failure(get(closing.url))).toMatchObject({ code });
});

test.each([
  ['shorter than its Content-Length', cut(body, 1000, { 'content-length': body.length }), { received: 1000 }],
  ['broken off between its chunks', cut(body, 1000, { 'transfer-encoding': 'chunked' }), {}],
  ['not compressed as it says', ok(body, { 'content-encoding': 'gzip' }), { reason: 'Z_DATA_ERROR' }],
])('a body that is %s is cut', async (_, answer, details) => {
  const server = await openFeedServer(answer);
  expect(await failure(get(server.url))).toMatchObject({ code: 'ERR_FEED_CUT', details });
});

test.each([
  ['of limitBytes', ok(body)],
  ['that is decompressed to limitBytes', ok(gzipSync(body), { 'content-encoding': 'gzip' })],
])('a body %s is accepted, and one byte more is not', async (_, answer) => {
  const server = await openFeedServer(answer);
  expect(await get(server.url, { limits: { limitBytes: body.length } })).toMatchObject({ bytes: body });
  const limits = { limitBytes: body.length - 1 };
  expect(await failure(get(server.url, { limits }))).toMatchObject({ code: 'ERR_FEED_TOO_LARGE', details: limits });
});

test('a connection that stalls before its headers is ended at limitHeadersMs', async () => {
  const time = new FakeTime();
  let closing: Promise<unknown> | undefined;
  const server = await openFeedServer((_, request) => {
    closing = once(request.socket, 'close');
    time.pass();
  });
  expect(await failure(get(server.url, { time }))).toMatchObject({
    code: 'ERR_FEED_TIMEOUT',
    details: { phase: 'headers', limitMs: fetchLimits({}).limitHeadersMs },
  });
  await closing;
});

test('a connection that stalls within its body is ended at limitBodyMs', async () => {
  const time = new FakeTime();
  const server = await openFeedServer((response) => {
    response.writeHead(200, { 'content-length': body.length });
    response.write(body.subarray(0, 10));
  });
  const limits = { limitBodyMs: 7777 };
  const failing = failure(get(server.url, { time, limits }));
  await time.waiting(limits.limitBodyMs);
  time.pass();
  expect(await failing).toMatchObject({ code: 'ERR_FEED_TIMEOUT', details: { phase: 'body', limitMs: 7777 } });
  expect(time.waits).toEqual([]);
});

test('the signal ends a GET before it begins and while it waits, with its reason', async () => {
  const stop = new AbortController();
  const server = await openFeedServer(() => stop.abort(new RangeError('enough')));
  await expect(get(server.url, { signal: stop.signal })).rejects.toThrow(RangeError);
  await expect(get(server.url, { signal: stop.signal })).rejects.toThrow(RangeError);
  expect(server.requests).toHaveLength(1);
});

test('redirects are followed up to limitRedirects, and no further, also in a loop', async () => {
  const server = await openFeedServer((response, request) => {
    const left = Number(request.url?.slice(1));
    (left === 0 ? ok(body) : status(302, { location: `/${left - 1}` }))(response, request);
  });
  const limits = { limitRedirects: 3 };
  expect(await get(`${server.origin}/3`, { limits })).toMatchObject({ bytes: body });
  expect(await failure(get(`${server.origin}/4`, { limits }))).toMatchObject({
    code: 'ERR_FEED_REDIRECTS',
    details: { url: `${server.origin}/4`, limitRedirects: 3 },
  });
  server.answer = status(301, { location: '/feed.pb' });
  server.requests.length = 0;
  expect(await failure(get(server.url))).toMatchObject({ code: 'ERR_FEED_REDIRECTS' });
  expect(server.requests).toHaveLength(fetchLimits({}).limitRedirects + 1);
});

test.each(['file:///etc/hosts', 'http://', ''])('a redirect to "%s" is not followed', async (location) => {
  const server = await openFeedServer(status(302, location === '' ? {} : { location }));
  expect(await failure(get(server.url))).toMatchObject({ code: 'ERR_FEED_STATUS', details: { status: 302 } });
});

test('header fields stay with the origin that they were given for', async () => {
  const other = await openFeedServer(ok(body));
  const server = await openFeedServer((response, request) =>
    status(307, { location: request.url === '/feed.pb' ? '/second' : other.url })(response, request),
  );
  await get(server.url.replace('//', '//user:pass@'), { headers: { 'x-api-key': 'k1' } });
  expect(server.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['k1', 'k1']);
  expect(server.requests[1]?.headers.authorization).toBe(server.requests[0]?.headers.authorization);
  expect(server.requests[0]?.headers.authorization).toMatch(/^Basic /);
  expect(other.requests[0]?.headers).not.toHaveProperty('x-api-key');
  expect(other.requests[0]?.headers).not.toHaveProperty('authorization');
});

test('validators are sent only to the URL that gave them', async () => {
  const server = await openMovedServer(ok(body, { etag: '"a"' }));
  const validators = await validatorsOf(server);
  await get(server.url, { validators });
  const sent = server.requests.map(({ path, headers }) => [path, headers['if-none-match']]);
  expect(sent.slice(2)).toEqual([
    ['/feed.pb', undefined],
    ['/a', '"a"'],
  ]);
});

test('GTFS-30 no error shows the query, the user or a header value', async () => {
  const server = await openFeedServer(status(403));
  const url = `${server.url.replace('//', '//user-s3cret:s3cret@')}?key=s3cret#s3cret`;
  const headers = { 'x-api-key': 's3cret' };
  const errors = [await failure(get(url, { headers }))];
  for (const answer of [status(302, { location: '/feed.pb?key=s3cret' }), cut(body, 9, { 'content-length': 99 })]) {
    server.answer = answer;
    errors.push(await failure(get(url, { headers })));
  }
  server.answer = (response) => response.destroy();
  errors.push(await failure(get(url, { headers })));
  for (const error of errors) {
    expect(`${error.message} ${JSON.stringify(error.details)} ${error.stack}`).not.toContain('s3cret');
    expect(error.cause).toBeUndefined();
  }
});

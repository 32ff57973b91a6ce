import { once } from 'node:events';
import { createConnection } from 'node:net';
import { describeStream, formats } from '@ldes-live/rdf-stream';
import { whenClosed } from '@ldes-live/test-support/net';
import { expect, test } from 'vitest';
import { createLiveServer, type LiveStream } from '../src/index.ts';
import { isBaseUrl, isStreamName } from '../src/options.ts';
import { liveServer } from './push-server.ts';
import { EPOCH, emptyStream, entityOf, fill, PUBLIC_URL, testServer, upsert } from './test-server.ts';

test('a refusal names what was requested, and what there is', async () => {
  const server = await testServer();
  const known = [`${PUBLIC_URL}vehicles`];
  expect((await server.get('/ns/none')).json()).toMatchObject({ code: 'ERR_STREAM_UNKNOWN', path: '/ns/none', known });
  const offered = Object.values(formats).map(({ mediaType }) => mediaType);
  expect((await server.get('/vehicles', { accept: 'image/png' })).json()).toMatchObject({
    accept: 'image/png',
    offered,
  });
});

test('a limit that Fastify has too is refused as the others are', async () => {
  const refused = createLiveServer({ publicUrl: PUBLIC_URL, streams: [], limitUrlBytes: 1.5 });
  await expect(refused).rejects.toMatchObject({ code: 'ERR_LIMIT', details: { name: 'limitUrlBytes' } });
});

const BASE_URLS = ['http://localhost:3000/', 'https://a.example/live/'];
const NO_BASE_URLS = ['', 'localhost', 'http://localhost:3000', 'ftp://a/', 'http://a/?b', 'http://a/#b', 'http://a/b'];

test('DOC-1 names and base URLs that would give broken IRIs are none', () => {
  for (const name of ['vehicles', 'a', '0', 'a-b', 'a'.repeat(64)]) expect(isStreamName(name), name).toBe(true);
  for (const name of ['', '-a', 'A', 'a/b', 'a b', 'ä', 'health', 'ns', 'metrics', 'id', 'a'.repeat(65)]) {
    expect(isStreamName(name), name).toBe(false);
  }
  for (const url of BASE_URLS) expect(isBaseUrl(url), url).toBe(true);
  for (const url of [...NO_BASE_URLS, 'HTTP://A/']) expect(isBaseUrl(url), url).toBe(false);
});

const NO_DRAFTS = { origin: 'a', drafts: async function* () {} };
const ELSEWHERE = describeStream({ publicUrl: 'https://elsewhere.example/', name: 'vehicles' });

test.each<[code: string, options: object, problem?: string]>([
  ['ERR_PUBLIC_URL', { publicUrl: 'http://a' }],
  // What plain JavaScript may give.
  ['ERR_PUBLIC_URL', { publicUrl: undefined }],
  ['ERR_PUBLIC_URL', { publicUrl: 5 }],
  ['ERR_STREAM_NAME', { description: { ...ELSEWHERE, name: 5 } }],
  // Below it could not be told from `vehicles` below the path.
  ['ERR_STREAM_NAME', { publicUrl: 'https://a.example/vehicles/' }],
  ['ERR_STREAM_ELSEWHERE', { description: ELSEWHERE }],
  ['ERR_STREAM_REPEATED', { isTwice: true }],
  ['ERR_STREAM_SOURCES', { sources: () => [] }, 'they are a function'],
  ['ERR_STREAM_SOURCES', { sources: null }, 'they are null'],
  ['ERR_STREAM_SOURCES', { sources: [{ origin: 'a' }] }, 'number 1 lacks'],
  ['ERR_STREAM_SOURCES', { sources: [NO_DRAFTS, { ...NO_DRAFTS, origin: 5 }] }, 'number 2 lacks'],
  ['ERR_STREAM_SOURCES', { sources: [undefined] }, 'number 1 lacks'],
  ['ERR_STREAM_SOURCES', { sources: [NO_DRAFTS, NO_DRAFTS] }, 'two of them have the origin "a"'],
  ...['limitPendingBuilds', 'limitUrlBytes', 'limitTextBytes', 'limitKeptBytes'].flatMap((name) =>
    [0, -1, 1.5, Number.NaN].map((value): [string, object] => ['ERR_LIMIT', { [name]: value }]),
  ),
])('DOC-1 %s: %j cannot be published', async (code, given, problem = '') => {
  const { isTwice = false, ...more } = given as { isTwice?: boolean };
  const stream = { ...(await emptyStream()), ...more } as LiveStream;
  const streams = isTwice ? [stream, stream] : [stream];
  const refused = expect(testServer({ ...more, streams })).rejects;
  await refused.toMatchObject({ code, message: expect.stringContaining(problem) });
});

test('DOC-14 an entity that a commit overtakes while it is read is read again', async () => {
  const server = await testServer();
  await server.log.append([upsert(1, 1)]);
  const { readMembers } = server.log;
  let overtaken = false;
  server.log.readMembers = async function overtake(sequences) {
    const read = await readMembers.call(this, sequences);
    if (!overtaken) await server.log.append([upsert(1, 2)]);
    overtaken = true;
    return read;
  };
  const response = await server.get(new URL(entityOf(1)).pathname, { accept: 'application/n-quads' });
  expect(response.body).toContain('"2"');
});

test('DOC-17 health tells cursor, entities, what is held, connections and sources, and is never cached', async () => {
  const source = { origin: 'a', state: 'ok', polls: { good: 0, bad: 0 }, errors: {}, findings: {} } as const;
  const server = await testServer({}, {}, [source]);
  await fill(server, 3, 3);
  const { headers, body } = await server.get('/health');
  expect(headers['cache-control']).toBe('no-store');
  const vehicles = { cursor: `${EPOCH}-3`, entities: 3, heldFrom: 1, pushConnections: 0, sources: [source] };
  expect(JSON.parse(body)).toEqual({ status: 'ok', streams: { vehicles } });
});

test('DOC-44 a document that cannot be made now is answered by 429 with a time of its own; what is ready is served', async () => {
  const draws = [0, 0.5, 0.99];
  const server = await testServer({ limitPendingBuilds: 1, random: () => draws.shift() ?? 0 });
  await fill(server, 3, 3);
  expect((await server.get('/vehicles/latest')).statusCode).toBe(200);
  const { readMembers } = server.log;
  let letThrough = () => {};
  const gate = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  server.log.readMembers = async function held(sequences) {
    await gate;
    return readMembers.call(this, sequences);
  };
  const path = (entity: number) => new URL(entityOf(entity)).pathname;
  const making = [server.get(path(1)), server.get(path(1))];
  await new Promise((resolve) => setImmediate(resolve));
  const refused = [await server.get(path(2)), await server.get(path(2)), await server.get(path(0))];
  expect(refused.map(({ statusCode }) => statusCode)).toEqual([429, 429, 429]);
  expect(refused.map(({ headers }) => headers['retry-after'])).toEqual(['1', '3', '5']);
  expect(refused[0]?.json()).toMatchObject({ code: 'ERR_OVERLOADED', limitPendingBuilds: 1 });
  expect(refused[0]?.headers['cache-control']).toBe('no-store');
  expect((await server.get('/vehicles/latest')).statusCode).toBe(200);
  letThrough();
  expect((await Promise.all(making)).map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  expect((await server.get(path(2))).statusCode).toBe(200);
});

test.each([100, 8192])(
  'DOC-45 a URL of %d bytes is looked up, a longer one is answered by 414',
  async (limitUrlBytes) => {
    const server = await testServer(limitUrlBytes === 8192 ? {} : { limitUrlBytes });
    for (const [begin, status] of [
      ['/vehicles/', 404],
      ['/vehicles/latest?', 200],
      ['/vehicles/entities/', 404],
    ] as const) {
      expect((await server.get(begin.padEnd(limitUrlBytes, 'x'))).statusCode, begin).toBe(status);
      const refused = (await server.get(begin.padEnd(limitUrlBytes + 1, 'x'))).json();
      const problem = { status: 414, code: 'ERR_URL_TOO_LONG', bytes: limitUrlBytes + 1, limitUrlBytes };
      expect(refused).toMatchObject(problem);
    }
  },
);

// What a server answers to bytes, until it ends the connection.
async function answerTo(port: number, bytes: string): Promise<string> {
  const socket = createConnection(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk;
  });
  socket.write(bytes);
  await whenClosed(socket);
  return answer;
}

test.each([2000, 16_384])(
  'DOC-45 a header of %d bytes is read, a larger one is answered by 431',
  async (limitHeaderBytes) => {
    const { port } = await liveServer(limitHeaderBytes === 16_384 ? {} : { limitHeaderBytes });
    const request = (bytes: number) => {
      const [start, end] = ['GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Long: ', '\r\n\r\n'];
      return `${start}${'x'.repeat(bytes - start.length - end.length)}${end}`;
    };
    expect(await answerTo(port, request(limitHeaderBytes - 100))).toMatch(/^HTTP\/1.1 200 /);
    const [header = '', body = ''] = (await answerTo(port, request(limitHeaderBytes + 100))).split('\r\n\r\n');
    expect(header.toLowerCase().split('\r\n')).toEqual(
      expect.arrayContaining([
        'http/1.1 431 request header fields too large',
        'content-type: application/problem+json',
        'cache-control: no-store',
        'access-control-allow-origin: *',
        'connection: close',
        `content-length: ${Buffer.byteLength(body)}`,
      ]),
    );
    expect(JSON.parse(body)).toMatchObject({ status: 431, code: 'ERR_HEADER_TOO_LARGE', limitHeaderBytes });
  },
);

test('who breaks off is not answered, and disturbs nobody', async () => {
  const { port } = await liveServer();
  const socket = createConnection(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('GET /vehicles HTT');
  socket.resetAndDestroy();
  await whenClosed(socket);
  expect((await fetch(`http://127.0.0.1:${port}/vehicles`)).status).toBe(200);
});

test('DOC-47 an error has none of the fields of a document, whatever the conditions', async () => {
  const server = await testServer();
  await fill(server, 1, 1);
  const conditions = { 'if-none-match': '*', 'if-modified-since': new Date().toUTCString() };
  for (const [path, headers] of [
    ['/vehicles/nonsense', {}],
    ['/vehicles/latest', { accept: 'image/png' }],
    ['/vehicles/latest', { 'accept-encoding': 'identity;q=0' }],
    ['/vehicles/pages/otherlife/0', {}],
  ] as const) {
    const response = await server.get(path, { ...headers, ...conditions });
    expect(response.statusCode).toBeGreaterThanOrEqual(400);
    for (const name of ['etag', 'last-modified', 'expires', 'ldes-cursor', 'next-update', 'x-accel-expires']) {
      expect(response.headers, path).not.toHaveProperty(name);
    }
    expect(response.headers['cache-control']).toBe('no-store');
  }
});

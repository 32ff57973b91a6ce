import { once } from 'node:events';
import { createConnection } from 'node:net';
import { formats } from '@ldes-live/rdf-stream';
import { readEvents } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { createLiveServer, type LiveServerOptions, type LiveStream, liveStreams } from '../src/index.ts';
import { isBaseUrl, isStreamName } from '../src/options.ts';
import { liveServer } from './push-server.ts';
import { emptyStream, entityOf, fill, PUBLIC_URL, testServer, upsert } from './test-server.ts';
import { whenClosed } from './when-closed.ts';

test('ERR-1 ERR-2 ERR-3 a refusal is a problem that is never cached, and says what there is', async () => {
  const { base } = await liveServer();
  const response = await fetch(`${base}/nonsense`);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
  });
  expect(await response.json()).toEqual({
    type: expect.stringMatching(/#err_stream_unknown$/),
    title: expect.any(String),
    status: 404,
    code: 'ERR_STREAM_UNKNOWN',
    detail: expect.any(String),
    known: [`${PUBLIC_URL}vehicles`],
    path: '/nonsense',
  });
  const refused = await fetch(`${base}/vehicles`, { headers: { accept: 'image/png' } });
  const { offered } = (await refused.json()) as { offered: string[] };
  expect(offered).toEqual(Object.values(formats).map(({ mediaType }) => mediaType));
});

test('ERR-2 a fault of the server is 500, names no internals, and is not remembered', async () => {
  const server = await testServer();
  const { readLatest } = server.log;
  server.log.readLatest = () => Promise.reject(new Error('secret: disk sdb1'));
  const response = await server.get('/vehicles/latest', { accept: 'text/turtle' });
  expect(response.statusCode).toBe(500);
  expect(response.json()).toMatchObject({ code: 'ERR_INTERNAL', path: '/vehicles/latest' });
  expect(response.body).not.toContain('secret');
  server.log.readMembers = readLatest;
  expect((await server.get('/vehicles/latest')).statusCode).toBe(200);
});

test('DOC-1 names and base URLs that would give broken IRIs are refused', async () => {
  for (const name of ['vehicles', 'a', '0', 'a-b', 'a'.repeat(64)]) expect(isStreamName(name), name).toBe(true);
  for (const name of ['', '-a', 'A', 'a/b', 'a b', 'ä', 'health', 'ns', 'metrics', 'id', 'a'.repeat(65)]) {
    expect(isStreamName(name), name).toBe(false);
  }
  for (const url of ['http://localhost:3000/', 'https://a.example/live/']) expect(isBaseUrl(url), url).toBe(true);
  for (const url of [
    '',
    'localhost',
    'http://localhost:3000',
    'ftp://a/',
    'http://a/?b',
    'http://a/#b',
    'http://a/b',
    'HTTP://A/',
  ]) {
    expect(isBaseUrl(url), url).toBe(false);
  }
  await expect(createLiveServer({ publicUrl: 'http://a', streams: [] })).rejects.toMatchObject({
    code: 'ERR_PUBLIC_URL',
  });
  await expect(testServer({ publicUrl: 'nonsense' })).rejects.toMatchObject({ code: 'ERR_PUBLIC_URL' });
});

const NO_DRAFTS = { origin: 'a', drafts: async function* () {} };

test.each([
  ['a function, as it was once', () => [], 'they are a function'],
  ['null', null, 'they are null'],
  ['a source without drafts', [{ origin: 'a' }], 'number 1 lacks'],
  ['a source without an origin', [NO_DRAFTS, { ...NO_DRAFTS, origin: 5 }], 'number 2 lacks'],
  ['nothing for a source', [undefined], 'number 1 lacks'],
  ['two of one origin', [NO_DRAFTS, NO_DRAFTS], 'two of them have the origin "a"'],
])('a stream whose sources are %s is refused', async (_, sources, problem) => {
  const stream = { ...(await emptyStream()), sources } as unknown as LiveStream;
  await expect(createLiveServer({ publicUrl: PUBLIC_URL, streams: [stream] })).rejects.toMatchObject({
    code: 'ERR_STREAM_SOURCES',
    details: { name: 'vehicles', problem: expect.stringContaining(problem) },
  });
});

test.each([
  ['ERR_PUBLIC_URL', { publicUrl: undefined }],
  ['ERR_PUBLIC_URL', { publicUrl: 5 }],
  ['ERR_STREAM_NAME', { name: 5 }],
])('%s is for what is not a text, too', async (code, wrong) => {
  const { description, log } = await emptyStream();
  const streams = [{ description: { ...description, ...wrong }, log }];
  const options = { publicUrl: PUBLIC_URL, streams, ...('publicUrl' in wrong && wrong) };
  await expect(createLiveServer(options as unknown as LiveServerOptions)).rejects.toMatchObject({ code });
});

test.each([
  ['fails', () => Promise.reject(new Error('disk'))],
  ['gives nothing', () => Promise.resolve([])],
])('PUSH-4 a push stream whose log %s is cut, so that its reader resumes', async (_, members) => {
  const server = await testServer();
  await fill(server, 10, 1);
  server.log.read = members;
  const base = await server.app.listen({ host: '127.0.0.1', port: 0 });
  const reader = await readEvents(`${base}/vehicles/events?from=${server.log.head.cursor.epoch}-0`);
  await eventually(() => expect(reader.state.ended).toBe(true));
  expect((await server.get('/health')).json().streams.vehicles.pushConnections).toBe(0);
  await server.app.close();
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

test("DOC-1 streams that would stand in each other's way, or elsewhere, are refused", async () => {
  const register = async (...urls: string[]) => {
    const streams = await Promise.all(urls.map((publicUrl) => emptyStream(undefined, { publicUrl })));
    return Fastify().register(liveStreams, { publicUrl: PUBLIC_URL, streams });
  };
  await expect(register(PUBLIC_URL, PUBLIC_URL)).rejects.toMatchObject({ code: 'ERR_STREAM_REPEATED' });
  await expect(register('https://elsewhere.example/')).rejects.toMatchObject({ code: 'ERR_STREAM_ELSEWHERE' });
});

test('DOC-17 health tells cursor, entities, what is held, connections and sources, and is never cached', async () => {
  const source = {
    origin: 'http://agency.example/vp.pb',
    state: 'ok',
    polls: { good: 0, bad: 0 },
    errors: {},
    findings: {},
  } as const;
  const server = await testServer({}, {}, [source]);
  await fill(server, 3, 3);
  const response = await server.get('/health');
  expect(response.headers['cache-control']).toBe('no-store');
  expect(response.json()).toEqual({
    status: 'ok',
    streams: {
      vehicles: {
        cursor: `${server.log.head.cursor.epoch}-3`,
        entities: 3,
        heldFrom: 1,
        pushConnections: 0,
        sources: [source],
      },
    },
  });
  server.time.sources = [{ ...source, state: 'failing', errors: { ERR_FEED_EMPTY: 2 } }];
  expect((await server.get('/health')).json()).toMatchObject({ status: 'degraded' });
});

test('DOC-17 a source that has never worked degrades the health, one that has not begun does not', async () => {
  const starting = {
    origin: 'http://agency.example/vp.pb',
    state: 'starting',
    polls: { good: 0, bad: 0 },
    errors: {},
    findings: {},
  } as const;
  const server = await testServer({}, {}, [starting]);
  expect((await server.get('/health')).json().status).toBe('ok');
  const lastError = { code: 'ERR_FEED_UNREACHABLE', message: 'refused', at: '2026-01-01T00:00:00.000Z' };
  server.time.sources = [{ ...starting, lastError }];
  expect((await server.get('/health')).json().status).toBe('degraded');
});

test('DOC-17 health tells the newest time that a source states of its data, and when its next update is expected', async () => {
  const source = {
    origin: 'http://city.example/garages.json',
    state: 'ok',
    lastGoodAt: '2026-01-01T00:00:10.000Z',
    dataAt: '2026-01-01T00:00:05.000Z',
    nextPollAt: '2026-01-01T00:01:10.000Z',
    nextUpdateAt: '2026-01-01T00:01:10.250Z',
    polls: { good: 1, bad: 0 },
    errors: {},
    findings: {},
  } as const;
  const server = await testServer({}, {}, [source]);
  expect((await server.get('/health')).json().streams.vehicles.sources).toEqual([source]);
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

test.each([100, undefined])(
  'DOC-45 a URL up to the limit is looked up, a longer one is answered by 414 (%s)',
  async (given) => {
    const server = await testServer(given === undefined ? {} : { limitUrlBytes: given });
    const limitUrlBytes = given ?? 8192;
    for (const begin of ['/vehicles/', '/vehicles/latest?', '/vehicles/entities/']) {
      const pad = (bytes: number) => begin.padEnd(bytes, 'x');
      expect((await server.get(pad(limitUrlBytes))).statusCode, begin).not.toBe(414);
      const response = await server.get(pad(limitUrlBytes + 1));
      expect(response.json()).toMatchObject({
        status: 414,
        code: 'ERR_URL_TOO_LONG',
        bytes: limitUrlBytes + 1,
        limitUrlBytes,
      });
      expect(response.headers['cache-control']).toBe('no-store');
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

function expectProblem(answer: string, status: number, problem: object): void {
  const [header = '', body = ''] = answer.split('\r\n\r\n');
  expect(header).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  const fields = new Map(
    header
      .split('\r\n')
      .slice(1)
      .map((line) => line.toLowerCase().split(': ') as [string, string]),
  );
  expect(Object.fromEntries(fields)).toMatchObject({
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
    connection: 'close',
  });
  expect(fields.get('content-length')).toBe(String(Buffer.byteLength(body)));
  expect(JSON.parse(body)).toMatchObject({ status, ...problem });
}

test.each([2000, undefined])(
  'DOC-46 a header up to the limit is read, a larger one is answered by 431 (%s)',
  async (given) => {
    const { port } = await liveServer(given === undefined ? {} : { limitHeaderBytes: given });
    const limitHeaderBytes = given ?? 16_384;
    const request = (bytes: number) => {
      const [start, end] = ['GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Long: ', '\r\n\r\n'];
      return `${start}${'x'.repeat(bytes - start.length - end.length)}${end}`;
    };
    expect(await answerTo(port, request(limitHeaderBytes - 100))).toMatch(/^HTTP\/1.1 200 /);
    expectProblem(await answerTo(port, request(limitHeaderBytes + 100)), 431, {
      code: 'ERR_HEADER_TOO_LARGE',
      limitHeaderBytes,
    });
  },
);

test('DOC-46 who breaks off is not answered, and disturbs nobody', async () => {
  const { port } = await liveServer();
  const socket = createConnection(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('GET /vehicles HTT');
  socket.resetAndDestroy();
  await whenClosed(socket);
  expect((await fetch(`http://127.0.0.1:${port}/vehicles`)).status).toBe(200);
});

test.each(['limitPendingBuilds', 'limitUrlBytes'])('a %s that is no number of 1 or more is refused', async (name) => {
  for (const value of [0, -1, 1.5, Number.NaN]) {
    await expect(testServer({ [name]: value })).rejects.toMatchObject({ code: 'ERR_LIMIT', details: { name } });
  }
  await expect(testServer({ [name]: 1 })).resolves.toBeDefined();
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

import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@ldes-live/test-support/eventually';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ReadyAnswerer } from '../src/http/answer-ready.ts';
import { createLiveServer, type LiveServer, type LiveStreamsOptions, liveStreams } from '../src/index.ts';
import { publishStreams } from '../src/publish-streams.ts';
import { EPOCH, emptyStream, fill, PUBLIC_URL, testServer, upsert } from './test-server.ts';

// The short way of the server of its own must not be told from the whole way, which the plugin goes alone.
const clock = () => Date.parse('2026-01-01T00:00:10.250Z');
const whole = Fastify();
let live: LiveServer;
let ports: { readonly live: number; readonly whole: number };

async function options() {
  const stream = await emptyStream(clock);
  await stream.log.append(Array.from({ length: 300 }, (_, number) => upsert(number, number)));
  const schedule = () => ({ kind: 'interval', intervalMs: 5000, nextMs: clock() + 2500 }) as const;
  return {
    publicUrl: PUBLIC_URL,
    streams: [{ ...stream, schedule }],
    clock,
    random: () => 0.5,
  };
}

beforeAll(async () => {
  live = await createLiveServer(await options());
  await whole.register(liveStreams, await options());
  const port = await live.listen({ host: '127.0.0.1', port: 0 });
  await whole.listen({ host: '127.0.0.1', port: 0 });
  ports = { live: port, whole: (whole.server.address() as AddressInfo).port };
});

afterAll(async () => {
  await Promise.all([live.close(), whole.close()]);
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: object;
  readonly body: string;
}

/** Asks as it is written: no library's idea of a URL in between. */
function ask(port: number, path: string, { method = 'GET', ...headers }: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', path, method, headers, agent: false }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      const { 'keep-alive': _, ...fields } = response.headers;
      resolve({ status: response.statusCode, headers: fields, body: Buffer.concat(chunks).toString('base64') });
    });
    asked.on('error', reject);
    asked.end();
  });
}

const PATHS = [
  '/vehicles',
  '/vehicles/',
  '/vehicles//',
  '//vehicles',
  '/Vehicles',
  '/vehicle%73',
  '/vehicles/latest',
  '/vehicles/latest/',
  '/vehicles/latest/x',
  '/vehicles/%6Catest',
  '/vehicles/latest?',
  '/vehicles/latest?x=1',
  '/vehicles/latest#x',
  '/vehicles/tiles',
  '/vehicles/tiles/0/0/0',
  '/vehicles/tiles/elsewhere',
  '/vehicles/entities/7',
  '/vehicles/entities/%37',
  '/vehicles/entities/7/',
  '/vehicles/entities/none',
  '/vehicles/shape',
  '/vehicles/pages',
  `/vehicles/pages?after=${EPOCH}-0`,
  `/vehicles/pages/${EPOCH}/0`,
  `/vehicles/pages/${EPOCH}/0/`,
  `/vehicles/pages/${EPOCH}/00`,
  `/vehicles/pages/${EPOCH}//0`,
  `/vehicles/pages/${EPOCH}/1`,
  `/vehicles/pages/${EPOCH}/2`,
  `/vehicles/pages/other/0`,
  `/vehicles/pages/${EPOCH}/range-0`,
  `/vehicles/pages/${EPOCH}/after-0`,
  `/vehicles/pages/${EPOCH}/after-7`,
  `/vehicles/pages/${EPOCH}/after-300`,
  `/vehicles/pages/${EPOCH}/after-301`,
  '/vehicles/../vehicles/latest',
  '/vehicles/./latest',
  'http://elsewhere.example/vehicles/latest',
  '/',
  '/health',
  '/ns/live',
  `/vehicles/${'x'.repeat(5000)}`,
];

const HEADERS: Record<string, string>[] = [
  {},
  { method: 'HEAD' },
  { method: 'POST' },
  { method: 'OPTIONS' },
  { accept: 'text/turtle', 'accept-encoding': 'gzip' },
  { accept: 'image/png' },
  { 'accept-encoding': 'identity;q=0' },
  { 'if-none-match': '*' },
  { 'if-modified-since': 'Thu, 01 Jan 2026 00:00:10 GMT' },
];

test.each(PATHS)('a server of its own answers as the plugin does: %s', async (path) => {
  for (const headers of HEADERS) {
    // Twice: at first it is made, and then it is ready.
    for (const time of ['first', 'then']) {
      const [ours, expected] = await Promise.all([ask(ports.live, path, headers), ask(ports.whole, path, headers)]);
      // What is no path of the plugin's is the app's around it.
      if (expected.status === 404 && !path.startsWith('/vehicles')) expect(ours.status).toBe(404);
      else expect(ours, `${time} ${JSON.stringify(headers)}`).toEqual(expected);
    }
  }
});

test('what is ready is answered by the short way, and only that', async () => {
  const app = Fastify();
  let ready: ReadyAnswerer = () => false;
  await app.register(async (plugin) => {
    ({ ready } = await publishStreams(plugin, await options()));
  });
  await app.ready();
  const taken: boolean[] = [];
  const short = createServer((incoming, response) => {
    taken.push(ready(incoming, response));
    if (!taken.at(-1)) response.end();
  });
  await new Promise<void>((resolve) => short.listen(0, '127.0.0.1', resolve));
  const { port } = short.address() as AddressInfo;
  await ask(port, '/vehicles/latest', {});
  await app.inject({ url: '/vehicles/latest', headers: { 'accept-encoding': '' } });
  await ask(port, '/vehicles/latest', {});
  await ask(port, '/vehicles/latest', { method: 'HEAD' });
  await ask(port, '/vehicles/latest', { accept: 'text/turtle' });
  await ask(port, '/vehicles/latest?x', {});
  await ask(port, '/health', {});
  expect(taken).toEqual([false, true, true, false, false, false]);
  short.close();
  await app.close();
});

test('DOC-31 a view that cannot be made is an error of its request, and of nothing else', async () => {
  const given = await options();
  const server = await createLiveServer(given);
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  await given.streams[0]?.log.close();
  // A failure that nobody awaits would end the process, and fails the run of the tests.
  for (let time = 0; time < 2; time += 1) expect((await ask(port, '/vehicles/tiles', {})).status).toBe(503);
  await server.close();
});

const EXPOSED = ['Age', 'Date', 'ETag', 'LDES-Cursor', 'Link', 'Next-Update', 'Retry-After'];

test('DOC-41 whatever is answered can be read by scripts of every origin', async () => {
  const server = await testServer();
  await fill(server, 2, 1);
  const answered: [path: string, status: number, headers?: Record<string, string>][] = [
    ['/vehicles/latest', 200],
    ['/vehicles/latest', 304, { 'if-none-match': '*' }],
    ['/vehicles/latest', 406, { accept: 'image/png' }],
    [`/vehicles/pages?after=${EPOCH}-1`, 307],
    ['/vehicles/%', 400],
    ['/nonsense', 404],
    ['/', 200, { accept: 'text/html' }],
  ];
  for (const [url, status, headers = {}] of answered) {
    for (const method of ['GET', 'HEAD'] as const) {
      const response = await server.app.inject({ method, url, headers });
      expect(response.statusCode, url).toBe(status);
      expect(response.headers['access-control-allow-origin']).toBe('*');
      expect(String(response.headers['access-control-expose-headers']).split(', ')).toEqual(EXPOSED);
    }
  }
});

test('DOC-42 a preflight is let through for a day', async () => {
  const server = await testServer();
  const headers = { origin: 'https://a.example', 'access-control-request-method': 'GET' };
  const response = await server.app.inject({ method: 'OPTIONS', url: '/vehicles/events', headers });
  expect([response.statusCode, response.body]).toEqual([204, '']);
  expect(response.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD, OPTIONS',
    'access-control-max-age': '86400',
  });
  const fields = String(response.headers['access-control-allow-headers']).split(', ');
  expect(fields).toEqual(expect.arrayContaining(['Accept', 'If-None-Match', 'If-Modified-Since', 'Last-Event-ID']));
});

test('DOC-41 what the app around has said already goes first, and both say what an answer varies with', async () => {
  const app = Fastify();
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'access-control-allow-origin': 'https://a.example', vary: 'Origin', 'x-around': 'app' });
  });
  const answered: number[] = [];
  app.addHook('onResponse', async (_request, reply) => {
    answered.push(reply.statusCode);
  });
  await app.register(liveStreams, { publicUrl: PUBLIC_URL, streams: [await emptyStream()] });
  const expected = { 'access-control-allow-origin': 'https://a.example', 'x-around': 'app' };
  const response = await app.inject('/vehicles/latest');
  expect(response.headers).toMatchObject({ ...expected, vary: 'Accept, Accept-Encoding, Origin' });
  expect((await app.inject('/health')).headers).toMatchObject(expected);
  await eventually(() => expect(answered).toEqual([200, 200]));
});

/** A route that says what it is told of how long answers hold. */
const extend: NonNullable<LiveStreamsOptions['extend']> = async (fastify, latestFields) => {
  fastify.get('/vehicles/more/:cursor', (request, reply) => {
    const { cursor } = request.params as { cursor: string };
    return reply.headers(latestFields('vehicles', cursor)).send({});
  });
};

test('what is added beside the streams has the fields of the latest state, its errors, and is open to every origin', async () => {
  const server = await testServer({ extend });
  await fill(server, 3, 1);
  server.time.schedule = { kind: 'interval', intervalMs: 5000, nextMs: server.time.nowMs + 4500 };
  const [latest, more] = [await server.get('/vehicles/latest'), await server.get(`/vehicles/more/${EPOCH}-3`)];
  const names = [
    ...['cache-control', 'expires', 'x-accel-expires', 'next-update', 'ldes-cursor', 'last-modified', 'date'],
    ...['access-control-allow-origin', 'access-control-expose-headers'],
  ];
  for (const name of names) expect([name, more.headers[name]]).toEqual([name, latest.headers[name]]);
  // But for the tail, to which the document leads.
  expect(String(latest.headers.link)).toContain(String(more.headers.link));
  await server.log.append([upsert(1, 10)]);
  const past = await server.get(`/vehicles/more/${EPOCH}-3`);
  expect(past.headers['ldes-cursor']).toBe(`${EPOCH}-3`);
  expect(past.headers['cache-control']).toMatch(/^public, max-age=[01],/);
  expect(past.headers).not.toHaveProperty('last-modified');
  const long = await server.get(`/vehicles/more/${'x'.repeat(9000)}`);
  expect([long.statusCode, long.json().code]).toEqual([414, 'ERR_URL_TOO_LONG']);
});

test('a server of its own takes it too', async () => {
  const { description, log, time } = await testServer();
  const server = await createLiveServer({
    publicUrl: description.publicUrl,
    streams: [{ description, log }],
    clock: () => time.nowMs,
    extend,
  });
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  const answer = await fetch(`http://127.0.0.1:${port}/vehicles/more/${EPOCH}-0`);
  expect([answer.status, answer.headers.get('ldes-cursor')]).toEqual([200, `${EPOCH}-0`]);
  await server.close();
});

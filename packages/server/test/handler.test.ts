import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { formatCursor } from '@ldes-live/rdf-stream';
import { channelPair } from '@ldes-live/test-support/channels';
import { readEvents } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createLiveServer, createWorkerServer, type LiveServer, liveStreams, type StreamSource } from '../src/index.ts';
import { type Answer, ask } from './ask.ts';
import { parsedLines } from './kept-lines.ts';
import { liveServer } from './push-server.ts';
import { EPOCH, emptyStream, PUBLIC_URL, upsert } from './test-server.ts';

// The same table for both entries: a server of its own, and the plugin in an app of somebody else.
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
  whole.setNotFoundHandler((_request, reply) => reply.code(404).send('of the app'));
  await whole.register(liveStreams, await options());
  const port = await live.listen({ host: '127.0.0.1', port: 0 });
  await whole.listen({ host: '127.0.0.1', port: 0 });
  ports = { live: port, whole: (whole.server.address() as AddressInfo).port };
});

afterAll(async () => {
  await Promise.all([live.close(), whole.close()]);
});

// What GET is answered by at each; what is undefined is the app's own around the plugin.
const PATHS: [path: string, server: number, plugin?: number][] = [
  ['/vehicles', 200, 200],
  ['/vehicles/', 404, 404],
  ['/vehicles//', 404, 404],
  ['//vehicles', 404],
  ['/Vehicles', 404],
  ['/vehicle%73', 200, 200],
  ['/vehicle%7', 400, 400],
  ['/vehicles/latest', 200, 200],
  ['/vehicles/latest/', 404, 404],
  ['/vehicles/latest/x', 404, 404],
  ['/vehicles/%6Catest', 200, 200],
  ['/vehicles%2Flatest', 404],
  ['/vehicles/latest?', 200, 200],
  ['/vehicles/latest?x=1', 200, 200],
  ['/vehicles/latest#x', 200, 200],
  ['/vehicles/tiles', 200, 200],
  ['/vehicles/tiles/0/0/0', 307, 307],
  ['/vehicles/tiles/elsewhere', 200, 200],
  ['/vehicles/entities/7', 200, 200],
  ['/vehicles/entities/%37', 404, 404],
  ['/vehicles/entities/7/', 404, 404],
  ['/vehicles/entities/none', 404, 404],
  ['/vehicles/shape', 200, 200],
  ['/vehicles/shape/', 404, 404],
  ['/vehicles/events/', 404, 404],
  ['/vehicles/events?from=x', 400, 400],
  ['/vehicles/pages', 400, 400],
  [`/vehicles/pages?after=${EPOCH}-0`, 307, 307],
  [`/vehicles/pages/${EPOCH}/0`, 200, 200],
  [`/vehicles/pages/${EPOCH}/0/`, 404, 404],
  [`/vehicles/pages/${EPOCH}/00`, 404, 404],
  [`/vehicles/pages/${EPOCH}//0`, 404, 404],
  [`/vehicles/pages/${EPOCH}/1`, 200, 200],
  [`/vehicles/pages/${EPOCH}/2`, 404, 404],
  ['/vehicles/pages/other/0', 410, 410],
  [`/vehicles/pages/${EPOCH}/range-0`, 200, 200],
  [`/vehicles/pages/${EPOCH}/after-0`, 200, 200],
  [`/vehicles/pages/${EPOCH}/after-7`, 200, 200],
  [`/vehicles/pages/${EPOCH}/after-300`, 200, 200],
  [`/vehicles/pages/${EPOCH}/after-301`, 410, 410],
  ['/vehicles/../vehicles/latest', 404, 404],
  ['/vehicles/./latest', 404, 404],
  ['/vehicles/%', 400, 400],
  ['http://elsewhere.example/vehicles/latest', 200, 200],
  ['HTTPS://elsewhere.example:1/vehicles?x', 200, 200],
  ['http://elsewhere.example', 200, 200],
  ['http://elsewhere.example?x', 200, 200],
  ['/', 200, 200],
  ['/?x', 200, 200],
  ['/health', 200, 200],
  ['/health/', 404],
  ['/metrics', 200, 200],
  ['/ns/live', 200, 200],
  ['/ns/none', 404, 404],
  ['/nonsense', 404],
  [`/vehicles/${'x'.repeat(9000)}`, 414, 414],
];

const HEADERS: Record<string, string>[] = [
  {},
  { method: 'POST' },
  { method: 'OPTIONS' },
  { accept: 'text/turtle', 'accept-encoding': 'gzip' },
  { accept: 'image/png' },
  { 'accept-encoding': 'identity;q=0' },
  { 'if-none-match': '*' },
  { 'if-modified-since': 'Thu, 01 Jan 2026 00:00:10 GMT' },
];

test.each(PATHS)(
  'DOC-1 DOC-18 %s is answered by %d, to HEAD as to GET, by the plugin as by a server of its own',
  async (path, own, within) => {
    expect((await ask(ports.live, path, {})).status).toBe(own);
    if (within === undefined) return expect((await ask(ports.whole, path, {})).body).toContain('of the app');
    expect((await ask(ports.whole, path, {})).status).toBe(within);
    if (within !== own || within === 400 || path === '/metrics') return;
    for (const headers of HEADERS) {
      // Twice: at first it is made, and then it is ready.
      for (const time of ['first', 'then']) {
        const [ours, expected] = await Promise.all([ask(ports.live, path, headers), ask(ports.whole, path, headers)]);
        expect(undated(ours), `${time} ${JSON.stringify(headers)}`).toEqual(undated(expected));
      }
    }
  },
);

/** An answer but for the second in which it was sent. */
const undated = (answer: Answer) => ({ ...answer, headers: { ...answer.headers, date: 'then' } });

test.each(['on', '%7Eon'])('DOC-1 the path /%s/live may be there or not, as proxies have it', async (begin) => {
  const publicUrl = `https://a.example/${begin}/live/`;
  const stream = await emptyStream(clock, { publicUrl });
  const extend = async (added: FastifyInstance) => void added.get('/vehicles/more', async () => ({}));
  const { port, base, server } = await liveServer({ publicUrl, extend }, stream);
  const paths = ['', 'health', 'vehicles', 'vehicles/latest', 'vehicles/pages/x/y/..', 'vehicles/more', 'ns/live'];
  for (const path of paths) {
    const answers = await Promise.all(['/', `/${begin}/live/`].map((above) => ask(port, `${above}${path}`, {})));
    expect(answers[0]?.status, path).toBe(path.endsWith('..') ? 404 : 200);
    expect(answers[1]?.status, path).toBe(answers[0]?.status);
  }
  for (const path of ['/on', '/on/vehicles', '/on/live/on/live/vehicles', '/on/livevehicles']) {
    expect((await ask(port, path, {})).status, path).toBe(404);
  }
  const [left, right] = channelPair();
  server.attachWorker(left, 1);
  const worker = await createWorkerServer({ channel: right, ownerUrl: base, logger: false });
  onTestFinished(() => worker.close());
  const workerPort = await worker.listen({ host: '127.0.0.1', port: 0 });
  for (const path of ['/vehicles/events', `/${begin}/live/vehicles/events`, `/${begin}/live/vehicles/latest`]) {
    expect((await ask(workerPort, path, { method: 'HEAD' })).status, path).toBe(200);
  }
});

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'];

test.each([
  ...['/', '/health', '/metrics', '/ns/live', '/ns/none', '/vehicles', '/vehicles/latest', '/vehicles/events'],
  ...['/vehicles/shape', `/vehicles/pages/${EPOCH}/0`, '/vehicles/nonsense', '/vehicles/entities/none'],
])('DOC-42 a method that %s does not have is answered by 405 with those that it has', async (path) => {
  for (const port of Object.values(ports)) {
    for (const method of METHODS) {
      // Whatever the content is: nothing of it is read.
      const headers = { method, 'content-type': 'image/png', 'content-length': '0' };
      const { status, headers: fields, body } = await ask(port, path, headers);
      expect([status, (fields as Record<string, string>).allow], method).toEqual([405, 'GET, HEAD, OPTIONS']);
      expect(body).toContain('ERR_METHOD');
    }
  }
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

test('DOC-11 a 304 has the fields that move or that caches need, in less than 400 bytes', async () => {
  const { headers } = await ask(ports.live, '/vehicles/latest', {});
  const { etag } = headers as { etag: string };
  const socket = connect(ports.live, '127.0.0.1');
  socket.write(`GET /vehicles/latest HTTP/1.1\r\nHost: a\r\nIf-None-Match: ${etag}\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  const lines = answer.toString().trim().split('\r\n');
  expect(lines.shift()).toBe('HTTP/1.1 304 Not Modified');
  expect(answer.length).toBeLessThan(400);
  expect(lines.map((line) => line.split(':')[0]?.toLowerCase()).sort()).toEqual([
    ...['cache-control', 'connection', 'date', 'etag', 'expires', 'keep-alive', 'ldes-cursor', 'next-update', 'vary'],
    'x-accel-expires',
  ]);
});

test('DOC-7 any JSON is JSON-LD, and says so', async () => {
  for (const path of ['/', '/vehicles', '/vehicles/latest', '/vehicles/shape', '/ns/live']) {
    const { status, headers, body } = await ask(ports.live, path, { accept: 'application/json, text/plain, */*' });
    expect([status, (headers as Record<string, string>)['content-type']]).toEqual([200, 'application/ld+json']);
    expect(JSON.parse(body)).toHaveProperty('@context');
  }
});

test('LOG-1 `listening`, `stream opened`, `draining` and `stopped` are logged in turn', async () => {
  const { lines, logger } = parsedLines('info');
  const { log, server, port } = await liveServer({ logger, push: { shutdownGraceMs: 1 } });
  await server.close();
  const cursor = formatCursor(log.head.cursor);
  expect(lines).toMatchObject([
    { level: 30, msg: 'stream opened', stream: 'vehicles', cursor, entities: 0, heldFrom: 1, sources: 0 },
    { level: 30, msg: 'listening', host: '127.0.0.1', port },
    { level: 30, msg: 'draining', connections: 0, graceMs: 1 },
    { level: 30, msg: 'stopped', ms: expect.any(Number) },
  ]);
});

test('DOC-80, PUSH-65 what may change says how the sources of its stream fare, on 200 and on 304', async () => {
  let failingSince: string | undefined = '2026-01-01T00:00:03.400Z';
  const health = () => ({ origin: 'feed', state: 'ok', polls: { good: 1, bad: 0 }, errors: {}, findings: {} }) as const;
  const source: StreamSource = {
    origin: 'feed',
    async *drafts(_latest, signal) {
      yield [];
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
    health: () => ({ ...health(), ...(failingSince === undefined ? {} : { failingSince }) }),
  };
  const stream = await emptyStream(clock);
  await stream.log.append(Array.from({ length: 260 }, (_, number) => upsert(number, number)));
  const { port } = await liveServer({ streams: [{ ...stream, sources: [source] }], clock });
  const said = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await ask(port, path, headers);
    return [answer.status, (answer.headers as Record<string, string>)['ldes-source']];
  };
  for (const path of ['', '/latest', '/tiles', `/pages/${EPOCH}/1`, `/pages/${EPOCH}/after-7`, '/entities/7']) {
    expect(await said(`/vehicles${path}`), path).toEqual([200, 'failing;since=@1767225603']);
  }
  expect(await said('/vehicles/latest', { 'if-none-match': '*' })).toEqual([304, 'failing;since=@1767225603']);
  const { response, close } = await readEvents(`http://127.0.0.1:${port}/vehicles/events`);
  onTestFinished(close);
  expect(response.headers.get('ldes-source')).toBe('failing;since=@1767225603');
  expect(await said(`/vehicles/pages/${EPOCH}/0`)).toEqual([200, undefined]);
  expect((await ask(ports.live, '/vehicles/latest', {})).headers).not.toHaveProperty('ldes-source');
  failingSince = undefined;
  await eventually(async () => expect(await said('/vehicles/latest')).toEqual([200, 'ok']), { forMs: 5000 });
});

test('DOC-1 a server of its own publishes its streams, and answers the rest with a problem', async () => {
  const { server, base } = await liveServer();
  expect((await fetch(`${base}/vehicles`)).status).toBe(200);
  expect(await (await fetch(`${base}/nonsense`)).json()).toMatchObject({ code: 'ERR_STREAM_UNKNOWN' });
  expect(await (await fetch(`${base}/%`)).json()).toMatchObject({ code: 'ERR_REQUEST', status: 400 });
  await server.close();
  await expect(fetch(`${base}/vehicles`)).rejects.toThrow();
});

test('a server stops whatever its connections do', async () => {
  const { server, port, read } = await liveServer();
  const idle = connect(port, '127.0.0.1');
  await once(idle, 'connect');
  await read();
  const closed = once(idle, 'close');
  await server.close();
  await closed;
});

test('a busy port is refused with the error of the system', async () => {
  const { port } = await liveServer();
  const other = await createLiveServer({ publicUrl: PUBLIC_URL, streams: [await emptyStream()] });
  await expect(other.listen({ host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await other.close();
});

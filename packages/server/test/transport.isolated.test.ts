import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:http2';
import { request as secureRequest } from 'node:https';
import { type AddressInfo, createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';
import type { Log } from '@ldes-live/log';
import { formatCursor, SseParser } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { FROM_SOURCES } from '@ldes-live/test-support/sources';
import Fastify, { type FastifyInstance } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { type LiveStreamsOptions, liveStreams } from '../src/index.ts';
import { takeOver } from '../src/push/subscriber.ts';
import { eventsOf } from './push-lines.ts';
import { liveServer } from './push-server.ts';
import { EPOCH, emptyStream, entityOf, PUBLIC_URL, upsert } from './test-server.ts';
import { whenClosed } from './when-closed.ts';

const PATH = '/vehicles/events';

/** An app of somebody else that the streams are put into. */
async function within(
  app: FastifyInstance,
  push: LiveStreamsOptions['push'] = {},
): Promise<{ port: number; log: Log }> {
  const stream = await emptyStream();
  await app.register(liveStreams, { publicUrl: PUBLIC_URL, streams: [stream], push });
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await app.close();
    await stream.log.close();
  });
  return { port: (app.server.address() as AddressInfo).port, log: stream.log };
}

/** The ids of the updates that come in a body. */
function idsIn(body: Readable, coding: string | undefined): string[] {
  const ids: string[] = [];
  const parser = new SseParser({ onEvent: ({ event, id }) => event === 'update' && ids.push(id) });
  const plain = coding === 'gzip' ? body.pipe(createGunzip({ flush: constants.Z_SYNC_FLUSH })) : body;
  plain.on('data', (chunk: Buffer) => parser.push(chunk));
  // A stream has no end of its own.
  plain.on('error', () => undefined);
  return ids;
}

async function expectEach(log: Log, ids: readonly string[]): Promise<void> {
  const expected: string[] = [];
  for (let value = 1; value <= 5; value += 1) {
    const commit = await log.append([upsert(1, value), upsert(2, value)]);
    expected.push(formatCursor((commit ?? log.head).cursor));
    await eventually(() => expect(ids).toEqual(expected), { forMs: 10_000, everyMs: 5 });
  }
}

test.each([undefined, 'gzip'])('PUSH-63 over HTTP/2 the stream is the same (%s)', async (coding) => {
  const { port, log } = await within(Fastify({ http2: true }) as unknown as FastifyInstance);
  const session = connect(`http://127.0.0.1:${port}`);
  onTestFinished(() => session.destroy());
  const opened = [1, 2].map(() => session.request({ ':path': PATH, ...(coding && { 'accept-encoding': coding }) }));
  const read: string[][] = [];
  for (const stream of opened) {
    const [headers] = await once(stream, 'response');
    expect(headers).toMatchObject({ ':status': 200, 'content-type': 'text/event-stream' });
    expect(headers['content-encoding']).toBe(coding);
    expect(headers).not.toHaveProperty('connection');
    read.push(idsIn(stream, coding));
  }
  const [first, second] = read as [string[], string[]];
  await expectEach(log, first);
  expect(second).toEqual(first);
  // One of two streams on a connection ends, the other goes on.
  opened[0]?.close();
  const commit = await log.append([upsert(3, 1)]);
  await eventually(() => expect(second.at(-1)).toBe(formatCursor((commit ?? log.head).cursor)));
  expect(first).not.toContain(second.at(-1));
});

test.each([undefined, 'gzip'])('PUSH-63 over TLS the stream is the same (%s)', async (coding) => {
  const { port, log } = await within(Fastify({ https: certificate() }) as unknown as FastifyInstance);
  const headers = coding === undefined ? {} : { 'accept-encoding': coding };
  const request = secureRequest({ host: '127.0.0.1', port, path: PATH, headers, rejectUnauthorized: false });
  request.end();
  onTestFinished(() => void request.destroy());
  const [response] = await once(request, 'response');
  expect(response.headers['content-encoding']).toBe(coding);
  await expectEach(log, idsIn(response, coding));
});

test('PUSH-27 a response that an app has begun itself is no stream, and takes no place', async () => {
  const app = Fastify({ http2: true }) as unknown as FastifyInstance;
  app.addHook('preHandler', async ({ headers }, reply) => {
    if (headers['x-begun']) reply.raw.flushHeaders();
  });
  const { port } = await within(app, { limitConnections: 1 });
  const session = connect(`http://127.0.0.1:${port}`);
  onTestFinished(() => session.destroy());
  const begun = session.request({ ':path': PATH, 'x-begun': '1' });
  begun.on('error', () => undefined);
  const whenClosed = once(begun, 'close');
  await once(begun, 'response');
  begun.close();
  await whenClosed;
  const [headers] = await once(session.request({ ':path': PATH }), 'response');
  expect(headers).toMatchObject({ ':status': 200 });
});

// Made anew for each run: one that lies here would expire.
function certificate(): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'ldes-live-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-days', '2'];
  const files = ['-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...files], { stdio: 'ignore' });
  const made = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  rmSync(folder, { recursive: true });
  return made;
}

async function rawServer(push = {}) {
  const { server, log, port } = await liveServer({ push });
  // A connection on which requests are written as they are.
  const open = (text: string) => {
    const socket = createConnection(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => {});
    socket.write(text);
    onTestFinished(() => void socket.destroy());
    return { socket, content: () => Buffer.concat(chunks).toString() };
  };
  return { server, log, open };
}

const get = (path: string, ...fields: string[]) =>
  `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`;

test('PUSH-1 a stream that is asked for on a connection behind a document comes after it', async () => {
  const { server, log, open } = await rawServer();
  await log.append([upsert(1, 1)]);
  const { content } = open(
    get('/vehicles', 'accept: text/turtle') + get('/vehicles/latest') + get(`/vehicles/events?from=${EPOCH}-0`),
  );
  await eventually(() => expect(server.pushConnections).toBe(1));
  await log.append([upsert(1, 2)]);
  await eventually(() => expect(content()).toContain(`id: ${EPOCH}-2`));
  expect([...content().matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)).toEqual(['200', '200', '200']);
  const stream = content().slice(content().indexOf('text/event-stream'));
  expect(eventsOf(stream.slice(stream.indexOf('retry:'))).map(({ id }) => id)).toEqual([`${EPOCH}-1`, `${EPOCH}-2`]);
});

test('PUSH-27 requests that wait behind a stream take no place, and are forgotten with their connection', async () => {
  const { server, log, open } = await rawServer({ limitConnections: 2 });
  const { socket, content } = open(get('/vehicles/events').repeat(20));
  await eventually(() => expect(content()).toContain('retry:'));
  expect(server.pushConnections).toBe(1);
  // There is room for another one.
  const other = open(get('/vehicles/events'));
  await eventually(() => expect(server.pushConnections).toBe(2));
  await log.append([upsert(1, 1)]);
  await eventually(() => expect(other.content()).toContain(`id: ${EPOCH}-1`));
  // Only the first is ever answered: its answer ends with the connection.
  expect(content().match(/^HTTP/gm)).toHaveLength(1);
  socket.destroy();
  other.socket.destroy();
  await eventually(() => expect(server.pushConnections).toBe(0));
});

test('PUSH-1 what is wrong with a request behind a document is said in its place', async () => {
  const { server, open } = await rawServer();
  const { content } = open(get('/vehicles', 'accept: text/turtle') + get('/vehicles/events?from=nonsense'));
  await eventually(() => expect(content()).toContain('ERR_CURSOR_MALFORMED'));
  expect([...content().matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)).toEqual(['200', '400']);
  expect(server.pushConnections).toBe(0);
});

test('PUSH-27 a client that closes while its request waits behind another leaves nothing behind', async () => {
  const { server, log, open } = await rawServer();
  let letThrough = () => {};
  const gate = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  await log.append([upsert(1, 1)]);
  const { readMembers } = log;
  let asked = false;
  log.readMembers = async function held(sequences) {
    asked = true;
    await gate;
    return readMembers.call(this, sequences);
  };
  const { socket } = open(get(new URL(entityOf(1)).pathname) + get('/vehicles/events'));
  await eventually(() => expect(asked).toBe(true));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(server.pushConnections).toBe(0);
  socket.destroy();
  letThrough();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(server.pushConnections).toBe(0);
  const later = open(get('/vehicles/events'));
  await eventually(() => expect(server.pushConnections).toBe(1));
  later.socket.destroy();
  await eventually(() => expect(server.pushConnections).toBe(0));
});

test('PUSH-1 what comes after a request for a stream is no part of it, whatever it is', async () => {
  const { server, log, open } = await rawServer();
  const { socket, content } = open(get('/vehicles/events'));
  await eventually(() => expect(content()).toContain('retry:'));
  const before = content().length;
  socket.write(`\0garbage\r\n\r\n${get('/vehicles/latest')}`);
  await log.append([upsert(1, 1)]);
  await eventually(() => expect(content()).toContain(`id: ${EPOCH}-1`));
  expect(content().slice(before)).toMatch(/^[\da-f]+\r\nevent: update\n/);
  expect(content().match(/HTTP\//g)).toHaveLength(1);
  socket.destroy();
  await eventually(() => expect(server.pushConnections).toBe(0));
});

test('PUSH-1 what comes together with a request for a stream and is none ends the stream, and is not answered in it', async () => {
  const { server, open } = await rawServer();
  const { socket, content } = open(`${get('/vehicles/events')}\0garbage\r\n\r\n`);
  await whenClosed(socket);
  // The header of the stream, if it has gone, and no other.
  expect([...content().matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)).not.toContain('400');
  await eventually(() => expect(server.pushConnections).toBe(0));
});

test('PUSH-27 requests that come after one for a stream are not even read', async () => {
  const cursor = { epoch: EPOCH, sequence: 0 };
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    const { socket, header } = takeOver({ request, response }, { cursor, link: '', encoding: 'identity' });
    socket.write(header);
  });
  onTestFinished(() => void server.close().closeAllConnections());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = createConnection((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(get('/vehicles/events'));
  await once(socket, 'data');
  socket.end(get('/vehicles/events').repeat(100));
  // It has read all of it, since it has seen the end.
  await whenClosed(socket);
  expect(requests).toBe(1);
});

test('PUSH-41 requests that wait behind a stream until its connection closes had no answer to be counted', async () => {
  const { server, open } = await rawServer();
  const { socket, content } = open(get('/vehicles/events').repeat(20));
  await eventually(() => expect(content()).toContain('retry:'));
  socket.destroy();
  await eventually(() => expect(server.pushConnections).toBe(0));
  const metrics = open(get('/metrics'));
  await eventually(() => expect(metrics.content()).toMatch(/requests_total\{.*kind="events".*\} /));
  const counts = [...metrics.content().matchAll(/requests_total\{.*kind="events".*\} (\d+)/g)].map(([, count]) =>
    Number(count),
  );
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1);
});

// A process whose standard error does not wait, as where others have it too: while it is full, nothing can be written.
const FAILING_SERVER = `
import { Socket } from 'node:net';
import { createLiveServer } from '@ldes-live/server';
import { emptyStream, PUBLIC_URL } from '${new URL('test-server.ts', import.meta.url)}';
new Socket({ fd: 2, readable: false });
const stream = await emptyStream();
stream.log.readLatest = () => Promise.reject(new Error('disk'.repeat(10_000)));
// Equal faults are lines as often as a minute has passed.
let now = Date.now();
const clock = () => (now += 61_000);
const server = await createLiveServer({ publicUrl: PUBLIC_URL, streams: [stream], clock });
console.log(await server.listen({ host: '127.0.0.1', port: 0 }));
`;

test('without a logger faults are lines on standard error, which says how many it did not take, and may break', async () => {
  const child = spawn(process.execPath, [...FROM_SOURCES, '--input-type=module', '--eval', FAILING_SERVER]);
  onTestFinished(() => void child.kill());
  const [port] = await once(child.stdout, 'data');
  let asked = 0;
  const ask = async () => {
    asked += 1;
    expect(
      (await fetch(`http://127.0.0.1:${Number(port)}/vehicles/latest`, { headers: { accept: 'text/turtle' } })).status,
    ).toBe(500);
  };
  while (asked < 20) await ask();
  let content = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    content += text;
  });
  // What standard error takes now begins with what is left of a line.
  await eventually(async () => {
    const lines = content
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    const faults = lines.filter(({ level, msg, err }) => level === 50 && msg === 'request failed' && err.message);
    const lost = lines.reduce((sum, { level, lines = 0 }) => sum + (level === 40 ? lines : 0), 0);
    if (lost === 0 || faults.length + lost < asked) await ask();
    expect([lost > 0, faults.length + lost]).toEqual([true, asked]);
  });
  child.stderr.destroy();
  for (let count = 0; count < 3; count += 1) await ask();
  expect(child.exitCode).toBeNull();
});

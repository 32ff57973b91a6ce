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
import { setImmediate } from 'node:timers/promises';
import { constants, createGunzip } from 'node:zlib';
import type { Log } from '@ldes-live/log';
import { formatCursor, HEARTBEAT_MS, SseParser } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { whenClosed } from '@ldes-live/test-support/net';
import { FROM_SOURCES } from '@ldes-live/test-support/sources';
import Fastify, { type FastifyInstance } from 'fastify';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type LiveStreamsOptions, liveStreams } from '../src/index.ts';
import { takeOver } from '../src/push/subscriber.ts';
import { eventsOf } from './push-lines.ts';
import { listening, liveServer } from './push-server.ts';
import { EPOCH, emptyStream, entityOf, PUBLIC_URL, testServer, upsert } from './test-server.ts';
import { aheadOfWorker } from './workers/worker-world.ts';

const PATH = '/vehicles/events';

/** Puts timers of the test in the place of some of the system's. */
function fake(...toFake: NonNullable<NonNullable<Parameters<typeof vi.useFakeTimers>[0]>['toFake']>): void {
  vi.useFakeTimers({ toFake });
  onTestFinished(() => void vi.useRealTimers());
}

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

/** A response as it is read: its fields, and the ids of the updates that have come. */
interface Opened {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly ids: string[];
  close(): void;
}

function opened(headers: Opened['headers'], body: Readable, close: () => void): Opened {
  const ids: string[] = [];
  const parser = new SseParser({ onEvent: ({ event, id }) => event === 'update' && ids.push(id) });
  const isGzip = headers['content-encoding'] === 'gzip';
  const plain = isGzip ? body.pipe(createGunzip({ flush: constants.Z_SYNC_FLUSH })) : body;
  plain.on('data', (chunk: Buffer) => parser.push(chunk));
  // A stream has no end of its own.
  plain.on('error', () => undefined);
  return { headers, ids, close };
}

type Open = (port: number, headers: Record<string, string>) => Promise<Opened[]>;

const overHttp10: Open = async (port, headers) => {
  const socket = createConnection(port, '127.0.0.1');
  const fields = Object.entries({ host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${PATH} HTTP/1.0\r\n${fields.join('')}\r\n`);
  const [first] = (await once(socket, 'data')) as [Buffer];
  const end = first.indexOf('\r\n\r\n');
  const lines = first.toString('latin1', 0, end).split('\r\n').slice(1);
  socket.unshift(first.subarray(end + 4));
  const answered = Object.fromEntries(lines.map((line) => line.toLowerCase().split(': ')));
  expect(answered).not.toHaveProperty('transfer-encoding');
  return [opened(answered, socket, () => socket.destroy())];
};

const overTls: Open = async (port, headers) => {
  const request = secureRequest({ host: '127.0.0.1', port, path: PATH, headers, rejectUnauthorized: false });
  request.end();
  const [response] = await once(request, 'response');
  return [opened(response.headers, response, () => request.destroy())];
};

const overHttp2: Open = async (port, headers) => {
  const session = connect(`http://127.0.0.1:${port}`);
  onTestFinished(() => session.destroy());
  const streams = [1, 2].map(() => session.request({ ':path': PATH, ...headers }));
  return Promise.all(
    streams.map(async (stream) => {
      const [answered] = await once(stream, 'response');
      expect(answered).not.toHaveProperty('connection');
      return opened(answered, stream, () => stream.close());
    }),
  );
};

const TRANSPORTS: [string, () => object, Open][] = [
  ['HTTP/1.0', () => ({}), overHttp10],
  ['TLS', () => ({ https: certificate() }), overTls],
  ['HTTP/2', () => ({ http2: true }), overHttp2],
];

test.each(TRANSPORTS.flatMap(([name, ...how]) => [undefined, 'gzip'].map((coding) => [name, coding, ...how] as const)))(
  'PUSH-15, PUSH-1 over %s the stream is the same (coding: %s)',
  async (_name, coding, options, open) => {
    const { port, log } = await within(Fastify(options()) as unknown as FastifyInstance);
    const readers = await open(port, coding ? { 'accept-encoding': coding } : {});
    for (const { headers } of readers) {
      expect([headers['content-type'], headers['content-encoding']]).toEqual(['text/event-stream', coding]);
      expect(headers['access-control-allow-origin']).toBe('*');
    }
    const expected: string[] = [];
    const commit = async (value: number) => {
      const appended = await log.append([upsert(1, value), upsert(2, value)]);
      expected.push(formatCursor((appended ?? log.head).cursor));
      await eventually(() => expect(readers.at(-1)?.ids).toEqual(expected), { everyMs: 5 });
    };
    for (let value = 1; value <= 5; value += 1) await commit(value);
    expect(readers.map(({ ids }) => ids)).toEqual(readers.map(() => expected));
    // One of several streams on a connection ends, the others go on.
    if (readers.length > 1) {
      readers[0]?.close();
      await commit(6);
      expect(readers[0]?.ids).toEqual(expected.slice(0, -1));
    }
    for (const reader of readers) reader.close();
  },
);

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

const statusesIn = (content: string) => [...content.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));

test('PUSH-1 a stream that is asked for on a connection behind a document comes after it, or what is wrong with it', async () => {
  const { server, log, open } = await rawServer();
  await log.append([upsert(1, 1)]);
  const document = get('/vehicles', 'accept: text/turtle');
  const { content } = open(document + get('/vehicles/latest') + get(`${PATH}?from=${EPOCH}-0`));
  await eventually(() => expect(server.pushConnections).toBe(1));
  await log.append([upsert(1, 2)]);
  await eventually(() => expect(content()).toContain(`id: ${EPOCH}-2`));
  expect(statusesIn(content())).toEqual([200, 200, 200]);
  const stream = content().slice(content().indexOf('text/event-stream'));
  expect(stream).toMatch(/\r\nconnection: close\r\n/);
  expect(eventsOf(stream.slice(stream.indexOf('retry:'))).map(({ id }) => id)).toEqual([`${EPOCH}-1`, `${EPOCH}-2`]);
  const wrong = open(`${document}${get(`${PATH}?from=nonsense`)}`);
  await eventually(() => expect(wrong.content()).toContain('ERR_CURSOR_MALFORMED'));
  expect([statusesIn(wrong.content()), server.pushConnections]).toEqual([[200, 400], 1]);
});

test('PUSH-27, PUSH-41 requests that wait behind a stream take no slot, and are forgotten with their connection', async () => {
  const { server, log, open } = await rawServer({ limitConnections: 2 });
  const { socket, content } = open(get(PATH).repeat(20));
  await eventually(() => expect(content()).toContain('retry:'));
  expect(server.pushConnections).toBe(1);
  // There is room for another one.
  const other = open(get(PATH));
  await eventually(() => expect(server.pushConnections).toBe(2));
  await log.append([upsert(1, 1)]);
  await eventually(() => expect(other.content()).toContain(`id: ${EPOCH}-1`));
  // Only the first is ever answered: its answer ends with the connection.
  expect(statusesIn(content())).toEqual([200]);
  for (const each of [socket, other.socket]) each.destroy();
  await eventually(() => expect(server.pushConnections).toBe(0));
  const metrics = open(get('/metrics'));
  const counts = () => [...metrics.content().matchAll(/requests_total\{.*kind="events".*\} (\d+)/g)];
  await eventually(() => expect(counts().reduce((sum, [, count]) => sum + Number(count), 0)).toBe(2));
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
  const { socket } = open(get(new URL(entityOf(1)).pathname) + get(PATH));
  await eventually(() => expect(asked).toBe(true));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(server.pushConnections).toBe(0);
  socket.destroy();
  letThrough();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(server.pushConnections).toBe(0);
  const later = open(get(PATH));
  await eventually(() => expect(server.pushConnections).toBe(1));
  later.socket.destroy();
  await eventually(() => expect(server.pushConnections).toBe(0));
});

test('PUSH-1 what comes after a request for a stream is no part of it, whatever it is', async () => {
  const { server, log, open } = await rawServer();
  const { socket, content } = open(get(PATH));
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
  const { socket, content } = open(`${get(PATH)}\0garbage\r\n\r\n`);
  await whenClosed(socket);
  // The header of the stream, if it has gone, and no other.
  expect(statusesIn(content())).not.toContain(400);
  await eventually(() => expect(server.pushConnections).toBe(0));
});

test('PUSH-27 requests that come after one for a stream are not even read', async () => {
  const cursor = { epoch: EPOCH, sequence: 0 };
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    const { socket, header } = takeOver(
      { request, response },
      { cursor, link: '', source: undefined, encoding: 'identity' },
    );
    socket.write(header);
  });
  onTestFinished(() => void server.close().closeAllConnections());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = createConnection((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(get(PATH));
  await once(socket, 'data');
  socket.end(get(PATH).repeat(100));
  // It has read all of it, since it has seen the end.
  await whenClosed(socket);
  expect(requests).toBe(1);
});

test('PUSH-8 something is sent every 15 seconds unless it is configured', async () => {
  expect(HEARTBEAT_MS).toBe(15_000);
  fake('setInterval', 'clearInterval', 'performance');
  const { read } = await listening();
  const reader = await read();
  // Not by `eventually`, which would let the faked time pass.
  const comments = async (min: number) => {
    while (reader.comments.length < min) await setImmediate();
    return reader.comments.length;
  };
  let heard = await comments(1);
  for (let passed = 0; passed < 4; passed += 1) {
    vi.advanceTimersByTime(15_000);
    heard = await comments(heard + 1);
  }
  // Nor much more often than that.
  expect(heard).toBeLessThanOrEqual(6);
  // A server that stops waits by them.
  vi.useRealTimers();
});

test('PUSH-64 a reader who knows more than a worker waits for 5 s at most', async () => {
  fake('setTimeout', 'clearTimeout');
  const world = await aheadOfWorker((cursor) => [`?from=${cursor}`, {}]);
  let isAnswered = false;
  void world.reading.then(() => {
    isAnswered = true;
  });
  vi.advanceTimersByTime(4999);
  // A request of which nothing waits is answered after it, and before.
  expect((await fetch(`${world.workerUrl}${PATH}`, { method: 'HEAD' })).status).toBe(200);
  expect(isAnswered).toBe(false);
  vi.advanceTimersByTime(1);
  const reader = await world.reading;
  vi.useRealTimers();
  // Another process may have what it knows of.
  await eventually(() => expect(reader.state.ended).toBe(true));
  expect([reader.response.status, reader.events, reader.retries.length]).toEqual([200, [], 1]);
});

test('streams that cannot be published leave nothing behind that goes on', async () => {
  const made = vi.spyOn(globalThis, 'setInterval');
  const cleared = vi.spyOn(globalThis, 'clearInterval');
  const { description, log } = await testServer();
  made.mockClear();
  const unsubscribed = vi.fn();
  const subscribed = vi.spyOn(log, 'subscribe').mockReturnValue(unsubscribed);
  const app = Fastify();
  app.get('/health', async () => 'of the app');
  const streams = [{ description, log }];
  await expect(app.register(liveStreams, { publicUrl: PUBLIC_URL, streams })).rejects.toThrow('/health');
  expect(made).toHaveBeenCalled();
  for (const { value } of made.mock.results) expect(cleared).toHaveBeenCalledWith(value);
  expect(unsubscribed).toHaveBeenCalledTimes(subscribed.mock.calls.length);
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

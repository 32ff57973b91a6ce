import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, onTestFinished, test } from 'vitest';
import { createLiveServer } from '../../src/create-live-server.ts';
import type { IngestLimits } from '../../src/ingest/ingest-options.ts';
import { hashToken } from '../../src/ingest/post-token.ts';
import { PUBLIC_URL } from '../test-server.ts';
import { whenClosed } from '../when-closed.ts';
import { workerWorld } from '../workers/worker-world.ts';
import { postingStreams, stateLines, TOKEN, versionLines } from './posting-server.ts';

async function listening(limits: Partial<IngestLimits> = {}) {
  const { log, streams, clock, time } = await postingStreams({ ingest: { limits } });
  const server = await createLiveServer({ publicUrl: PUBLIC_URL, streams, clock });
  onTestFinished(() => server.close());
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  return { server, log, port, time, url: `http://127.0.0.1:${port}/water` };
}

/** Begins a post, and says what has been answered since it was last asked. */
async function begun(port: number, fields: readonly string[] = [], token = TOKEN, path = '/water') {
  const socket: Socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (data) => {
    text += data;
  });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const head = [`POST ${path} HTTP/1.1`, 'host: a', `authorization: Bearer ${token}`];
  socket.write(`${[...head, 'content-type: application/n-quads', ...fields].join('\r\n')}\r\n\r\n`);
  const told = async (pattern: RegExp) => {
    await eventually(() => expect(text).toMatch(pattern), { everyMs: 5 });
    const found = text;
    text = '';
    return found;
  };
  const answer = async () => {
    const whole = await told(/\r\n\r\n\{.*\}/s);
    return { status: Number(whole.slice(9, 12)), json: JSON.parse(whole.slice(whole.indexOf('\r\n\r\n') + 4)) };
  };
  return { socket, told, answer };
}

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => versionLines(`a${index}/1`, `a${index}`, 1)).join('');

test('ING-1 answers before anything of the body is read', async () => {
  const { port } = await listening();
  const { answer } = await begun(port, ['content-length: 1000000'], 'nonsense');
  expect(await answer()).toMatchObject({ status: 401, json: { code: 'ERR_TOKEN_UNKNOWN' } });
});

test('ING-40 refuses a body by the length that it announces', async () => {
  const { port } = await listening({ limitBodyBytes: 1000 });
  const { answer } = await begun(port, ['content-length: 1001']);
  expect(await answer()).toMatchObject({ status: 413, json: { code: 'ERR_POST_TOO_LARGE', stored: 0 } });
});

test.each(['content-length: 1000000', 'transfer-encoding: chunked'])(
  'ING-44 answers a body with %s that breaks off with what is stored, and stores nothing else',
  async (length) => {
    const { port, log } = await listening({ limitBatchMembers: 10 });
    const { socket, answer } = await begun(port, [length]);
    const body = `${many(25)}<http://example.org/cut> <http://exam`;
    socket.write(length.startsWith('t') ? `${body.length.toString(16)}\r\n${body}` : body);
    await stored(log, 20);
    socket.end();
    const { status, json } = await answer();
    expect([status, json.code]).toEqual([400, 'ERR_POST_BROKEN_OFF']);
    expect(json).toMatchObject({ stored: 20, cursor: `${log.head.cursor.epoch}-20` });
    expect(json.bytes).toBeGreaterThan(0);
    expect(log.head.cursor.sequence).toBe(20);
  },
);

test('ING-44 answers a long body that breaks off while what came before is still stored', async () => {
  const { port, log } = await listening();
  const { socket, answer } = await begun(port, ['content-length: 100000000']);
  socket.end(many(5000));
  const { status, json } = await answer();
  expect([status, json.code, json.stored]).toEqual([400, 'ERR_POST_BROKEN_OFF', log.head.cursor.sequence]);
});

test('ING-27 a connection that is cut leaves what was stored, and the server goes on', async () => {
  const { port, log, url } = await listening({ limitBatchMembers: 10 });
  const { socket } = await begun(port, ['content-length: 1000000']);
  socket.write(many(25));
  await stored(log, 20);
  socket.resetAndDestroy();
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/n-quads' };
  const again = await fetch(url, { method: 'POST', headers, body: many(25) });
  expect(await again.json()).toMatchObject({ stored: 5, held: 20 });
  expect(log.head.cursor.sequence).toBe(25);
});

test('ING-43 answers a body by 408 that brings nothing for too long', async () => {
  const { port } = await listening({ limitSilenceMs: 20 });
  const { socket, answer } = await begun(port, ['content-length: 1000000']);
  socket.write(stateLines('a', 1));
  expect(await answer()).toMatchObject({
    status: 408,
    json: { code: 'ERR_POST_LATE', limit: 'limitSilenceMs', stored: 0 },
  });
});

test('ING-43 answers a body by 408 that takes too long in all', async () => {
  const { port, time, log } = await listening({ limitPostMs: 1000, limitBatchMembers: 1 });
  const { socket, answer } = await begun(port, ['content-length: 1000000']);
  socket.write(many(3));
  await stored(log, 1);
  time.nowMs += 1001;
  socket.write(many(3));
  expect(await answer()).toMatchObject({ status: 408, json: { code: 'ERR_POST_LATE', limit: 'limitPostMs' } });
});

test('ING-5 takes a body by gzip over a connection, in pieces as they come', async () => {
  const { port } = await listening();
  const packed = gzipSync(many(2000));
  const { socket, answer } = await begun(port, [`content-length: ${packed.length}`, 'content-encoding: gzip']);
  for (let from = 0; from < packed.length; from += 1000) socket.write(packed.subarray(from, from + 1000));
  expect(await answer()).toMatchObject({ status: 201, json: { stored: 2000 } });
});

test.each([
  ['401 by its token', 'nonsense', `${'x'.repeat(5_000_000)}\n`, 401],
  ['400 by its first line', TOKEN, `bad\n${many(50_000)}`, 400],
  ['413 by a member', TOKEN, `<http://example.org/a> <http://example.org/p> "${'x'.repeat(5_000_000)}" .\n`, 413],
])(
  'ING-45 who is refused (%s) may send all of the body, reads the answer then, and goes on',
  async (_, token, body, status) => {
    const { port } = await listening();
    const { socket, answer } = await begun(port, [`content-length: ${Buffer.byteLength(body)}`], token);
    socket.pause();
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.write(body, () => resolve());
    });
    socket.resume();
    expect((await answer()).status).toBe(status);
    const again = answerAfter(socket);
    socket.write('GET /water/latest HTTP/1.1\r\nhost: a\r\n\r\n');
    expect(await again).toMatch(/^HTTP\/1.1 200 /);
  },
);

test('ING-45 one whose gzip is refused in the middle is drained as well', async () => {
  const { port } = await listening();
  const body = Buffer.concat([gzipSync(many(2000)).subarray(0, 5000), Buffer.alloc(3_000_000, 7)]);
  const { socket, answer } = await begun(port, [`content-length: ${body.length}`, 'content-encoding: gzip']);
  socket.write(body.subarray(0, 1_000_000));
  expect(await answer()).toMatchObject({ status: 400, json: { code: 'ERR_POST_MALFORMED' } });
  const again = answerAfter(socket);
  socket.write(body.subarray(1_000_000));
  socket.write('GET /water/latest HTTP/1.1\r\nhost: a\r\n\r\n');
  expect(await again).toMatch(/^HTTP\/1.1 200 /);
});

test('ING-45 who is refused and ends the connection in the middle gets the one answer', async () => {
  const { port } = await listening();
  const { socket, answer } = await begun(port, ['content-length: 1000000'], 'nonsense');
  expect((await answer()).status).toBe(401);
  let more = '';
  socket.on('data', (data) => {
    more += data;
  });
  socket.end();
  await whenClosed(socket);
  expect(more).toBe('');
});

test('ING-46 who waits to be asked for the body is refused without, and asked where it is taken', async () => {
  const { port } = await listening();
  const fields = ['content-length: 100', 'expect: 100-continue'];
  const refused = await begun(port, fields, 'nonsense');
  const first = answerAfter(refused.socket);
  expect((await refused.answer()).status).toBe(401);
  expect(await first).toMatch(/^HTTP\/1.1 401 .*\r\nconnection: close\r\n/is);
  const body = stateLines('a', 1);
  const taken = await begun(port, [`content-length: ${body.length}`, 'expect: 100-continue']);
  expect(await answerAfter(taken.socket)).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\n/);
  const last = answerAfter(taken.socket);
  taken.socket.write(body);
  expect(await last).toMatch(/^HTTP\/1.1 201 /);
});

test('ING-47 a server that stops answers what it reads and what waits with what is stored', async () => {
  const { port, log, server } = await listening({ limitBatchMembers: 10, limitPosts: 1 });
  const { socket, answer } = await begun(port, ['content-length: 1000000']);
  socket.write(many(25));
  await stored(log, 20);
  const waiting = await begun(port, ['content-length: 1000000']);
  waiting.socket.write(many(1));
  await posts(port, 'waiting', 1);
  const closed = server.close();
  expect(await answer()).toMatchObject({ status: 503, json: { code: 'ERR_POST_STOPPING', stored: 20 } });
  expect(await waiting.answer()).toMatchObject({ status: 503, json: { code: 'ERR_POST_STOPPING', stored: 0 } });
  await closed;
  expect(log.head.cursor.sequence).toBe(20);
});

/** What comes next on a connection. */
async function answerAfter(socket: Socket): Promise<string> {
  const [data] = await once(socket, 'data');
  return String(data);
}

/** Resolves once so many posts are in a state. */
async function posts(port: number, state: string, count: number): Promise<void> {
  await eventually(async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).toContain(`ldes_live_posts{stream="water",state="${state}"} ${count}\n`);
  });
}

/** Resolves once so many members are in a log. */
async function stored(log: Awaited<ReturnType<typeof listening>>['log'], members: number): Promise<void> {
  if (log.head.cursor.sequence >= members) return;
  await new Promise<void>((resolve) => {
    const end = log.subscribe(({ cursor }) => {
      if (cursor.sequence < members) return;
      end();
      resolve();
    });
  });
}

test('ING-52 a worker passes posts on to the process that has the logs, however they are sent', async () => {
  const world = await workerWorld({}, { ingest: { tokenHashes: [hashToken(TOKEN)] } });
  const url = `${world.workerUrl}/vehicles`;
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/n-quads' };
  const lines = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => stateLines(`s${from + index}`, 'x'.repeat(100))).join('');
  // More than bodies that are kept in memory may have.
  const whole = await fetch(url, { method: 'POST', headers, body: lines(0, 10_000) });
  expect([whole.status, await whole.json()]).toMatchObject([201, { stored: 10_000 }]);
  expect(whole.headers.get('ldes-cursor')).toMatch(/-10000$/);
  const pieces = ReadableStream.from([Buffer.from(lines(10_000, 10)), Buffer.from(lines(10_010, 10))]);
  const streamed = await fetch(url, { method: 'POST', headers, body: pieces, duplex: 'half' } as RequestInit);
  expect([streamed.status, await streamed.json()]).toMatchObject([201, { stored: 20 }]);
  const refused = await fetch(url, { method: 'POST', headers: { 'content-type': 'text/turtle' }, body: lines(0, 1) });
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="vehicles"']);
  const preflight = await fetch(url, { method: 'OPTIONS' });
  expect(preflight.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST');
});

async function postingWorld() {
  const world = await workerWorld(
    {},
    { ingest: { tokenHashes: [hashToken(TOKEN)], limits: { limitBatchMembers: 10 } } },
  );
  const begin = (fields: readonly string[], token = TOKEN) =>
    begun(Number(new URL(world.workerUrl).port), fields, token, '/vehicles');
  return { ...world, begin };
}

const states = (count: number) => Array.from({ length: count }, (_, index) => stateLines(`s${index}`, 1)).join('');

test.each([
  ['ends', 'content-length: 1000000', ''],
  ['ends', 'transfer-encoding: chunked', ''],
  ['is no chunk', 'transfer-encoding: chunked', 'zz\r\n'],
])('ING-44 a body to a worker that %s (%s) is answered with what is stored', async (_, length, last) => {
  const { log, begin } = await postingWorld();
  const before = log.head.cursor.sequence;
  const { socket, answer } = await begin([length]);
  const body = `${states(25)}<http://example.org/cut> <http://exam`;
  socket.write(length.startsWith('t') ? `${body.length.toString(16)}\r\n${body}\r\n` : body);
  await eventually(() => expect(log.head.cursor.sequence).toBe(before + 20));
  if (last === '') socket.end();
  else socket.write(last);
  expect(await answer()).toMatchObject({ status: 400, json: { code: 'ERR_POST_BROKEN_OFF', stored: 20 } });
  await eventually(() => expect(socket.readableEnded).toBe(true));
  expect(log.head.cursor.sequence).toBe(before + 20);
});

test('ING-45 who is refused through a worker may send all of the body, reads the answer then, and goes on', async () => {
  const { begin } = await postingWorld();
  const body = 'x'.repeat(5_000_000);
  const { socket, answer, told } = await begin([`content-length: ${body.length}`], 'nonsense');
  socket.pause();
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.write(body, () => resolve());
  });
  socket.resume();
  expect(await answer()).toMatchObject({ status: 401, json: { code: 'ERR_TOKEN_UNKNOWN' } });
  socket.write('GET /vehicles/latest HTTP/1.1\r\nhost: a\r\n\r\n');
  expect(await told(/^HTTP/)).toMatch(/^HTTP\/1.1 200 /);
});

test('ING-46 who waits to be asked for the body is asked through a worker, or refused without', async () => {
  const { begin } = await postingWorld();
  const refused = await begin(['content-length: 100', 'expect: 100-continue'], 'nonsense');
  expect(await refused.told(/\}$/)).toMatch(/^HTTP\/1.1 401 .*\r\nconnection: close\r\n/is);
  const body = stateLines('a', 1);
  const taken = await begin([`content-length: ${body.length}`, 'expect: 100-continue']);
  expect(await taken.told(/\r\n\r\n/)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  taken.socket.write(body);
  expect((await taken.answer()).status).toBe(201);
});

test('ING-47 a server that stops answers what it reads through a worker with what is stored', async () => {
  const { log, begin, owner } = await postingWorld();
  const before = log.head.cursor.sequence;
  const { socket, answer } = await begin(['content-length: 1000000']);
  socket.write(states(25));
  await eventually(() => expect(log.head.cursor.sequence).toBe(before + 20));
  const closed = owner.close();
  expect(await answer()).toMatchObject({ status: 503, json: { code: 'ERR_POST_STOPPING', stored: 20 } });
  await closed;
});

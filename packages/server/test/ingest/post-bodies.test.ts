import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { eventually } from '@ldes-live/test-support/eventually';
import { whenClosed } from '@ldes-live/test-support/net';
import { expect, onTestFinished, test } from 'vitest';
import { hashToken } from '../../src/ingest/admission.ts';
import type { IngestLimits, LiveStream } from '../../src/options.ts';
import { createLiveServer } from '../../src/server.ts';
import { PUBLIC_URL } from '../test-server.ts';
import { workerWorld } from '../workers/worker-world.ts';
import { postingStreams, stateLines, TOKEN, versionLines } from './posting-server.ts';

async function listening(limits: Partial<IngestLimits> = {}) {
  const { log, streams, clock, time } = await postingStreams({ ingest: { limits } });
  const server = await createLiveServer({ publicUrl: PUBLIC_URL, streams, clock });
  onTestFinished(() => server.close());
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  const begin = (fields: readonly string[] = [], token = TOKEN) => begun(port, fields, token, '/water');
  return {
    close: () => server.close(),
    server,
    streams,
    log,
    port,
    begin,
    time,
    url: `http://127.0.0.1:${port}/water`,
  };
}

/** The same, through a worker. */
async function throughWorker(limits: Partial<IngestLimits> = {}) {
  const { log, owner, workerUrl } = await workerWorld(
    {},
    { stream: { ingest: { tokenHashes: [hashToken(TOKEN)], limits } } },
  );
  const begin = (fields: readonly string[] = [], token = TOKEN) =>
    begun(Number(new URL(workerUrl).port), fields, token, '/vehicles');
  return { close: () => owner.close(), log, begin };
}

const WAYS = [
  ['the server', listening],
  ['a worker', throughWorker],
] as const;

/** Begins a post, and says what has been answered since it was last asked. */
async function begun(port: number, fields: readonly string[], token: string, path: string) {
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
  const send = (body: string) => {
    socket.write(body);
    return answer();
  };
  return { socket, told, answer, send };
}

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => versionLines(`a${index}/1`, `a${index}`, 1)).join('');

test('ING-1 ING-40 answers before anything of the body is read, also by the length that it announces', async () => {
  const { begin } = await listening({ limitBodyBytes: 1000 });
  const unknown = await begin(['content-length: 1000000'], 'nonsense');
  expect(await unknown.answer()).toMatchObject({ status: 401, json: { code: 'ERR_TOKEN_UNKNOWN' } });
  const long = await begin(['content-length: 1001']);
  expect(await long.answer()).toMatchObject({ status: 413, json: { code: 'ERR_POST_TOO_LARGE', stored: 0 } });
});

const CUT = [
  ['ends', 'content-length: 1000000', ''],
  ['ends', 'transfer-encoding: chunked', ''],
  ['is no chunk', 'transfer-encoding: chunked', 'zz\r\n'],
] as const;

test.each(WAYS.flatMap(([way, open]) => CUT.map((cut) => [way, ...cut, open] as const)))(
  'ING-43 %s answers a body that %s (%s) with what is stored, and stores nothing else',
  async (_, _what, length, last, open) => {
    const { log, begin } = await open({ limitBatchMembers: 10 });
    const { epoch, sequence } = log.head.cursor;
    const { socket, answer } = await begin([length]);
    const body = `${many(25)}<http://example.org/cut> <http://exam`;
    socket.write(length.startsWith('t') ? `${body.length.toString(16)}\r\n${body}\r\n` : body);
    await stored(log, sequence + 20);
    if (last === '') socket.end();
    else socket.write(last);
    const { status, json } = await answer();
    expect([status, json.code]).toEqual([400, 'ERR_POST_BROKEN_OFF']);
    expect(json).toMatchObject({ stored: 20, cursor: `${epoch}-${sequence + 20}` });
    expect(json.bytes).toBeGreaterThan(0);
    await eventually(() => expect(socket.readableEnded).toBe(true));
    expect(log.head.cursor.sequence).toBe(sequence + 20);
  },
);

test('ING-43 answers a long body that breaks off while what came before is still stored', async () => {
  const { begin, log } = await listening();
  const { socket, answer } = await begin(['content-length: 100000000']);
  socket.end(many(5000));
  const { status, json } = await answer();
  expect([status, json.code, json.stored]).toEqual([400, 'ERR_POST_BROKEN_OFF', log.head.cursor.sequence]);
});

test('ING-27 a connection that is cut leaves what was stored, and the server goes on', async () => {
  const { begin, log, url } = await listening({ limitBatchMembers: 10 });
  const { socket } = await begin(['content-length: 1000000']);
  socket.write(many(25));
  await stored(log, 20);
  socket.resetAndDestroy();
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/n-quads' };
  const again = await fetch(url, { method: 'POST', headers, body: many(25) });
  expect(await again.json()).toMatchObject({ stored: 5, held: 20 });
  expect(log.head.cursor.sequence).toBe(25);
});

test('ING-43 answers a body by 408 that brings nothing for too long, or takes too long in all', async () => {
  const silent = await (await listening({ limitSilenceMs: 20 })).begin(['content-length: 1000000']);
  silent.socket.write(stateLines('a', 1));
  const late = { code: 'ERR_POST_LATE', stored: 0 };
  expect(await silent.answer()).toMatchObject({ status: 408, json: { ...late, limit: 'limitSilenceMs' } });
  const { begin, time, log } = await listening({ limitPostMs: 1000, limitBatchMembers: 1 });
  const { socket, answer } = await begin(['content-length: 1000000']);
  socket.write(many(3));
  await stored(log, 1);
  time.nowMs += 1001;
  socket.write(many(3));
  expect(await answer()).toMatchObject({ status: 408, json: { code: 'ERR_POST_LATE', limit: 'limitPostMs' } });
});

test('ING-5 takes a body by gzip over a connection, in pieces as they come', async () => {
  const { begin } = await listening();
  const packed = gzipSync(many(2000));
  const { socket, answer } = await begin([`content-length: ${packed.length}`, 'content-encoding: gzip']);
  for (let from = 0; from < packed.length; from += 1000) socket.write(packed.subarray(from, from + 1000));
  expect(await answer()).toMatchObject({ status: 201, json: { stored: 2000 } });
});

const REFUSED = [
  ['401 by its token', 'nonsense', `${'x'.repeat(5_000_000)}\n`, 401],
  ['400 by its first line', TOKEN, `bad\n${many(50_000)}`, 400],
  ['413 by a member', TOKEN, `<http://example.org/a> <http://example.org/p> "${'x'.repeat(5_000_000)}" .\n`, 413],
] as const;

test.each([
  ...REFUSED.map((row) => ['the server', ...row, listening] as const),
  ['a worker', ...REFUSED[0], throughWorker] as const,
])(
  'ING-45 who is refused by %s (%s) may send all of the body, reads the answer then, and goes on',
  async (_, _why, token, body, status, open) => {
    const { begin } = await open();
    const { socket, answer, told } = await begin([`content-length: ${Buffer.byteLength(body)}`], token);
    socket.pause();
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.write(body, () => resolve());
    });
    socket.resume();
    expect((await answer()).status).toBe(status);
    socket.write('GET /health HTTP/1.1\r\nhost: a\r\n\r\n');
    expect(await told(/^HTTP/)).toMatch(/^HTTP\/1.1 200 /);
  },
);

test('ING-45 one whose gzip is refused in the middle is drained as well', async () => {
  const { begin } = await listening();
  const body = Buffer.concat([gzipSync(many(2000)).subarray(0, 5000), Buffer.alloc(3_000_000, 7)]);
  const { socket, answer, told } = await begin([`content-length: ${body.length}`, 'content-encoding: gzip']);
  socket.write(body.subarray(0, 1_000_000));
  expect(await answer()).toMatchObject({ status: 400, json: { code: 'ERR_POST_MALFORMED' } });
  socket.write(body.subarray(1_000_000));
  socket.write('GET /water/latest HTTP/1.1\r\nhost: a\r\n\r\n');
  expect(await told(/^HTTP/)).toMatch(/^HTTP\/1.1 200 /);
});

test('ING-45 who is refused and ends the connection in the middle gets the one answer', async () => {
  const { begin } = await listening();
  const { socket, answer } = await begin(['content-length: 1000000'], 'nonsense');
  expect((await answer()).status).toBe(401);
  let more = '';
  socket.on('data', (data) => {
    more += data;
  });
  socket.end();
  await whenClosed(socket);
  expect(more).toBe('');
});

test.each(WAYS)('ING-42 who waits to be asked for the body is asked by %s, or refused without', async (_, open) => {
  const { begin } = await open();
  const refused = await begin(['content-length: 100', 'expect: 100-continue'], 'nonsense');
  expect(await refused.told(/\}$/)).toMatch(/^HTTP\/1.1 401 .*\r\nconnection: close\r\n/is);
  const body = stateLines('a', 1);
  const taken = await begin([`content-length: ${body.length}`, 'expect: 100-continue']);
  expect(await taken.told(/\r\n\r\n/)).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\n$/);
  taken.socket.write(body);
  expect((await taken.answer()).status).toBe(201);
});

test.each(WAYS)('ING-47 %s that stops answers what it reads with what is stored', async (_, open) => {
  const { log, begin, close } = await open({ limitBatchMembers: 10 });
  const { sequence } = log.head.cursor;
  const { socket, answer } = await begin(['content-length: 1000000']);
  socket.write(many(25));
  await stored(log, sequence + 20);
  const closed = close();
  expect(await answer()).toMatchObject({ status: 503, json: { code: 'ERR_POST_STOPPING', stored: 20 } });
  await closed;
  expect(log.head.cursor.sequence).toBe(sequence + 20);
});

test('ING-47 a server that stops answers what waits for its turn, too', async () => {
  const { port, log, begin, close } = await listening({ limitBatchMembers: 10, limitPosts: 1 });
  const { socket, answer } = await begin(['content-length: 1000000']);
  socket.write(many(25));
  await stored(log, 20);
  const waiting = await begin(['content-length: 1000000']);
  waiting.socket.write(many(1));
  await posts(port, 'waiting', 1);
  const closed = close();
  expect((await answer()).json).toMatchObject({ code: 'ERR_POST_STOPPING', stored: 20 });
  expect(await waiting.answer()).toMatchObject({ status: 503, json: { code: 'ERR_POST_STOPPING', stored: 0 } });
  await closed;
});

test('ING-42 one that breaks off while it waits leaves its place to the next', async () => {
  const { port, begin } = await listening({ limitPosts: 1, limitWaitingPosts: 1 });
  const body = stateLines('a', 1);
  const [first, second] = [await begin([`content-length: ${body.length}`]), await begin(['content-length: 100'])];
  await posts(port, 'waiting', 1);
  second.socket.end();
  expect(await second.answer()).toMatchObject({ status: 400, json: { code: 'ERR_POST_BROKEN_OFF', stored: 0 } });
  const third = await begin([`content-length: ${body.length}`]);
  await posts(port, 'waiting', 1);
  third.socket.write(body);
  first.socket.write(body);
  expect([(await first.answer()).status, (await third.answer()).status]).toEqual([201, 200]);
});

test('posts keep to the rules that they began with when others come to hold; keys and counts stay', async () => {
  const { begin, server, streams, port, url } = await listening({ limitPosts: 1 });
  const post = async (body: string) => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/n-quads', 'idempotency-key': 'k' };
    return (await fetch(url, { method: 'POST', headers, body })).json();
  };
  const [one, two] = [stateLines('a', 1), stateLines('b', 1) + stateLines('c', 1)];
  const first = await post(one);
  const running = await begin([`content-length: ${two.length}`]);
  await posts(port, 'reading', 1);
  const waiting = await begin([`content-length: ${two.length}`]);
  await posts(port, 'waiting', 1);
  const [water, ...others] = streams;
  const ingest = { tokenHashes: [hashToken('new')], limits: { limitPosts: 2, limitBodyMembers: 1 } };
  await server.setStreams([{ ...water, ingest } as LiveStream, ...others]);
  expect(await waiting.send(two)).toMatchObject({ status: 201, json: { stored: 2 } });
  expect(await running.send(two)).toMatchObject({ status: 200, json: { unchanged: 2 } });
  expect(await post(one)).toMatchObject({ code: 'ERR_TOKEN_UNKNOWN' });
  ingest.tokenHashes.push(hashToken(TOKEN));
  await server.setStreams([{ ...water, ingest } as LiveStream, ...others]);
  expect(await post(one)).toEqual(first);
  expect(await (await begin([`content-length: ${two.length}`])).send(two)).toMatchObject({ status: 413 });
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(metrics).toContain('ldes_live_posted_members_total{stream="water",result="stored"} 3\n');
});

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

test('a worker passes posts on to the process that has the logs, however they are sent', async () => {
  const world = await workerWorld({}, { stream: { ingest: { tokenHashes: [hashToken(TOKEN)] } } });
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

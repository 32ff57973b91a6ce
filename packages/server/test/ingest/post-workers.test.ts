import { once } from 'node:events';
import { connect } from 'node:net';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, onTestFinished, test } from 'vitest';
import { hashToken } from '../../src/ingest/post-token.ts';
import { workerWorld } from '../workers/worker-world.ts';
import { stateLines, TOKEN } from './posting-server.ts';

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
  /** Begins a post to the worker. */
  const begin = async (fields: readonly string[], token = TOKEN) => {
    const socket = connect({ port: Number(new URL(world.workerUrl).port), host: '127.0.0.1', allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    let text = '';
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const head = ['POST /vehicles HTTP/1.1', 'host: a', `authorization: Bearer ${token}`];
    socket.write(`${[...head, 'content-type: application/n-quads', ...fields].join('\r\n')}\r\n\r\n`);
    const told = async (pattern: RegExp) => {
      await eventually(() => expect(text).toMatch(pattern));
      const found = text;
      text = '';
      return found;
    };
    const answer = async () => {
      const whole = await told(/\r\n\r\n\{.*\}/s);
      return { status: Number(whole.slice(9, 12)), json: JSON.parse(whole.slice(whole.indexOf('\r\n\r\n') + 4)) };
    };
    return { socket, told, answer };
  };
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

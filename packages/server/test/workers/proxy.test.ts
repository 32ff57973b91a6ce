import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, onTestFinished, test } from 'vitest';
import { errors } from '../../src/errors.ts';
import { letBodiesWait } from '../../src/ingest/body.ts';
import { RequestProxy } from '../../src/request-proxy.ts';
import { EPOCH, fill, shownPages } from '../test-server.ts';
import { workerWorld } from './worker-world.ts';

const sleep = (durationMs: number, signal: AbortSignal) => setTimeout(durationMs, undefined, { signal });

async function proxyOf(ownerUrl: string): Promise<string> {
  const lost = (cause: unknown) => errors.ERR_OWNER_LOST({ retryAfterSeconds: 1 }, cause);
  const proxy = new RequestProxy({ sleep, lost });
  const listener: RequestListener = (request, response) => proxy.answer(request, response, ownerUrl);
  const server = letBodiesWait(createServer(listener), listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    proxy.close();
    // Who asks by fetch may open a connection that it never asks for anything on: it counts as in use.
    server.close().closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const owned = () => workerWorld({ pages: shownPages }, { before: (server) => fill(server, 600, 50) });

/** A server that does as it is told. */
async function recorded(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly content: string;
}

function ask(url: string, method: string, headers: Record<string, string> = {}, content?: string): Promise<Answer> {
  const { hostname, port } = new URL(url);
  // As it is written, dots and all.
  const path = url.slice(url.indexOf('/', 'http://'.length));
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, path, method, headers, agent: false }, async (response) => {
      response.setEncoding('latin1');
      resolve({ status: response.statusCode ?? 0, headers: response.headers, content: await text(response) });
    });
    request.on('error', reject);
    request.end(content);
  });
}

test.each<[string, string, Record<string, string>]>([
  ['GET', '/', {}],
  ['GET', '/', { accept: 'text/html' }],
  ['GET', '/status', {}],
  ['HEAD', '/vehicles?x', { accept: 'text/html' }],
  ['GET', '/health', {}],
  ['GET', '/vehicles', { accept: 'text/turtle' }],
  ['GET', '/vehicles', { accept: 'application/ld+json' }],
  ['GET', '/vehicles/latest', {}],
  ['GET', '/vehicles/shape', {}],
  ['GET', '/vehicles/tiles', {}],
  ['GET', `/vehicles/entities/3`, { accept: 'application/n-quads' }],
  ['GET', `/vehicles/pages/${EPOCH}/range-0`, {}],
  ['GET', `/vehicles/pages/${EPOCH}/1`, { accept: 'text/turtle', 'accept-encoding': 'gzip' }],
  ['GET', `/vehicles/pages/${EPOCH}/2`, {}],
  ['GET', `/vehicles/pages?after=${EPOCH}-300`, {}],
  ['GET', `/vehicles/pages?after=${EPOCH}-700`, {}],
  ['GET', '/vehicles/latest', { 'if-none-match': `"${EPOCH}-700.jsonld"` }],
  ['GET', '/vehicles/latest', { accept: 'application/n-quads', 'accept-encoding': 'gzip' }],
  ['GET', '/vehicles/latest', { 'accept-encoding': 'br' }],
  ['HEAD', '/vehicles/latest', {}],
  // Not modified.
  ['GET', '/vehicles/latest', { 'if-none-match': '*' }],
  ['GET', '/vehicles/latest', { accept: 'image/png' }],
  ['GET', `/vehicles/pages/${EPOCH}/after-590`, { accept: 'text/turtle' }],
  ['GET', `/vehicles/pages/${EPOCH}/after-601`, {}],
  ['GET', '/vehicles/pages', {}],
  ['GET', '/vehicles/pages?after=x', {}],
  ['GET', '/vehicles/nothing', {}],
  ['GET', '/nothing?a=b', {}],
  ['GET', '/vehicles/%zz', {}],
  ['GET', '//vehicles', {}],
  ['GET', '/vehicles/entities/a%20b%2F%E2%82%AC', {}],
  ['OPTIONS', '/vehicles/latest', { origin: 'http://a', 'access-control-request-method': 'GET' }],
  ['DELETE', '/vehicles', {}],
  ['PROPFIND', '/vehicles', {}],
  ['GET', `/${'a'.repeat(8192)}`, {}],
])('%s %s %j is answered as by the owner', async (method, path, headers) => {
  const { ownerUrl, workerUrl } = await owned();
  // Twice, since what is ready is answered in another way.
  await ask(ownerUrl + path, method, headers);
  const direct = await ask(ownerUrl + path, method, headers);
  const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, date: ____, ...own } = direct.headers;
  for (const other of [await proxyOf(ownerUrl), workerUrl, workerUrl]) {
    const answer = await ask(other + path, method, headers);
    const { connection: _2, 'keep-alive': __2, 'transfer-encoding': ___2, date: ____2, ...others } = answer.headers;
    expect(answer.status).toBe(direct.status);
    expect(others).toEqual(own);
    expect(answer.content).toBe(direct.content);
    expect(answer.headers.date).toBeDefined();
  }
});

test('a worker answers with documents itself, and what it does not have is counted once', async () => {
  const { ownerUrl, workerUrl } = await owned();
  const paths = ['', '/latest', '/entities/3', `/pages/${EPOCH}/2`, `/pages/${EPOCH}/1`, '/nothing'];
  for (const path of paths) await ask(`${workerUrl}/vehicles${path}`, 'GET');
  const { content } = await ask(`${ownerUrl}/metrics`, 'GET');
  const counted = [
    ...content.matchAll(/^ldes_live_requests_total\{stream="vehicles",kind="(\w+)",status="\w+"\} (\d+)$/gm),
  ];
  const kinds = ['root', 'latest', 'entity', 'open_page', 'sealed_page', 'other'].map((kind) => [kind, '1']);
  expect(counted.map(([, ...each]) => each).sort()).toEqual(kinds.sort());
});

test('the owner is told where a request came from, and nothing of its connection', async () => {
  const seen: IncomingMessage['headers'][] = [];
  const url = await recorded((request, response) => {
    seen.push(request.headers);
    response.setHeader('keep-alive', 'timeout=5').setHeader('x-own', '1').end('answer');
  });
  const proxy = await proxyOf(url);
  const answer = await ask(`${proxy}/a?b=c%20d`, 'GET', {
    'x-forwarded-for': '203.0.113.7',
    connection: 'close, x-mine',
    'x-mine': '1',
    te: 'trailers',
    'accept-encoding': 'gzip',
    expect: '100-continue',
  });
  expect(answer).toMatchObject({ status: 200, content: 'answer', headers: { 'x-own': '1', connection: 'close' } });
  expect(seen[0]).toMatchObject({ 'x-forwarded-for': '203.0.113.7, 127.0.0.1', 'accept-encoding': 'gzip' });
  for (const name of ['x-mine', 'te', 'expect']) expect(seen[0]).not.toHaveProperty(name);
});

test('content is passed on as it is, and that of a GET is not', async () => {
  const url = await recorded(async (request, response) => {
    response.end(`${request.url} ${request.headers['content-type']} ${await text(request)}`);
  });
  const proxy = await proxyOf(url);
  const post = await ask(`${proxy}/vehicles`, 'POST', { 'content-type': 'application/json' }, '{"a": 1 }');
  expect(post.content).toBe('/vehicles application/json {"a": 1 }');
  const get = await ask(`${proxy}/x`, 'GET', { 'content-type': 'text/plain', 'content-length': '3' }, 'abc');
  expect(get.content).toBe('/x text/plain ');
});

test('a refusal of the owner is passed on at once, and not asked again', async () => {
  let asked = 0;
  const url = await recorded((_request, response) => {
    asked += 1;
    response.writeHead(503, { 'retry-after': '7' }).end('later');
  });
  const proxy = await proxyOf(url);
  expect(await ask(`${proxy}/a`, 'GET')).toMatchObject({
    status: 503,
    content: 'later',
    headers: { 'retry-after': '7' },
  });
  expect(asked).toBe(1);
});

test('an owner that does not answer is a problem of its own', async () => {
  const proxy = await proxyOf('http://127.0.0.1:9');
  const { status, headers, content } = await ask(`${proxy}/vehicles/latest`, 'GET');
  expect(status).toBe(503);
  expect(headers).toMatchObject({
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'retry-after': '1',
  });
  expect(JSON.parse(content)).toMatchObject({ code: 'ERR_OWNER_LOST', status: 503, retryAfterSeconds: 1 });
});

test('a client that goes does not hold a connection to the owner', async () => {
  let closed = () => {};
  const whenClosed = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const url = await recorded((_request, response) => {
    response.on('close', closed);
    response.writeHead(200);
    const more = () => response.destroyed || response.write('x'.repeat(65_536), () => setImmediate(more));
    more();
  });
  const { port } = new URL(await proxyOf(url));
  const socket = connect(Number(port), '127.0.0.1');
  socket.write('GET /a HTTP/1.1\r\nhost: a\r\n\r\n');
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
  await whenClosed;
});

test('events without an end are passed on by connections of their own, which end with their readers', async () => {
  const open = new Set<ServerResponse>();
  const url = await recorded((request, response) => {
    if (request.headers.accept !== 'text/event-stream') {
      response.end('a document');
      return;
    }
    open.add(response);
    response.once('close', () => open.delete(response));
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${request.method}\n\n`);
  });
  const proxy = await proxyOf(url);
  const leaving = new AbortController();
  const readers = await Promise.all(
    Array.from({ length: 150 }, (_, index) =>
      fetch(`${proxy}/vehicles/sparql?query=ASK{}`, {
        headers: { accept: 'text/event-stream' },
        ...(index % 2 === 0 && { method: 'POST', body: 'x' }),
        signal: leaving.signal,
      }),
    ),
  );
  expect(open.size).toBe(150);
  const begun = await Promise.all(
    readers.map(async ({ body }) => new TextDecoder().decode((await body?.getReader().read())?.value)),
  );
  expect(new Set(begun)).toEqual(new Set(['data: GET\n\n', 'data: POST\n\n']));
  expect((await ask(`${proxy}/vehicles`, 'GET')).content).toBe('a document');
  leaving.abort();
  await eventually(() => expect(open.size).toBe(0));
});

import type { AddressInfo } from 'node:net';
import { eventually } from '@ldes-live/test-support/eventually';
import Fastify, { type FastifyInstance } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { hashToken, type LiveStreamsOptions, liveStreams } from '../src/index.ts';
import { ask } from './ask.ts';
import { EPOCH, emptyStream, fill, PUBLIC_URL, testServer, upsert } from './test-server.ts';

/** An app of somebody else, on a port, with streams that take posts in it. */
async function host(prepare: (app: FastifyInstance) => void, prefix = '') {
  const app = Fastify();
  prepare(app);
  const ingest = { tokenHashes: [hashToken('token')] };
  const publicUrl = `${PUBLIC_URL}${prefix.slice(1)}${prefix && '/'}`;
  const stream = await emptyStream(undefined, { publicUrl });
  await app.register(liveStreams, { publicUrl, streams: [{ ...stream, ingest }], prefix });
  app.get('/own', async () => ({ own: true }));
  onTestFinished(() => app.close());
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { ...stream, app, port };
}

const POST = {
  method: 'POST',
  authorization: 'Bearer token',
  'content-type': 'application/n-quads',
  'content-length': '0',
};

test('DOC-41 hooks of an app around run, what they have said goes first, and both say what an answer varies with', async () => {
  const answered: string[] = [];
  const { port } = await host((app) => {
    app.addHook('onRequest', async (_request, reply) => {
      reply.headers({ 'access-control-allow-origin': 'https://a.example', vary: 'Origin', 'x-around': 'app' });
    });
    app.addHook('onResponse', async (request, reply) => {
      answered.push(`${request.method} ${request.url} ${reply.statusCode}`);
    });
  });
  const expected = { 'access-control-allow-origin': 'https://a.example', 'x-around': 'app' };
  for (const [path, headers] of [
    ['/vehicles/latest', {}],
    ['/health', {}],
    ['/vehicles/nonsense', {}],
    ['/vehicles', POST],
    ['/vehicles/latest', { method: 'DELETE' }],
    ['/vehicles/latest', { method: 'OPTIONS' }],
  ] as const) {
    expect((await ask(port, path, headers)).headers, path).toMatchObject(expected);
  }
  const { headers } = await ask(port, '/vehicles/latest', {});
  expect(headers).toMatchObject({ vary: 'Accept, Accept-Encoding, Origin' });
  await eventually(() => expect(answered).toHaveLength(7));
  expect(answered).toEqual(expect.arrayContaining(['GET /vehicles/latest 200', 'POST /vehicles 400']));
});

test.each(['onRequest', 'preHandler'] as const)('a guard of an app around (%s) keeps readers out', async (hook) => {
  const { port } = await host((app) => {
    app.addHook(hook, async (request, reply) => {
      if (request.headers['x-key'] !== 'right') return reply.code(403).send({ by: 'guard' });
    });
  });
  for (const path of ['/vehicles', '/vehicles/latest', '/vehicles/events', '/health', '/metrics', '/']) {
    const refused = await ask(port, path, {});
    expect([refused.status, refused.body], path).toEqual([403, '{"by":"guard"}']);
  }
  expect((await ask(port, '/vehicles/latest', { 'x-key': 'right' })).status).toBe(200);
  // Posts are answered before their content is read: a guard of them is an `onRequest` hook.
  expect((await ask(port, '/vehicles', POST)).status).toBe(hook === 'onRequest' ? 403 : 400);
});

test('the errors of an app around are its own, and those of the streams are theirs', async () => {
  const { port, log } = await host((app) => {
    app.setErrorHandler((_error, _request, reply) => reply.code(418).send('teapot'));
    app.addHook('onRequest', async (request) => {
      if (request.headers['x-fail']) throw new Error('of the app');
    });
  });
  expect(await ask(port, '/vehicles/latest', { 'x-fail': '1' })).toMatchObject({ status: 418, body: 'teapot' });
  log.readLatest = () => Promise.reject(new Error('disk'));
  const failed = await ask(port, '/vehicles/latest', { accept: 'text/turtle' });
  expect([failed.status, JSON.parse(failed.body).code]).toEqual([500, 'ERR_INTERNAL']);
  expect(await ask(port, '/own', {})).toMatchObject({ status: 200, body: '{"own":true}' });
  expect(JSON.parse((await ask(port, '/else', {})).body)).toMatchObject({ error: 'Not Found' });
});

test('what an app around says of how long answers are kept stands alone, and errors are never kept', async () => {
  const { port, log } = await host((app) => {
    app.addHook('onRequest', async (_request, reply) => {
      reply.headers({ 'cache-control': 'private, max-age=5', vary: 'Cookie' });
    });
  });
  await log.append([upsert(1, 1)]);
  const { headers } = await ask(port, '/vehicles/latest', {});
  expect(headers).toMatchObject({ 'cache-control': 'private, max-age=5', vary: 'Accept, Accept-Encoding, Cookie' });
  for (const name of ['expires', 'x-accel-expires']) expect(headers).not.toHaveProperty(name);
  for (const path of ['/vehicles/none', '/vehicles/latest']) {
    const refused = await ask(port, path, { accept: 'image/png' });
    expect(refused.headers).toMatchObject({ 'cache-control': 'no-store', vary: 'Accept, Accept-Encoding, Cookie' });
  }
});

test('a header field that cannot be sent, set by an app around, fails the request and nothing else', async () => {
  const { port, log } = await host((app) => {
    app.addHook('onRequest', async (request, reply) => {
      if (request.headers['x-key'] !== 'right') reply.header('x-user', 'Łukasz');
    });
  });
  await log.append([upsert(1, 1)]);
  for (const [path, headers] of [
    ['/vehicles/latest', {}],
    ['/health', {}],
    ['/vehicles/nonsense', {}],
    ['/vehicles', POST],
    ['/vehicles', { method: 'DELETE' }],
  ] as const) {
    const { status, headers: fields } = await ask(port, path, headers);
    expect(status, path).toBeGreaterThanOrEqual(400);
    expect(fields, path).toMatchObject({ 'content-type': 'application/problem+json', 'cache-control': 'no-store' });
  }
  expect((await ask(port, '/vehicles/latest', { 'x-key': 'right' })).status).toBe(200);
});

test('what a hook of an app around answers by itself stays its own, and framing is not for an app to say', async () => {
  const { port, log } = await host((app) => {
    app.addHook('onRequest', async (request, reply) => {
      reply.header('content-length', '5');
      if (request.headers['x-own']) reply.raw.writeHead(203).end('its own');
    });
  });
  for (const path of ['/vehicles/latest', '/vehicles/events', '/health']) {
    expect(await ask(port, path, { 'x-own': '1' }), path).toMatchObject({ status: 203, body: 'its own' });
  }
  expect(await ask(port, '/vehicles', { ...POST, 'x-own': '1' })).toMatchObject({ status: 203, body: 'its own' });
  expect(log.head.cursor.sequence).toBe(0);
  expect(JSON.parse((await ask(port, '/vehicles/latest', {})).body)).toBeDefined();
  expect(JSON.parse((await ask(port, '/health', {})).body)).toBeDefined();
});

test('below a prefix that is the path of the public URL the streams are published', async () => {
  const { port, log } = await host(() => undefined, '/live');
  await log.append([upsert(1, 1)]);
  for (const path of ['/', '/?x', '/health', '/vehicles', '/vehicles/latest?x', '/ns/live']) {
    expect((await ask(port, `/live${path}`, {})).status, path).toBe(200);
  }
  for (const path of ['/vehicles', '/live/live/vehicles', '/live/vehicles/none', '/']) {
    expect((await ask(port, path, {})).status, path).toBe(404);
  }
  expect((await ask(port, '/live/vehicles', POST)).status).toBe(400);
});

test('without a socket, as tests of an app ask, documents are answered too', async () => {
  const { app } = await host(() => undefined);
  expect((await app.inject('/vehicles/latest')).statusCode).toBe(200);
  expect((await app.inject({ method: 'PUT', url: '/', payload: 'x' })).statusCode).toBe(405);
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

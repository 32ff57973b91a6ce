import { readEvents } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { liveStreams } from '../src/live-streams.ts';
import { EPOCH, fill, PUBLIC_URL, testServer } from './test-server.ts';

const EXPOSED = ['Age', 'Date', 'ETag', 'LDES-Cursor', 'Link', 'Next-Update', 'Retry-After'];

const ANSWERED: [path: string, headers: Record<string, string>, status: number][] = [
  ['/vehicles', {}, 200],
  ['/vehicles/latest', { 'accept-encoding': 'br' }, 200],
  ['/vehicles/latest', { 'if-none-match': '*' }, 304],
  ['/vehicles/latest', { accept: 'image/png' }, 406],
  [`/vehicles/pages?after=${EPOCH}-1`, {}, 307],
  ['/vehicles/pages', {}, 400],
  ['/vehicles/nonsense', {}, 404],
  ['/vehicles/%', {}, 400],
  ['/vehicles/pages/otherlife/0', {}, 410],
  ['/vehicles/events', { accept: 'text/turtle' }, 406],
  ['/nonsense', {}, 404],
  ['/', {}, 200],
  ['/', { accept: 'text/html' }, 200],
  ['/ns/live', {}, 200],
  ['/ns/live/context.jsonld', {}, 307],
  ['/health', {}, 200],
];

test.each(ANSWERED)('DOC-41 %s with %j can be read by scripts of every origin', async (path, headers, status) => {
  const server = await testServer();
  await fill(server, 2, 1);
  for (const method of ['GET', 'HEAD'] as const) {
    const response = await server.app.inject({ method, url: path, headers });
    expect(response.statusCode).toBe(status);
    expect(response.headers['access-control-allow-origin']).toBe('*');
    expect(String(response.headers['access-control-expose-headers']).split(', ')).toEqual(EXPOSED);
  }
});

test('DOC-41 a push stream can be read by scripts of every origin', async () => {
  const server = await testServer();
  const base = await server.app.listen({ host: '127.0.0.1', port: 0 });
  const response = await fetch(`${base}/vehicles/events`);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  await response.body?.cancel();
  // The reader of the other tests still reads it.
  (await readEvents(`${base}/vehicles/events`)).close();
  await server.app.close();
});

test.each([
  '/',
  '/vehicles',
  '/vehicles/latest',
  '/vehicles/events',
  `/vehicles/pages/${EPOCH}/0`,
  '/ns/live',
  '/health',
])('DOC-42 a preflight for %s is let through for a day', async (url) => {
  const server = await testServer();
  const response = await server.app.inject({
    method: 'OPTIONS',
    url,
    headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' },
  });
  expect(response.statusCode).toBe(204);
  expect(response.body).toBe('');
  expect(response.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD, OPTIONS',
    'access-control-max-age': '86400',
  });
  const fields = String(response.headers['access-control-allow-headers']).split(', ');
  expect(fields).toEqual(expect.arrayContaining(['Accept', 'If-None-Match', 'If-Modified-Since', 'Last-Event-ID']));
});

test('DOC-41 what the app around has said already goes first, and both say what an answer varies with', async () => {
  const { description, log } = await testServer();
  const app = Fastify();
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'access-control-allow-origin': 'https://a.example', vary: 'Origin', 'x-around': 'app' });
  });
  const answered: number[] = [];
  app.addHook('onResponse', async (_request, reply) => {
    answered.push(reply.statusCode);
  });
  const stream = { description, log, schedule: () => ({ kind: 'unknown' }) as const, sources: () => [] };
  await app.register(liveStreams, { publicUrl: PUBLIC_URL, streams: [stream] });
  const expected = { 'access-control-allow-origin': 'https://a.example', 'x-around': 'app' };
  const response = await app.inject('/vehicles/latest');
  expect(response.headers).toMatchObject({ ...expected, vary: 'Accept, Accept-Encoding, Origin' });
  expect((await app.inject('/health')).headers).toMatchObject(expected);
  await eventually(() => expect(answered).toEqual([200, 200]));
});

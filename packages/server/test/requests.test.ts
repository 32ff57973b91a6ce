import { describeStream } from '@ldes-live/rdf-stream';
import { readEvents } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { liveStreams } from '../src/index.ts';
import { entityOf, fill, PUBLIC_URL, testServer, upsert } from './test-server.ts';

test.each(['POST', 'PUT', 'DELETE'] as const)(
  'ERR-1 %s is refused by name, with the methods there are',
  async (method) => {
    const server = await testServer();
    for (const url of ['/vehicles', '/vehicles/latest']) {
      const headers = { 'content-type': 'text/turtle' };
      const response = await server.app.inject({ method, url, headers, payload: '<a> <b> <c> .' });
      expect(response.statusCode).toBe(405);
      expect(response.headers.allow).toBe('GET, HEAD, OPTIONS');
      expect(response.json()).toMatchObject({ code: 'ERR_METHOD', method, path: url });
    }
  },
);

test.each([
  'text/turtle;charset=utf-8',
  'text/turtle; profile="https://w3id.org/tree/profile"',
  'application/json, text/turtle;v="a;b,c\\"d";q=0.9, */*;q=0.1',
])('DOC-7 parameters other than the weight make no difference: %s', async (accept) => {
  const server = await testServer();
  const response = await server.get('/vehicles', { accept });
  expect(response.headers['content-type']).toBe('text/turtle');
});

test.each([
  ['fails', () => Promise.reject(new Error('disk'))],
  ['gives nothing', () => Promise.resolve([])],
])('PUSH-4 a push stream whose log %s is cut, so that its reader resumes', async (_, members) => {
  const server = await testServer();
  await fill(server, 10, 1);
  server.log.members = members;
  const base = await server.app.listen({ host: '127.0.0.1', port: 0 });
  const reader = await readEvents(`${base}/vehicles/events?from=${server.log.head.cursor.epoch}-0`);
  await eventually(() => expect(reader.state.ended).toBe(true));
  expect((await server.get('/health')).json().streams.vehicles.pushConnections).toBe(0);
  await server.app.close();
});

test('DOC-14 an entity that a commit overtakes while it is read is read again', async () => {
  const server = await testServer();
  await server.log.append([upsert(1, 1)]);
  const { latestMember } = server.log;
  let overtaken = false;
  server.log.latestMember = async function overtake(entity) {
    const read = await latestMember.call(this, entity);
    if (!overtaken) await server.log.append([upsert(1, 2)]);
    overtaken = true;
    return read;
  };
  const response = await server.get(new URL(entityOf(1)).pathname, { accept: 'application/n-quads' });
  expect(response.body).toContain('"2"');
});

test("DOC-1 streams that would stand in each other's way, or elsewhere, are refused", async () => {
  const { log } = await testServer();
  const stream = (publicUrl: string) => ({
    description: describeStream({ publicUrl, name: 'vehicles' }),
    log,
    schedule: () => ({ kind: 'unknown' }) as const,
    sources: () => [],
  });
  const register = async (...urls: string[]) =>
    Fastify().register(liveStreams, { publicUrl: PUBLIC_URL, streams: urls.map(stream) });
  await expect(register(PUBLIC_URL, PUBLIC_URL)).rejects.toMatchObject({ code: 'ERR_STREAM_REPEATED' });
  await expect(register('https://elsewhere.example/')).rejects.toMatchObject({ code: 'ERR_STREAM_ELSEWHERE' });
});

test('PUSH-8 a heartbeat that readers would not wait for is refused', async () => {
  for (const heartbeatMs of [0, -1, Number.NaN, 15_001]) {
    await expect(testServer({ push: { heartbeatMs } })).rejects.toMatchObject({ code: 'ERR_HEARTBEAT' });
  }
  for (const heartbeatMs of [1, 15_000]) await (await testServer({ push: { heartbeatMs } })).app.close();
});

test('PUSH-12 a query parameter that means nothing here is refused by name', async () => {
  const server = await testServer();
  const response = await server.get(`/vehicles/events?entities=${entityOf(1)}`);
  const known = ['from', 'entity', 'type', 'bbox'];
  expect(response.json()).toMatchObject({ status: 400, code: 'ERR_QUERY_UNKNOWN', name: 'entities', known });
});

test('DOC-17 a source that has never worked degrades the health, one that has not begun does not', async () => {
  const server = await testServer();
  const starting = {
    origin: 'http://agency.example/vp.pb',
    state: 'starting',
    polls: { good: 0, bad: 0 },
    errors: {},
    findings: {},
  } as const;
  server.time.sources = [starting];
  expect((await server.get('/health')).json().status).toBe('ok');
  const lastError = { code: 'ERR_FEED_UNREACHABLE', message: 'refused', at: '2026-01-01T00:00:00.000Z' };
  server.time.sources = [{ ...starting, lastError }];
  expect((await server.get('/health')).json().status).toBe('degraded');
});

test('DOC-17 health tells the newest time that a source states of its data, and when its next update is expected', async () => {
  const server = await testServer();
  const source = {
    origin: 'http://city.example/garages.json',
    state: 'ok',
    lastGoodAt: '2026-01-01T00:00:10.000Z',
    dataAt: '2026-01-01T00:00:05.000Z',
    nextPollAt: '2026-01-01T00:01:10.000Z',
    nextUpdateAt: '2026-01-01T00:01:10.250Z',
    polls: { good: 1, bad: 0 },
    errors: {},
    findings: {},
  } as const;
  server.time.sources = [source];
  expect((await server.get('/health')).json().streams.vehicles.sources).toEqual([source]);
});

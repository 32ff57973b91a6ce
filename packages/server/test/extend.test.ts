import { expect, test } from 'vitest';
import { createLiveServer } from '../src/index.ts';
import type { LiveStreamsOptions } from '../src/live-streams.ts';
import { EPOCH, fill, testServer, upsert } from './test-server.ts';

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

test('a server of its own takes it too', async () => {
  const { description, log, time } = await testServer();
  const server = await createLiveServer({
    publicUrl: description.publicUrl,
    streams: [{ description, log, sources: () => [] }],
    clock: () => time.nowMs,
    extend,
  });
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  const answer = await fetch(`http://127.0.0.1:${port}/vehicles/more/${EPOCH}-0`);
  expect([answer.status, answer.headers.get('ldes-cursor')]).toEqual([200, `${EPOCH}-0`]);
  await server.close();
});

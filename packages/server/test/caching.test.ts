import { check, fc } from '@ldes-live/test-support/properties';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { cachingFields } from '../src/http/response-headers.ts';
import { liveStreams } from '../src/live-streams.ts';
import { EPOCH, fill, PUBLIC_URL, testServer } from './test-server.ts';

const MUTABLE = [
  '/vehicles',
  '/vehicles/latest',
  `/vehicles/pages/${EPOCH}/0`,
  `/vehicles/pages/${EPOCH}/range-0`,
  `/vehicles/pages/${EPOCH}/after-3`,
];

test.each(MUTABLE)(
  'DOC-40 %s may be shown while the server is out of reach, and never while it is asked',
  async (path) => {
    const server = await testServer();
    await fill(server, 5, 5);
    server.time.schedule = { kind: 'interval', intervalMs: 5000, nextMs: server.time.nowMs + 4500 };
    const { headers } = await server.get(path);
    expect(headers['cache-control']).toBe('public, max-age=4, stale-if-error=300');
    const expires = Date.parse(String(headers.expires)) / 1000;
    expect(headers['x-accel-expires']).toBe(`@${expires - 1}`);
  },
);

test('DOC-40 a sealed page has no end to tell', async () => {
  const server = await testServer();
  await fill(server, 250, 250);
  const { headers } = await server.get(`/vehicles/pages/${EPOCH}/0`);
  for (const name of ['expires', 'x-accel-expires', 'next-update']) expect(headers).not.toHaveProperty(name);
});

test('DOC-40 what changes with something else has a time of its own', () => {
  const nowMs = Date.parse('2026-01-01T00:00:00.900Z');
  const fresh = { maxAgeSeconds: 60, expiresMs: nowMs + 60_000 };
  expect(cachingFields({ maxAgeSeconds: 60 }, fresh, nowMs)).toEqual([
    ...['cache-control', 'public, max-age=60'],
    ...['date', 'Thu, 01 Jan 2026 00:00:00 GMT'],
    ...['expires', 'Thu, 01 Jan 2026 00:01:00 GMT'],
  ]);
});

test('DOC-8 DOC-40 whenever it is asked for, no field reaches past the next update or lies in the past', async () => {
  const server = await testServer();
  await fill(server, 1, 1);
  const startMs = server.time.nowMs;
  // The same document all along, so that fields are taken over from one answer to the next where they hold.
  const step = fc.record({ afterMs: fc.integer({ min: 0, max: 1500 }), leadMs: fc.integer({ min: -2000, max: 9000 }) });
  await check(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), async (steps) => {
      server.time.nowMs = startMs;
      for (const { afterMs, leadMs } of steps) {
        server.time.nowMs += afterMs;
        const { nowMs } = server.time;
        const nextMs = nowMs + leadMs;
        server.time.schedule = { kind: 'interval', intervalMs: 9000, nextMs };
        const { headers } = await server.get('/vehicles/latest');
        const maxAge = Number(/max-age=(\d+)/.exec(String(headers['cache-control']))?.[1]);
        const second = Math.floor(nowMs / 1000) * 1000;
        expect(Date.parse(String(headers.date))).toBe(second);
        expect(Date.parse(String(headers.expires))).toBeGreaterThanOrEqual(second);
        if (leadMs > 0) {
          expect(headers['next-update']).toBe(new Date(nextMs).toISOString());
          expect(nowMs + maxAge * 1000).toBeLessThanOrEqual(nextMs);
          expect(Date.parse(String(headers.expires))).toBe(Math.floor(nextMs / 1000) * 1000);
        } else {
          expect(headers).not.toHaveProperty('next-update');
          expect(maxAge).toBe(1);
        }
      }
    }),
    { numRuns: 30 },
  );
});

test('DOC-8 a stream that tells no schedule states the one that its log shows', async () => {
  const server = await testServer();
  await fill(server, 50, 1);
  const app = Fastify();
  const { description, log, time } = server;
  const clock = () => time.nowMs;
  await app.register(liveStreams, { publicUrl: PUBLIC_URL, streams: [{ description, log, sources: () => [] }], clock });
  // Commits came a second apart, the last of them a second ago.
  time.nowMs -= 900;
  const { headers } = await app.inject('/vehicles/latest');
  const nextMs = Date.parse(String(headers['next-update']));
  expect(nextMs - time.nowMs).toBeGreaterThan(0);
  expect(nextMs - time.nowMs).toBeLessThanOrEqual(900);
  await app.close();
});

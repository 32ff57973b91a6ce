import { type Format, formats, type Member, namedNode, quad } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import type { LightMyRequestResponse } from 'fastify';
import { expect, test } from 'vitest';
import { cachingFields } from '../src/http/caching.ts';
import { FORMATS } from './published.ts';
import {
  EPOCH,
  entityOf,
  fill,
  PUBLIC_URL,
  type TestServer,
  testServer,
  upsert,
  watchedLiteral,
} from './test-server.ts';

const ENTITY = new URL(entityOf(1)).pathname;
const MUTABLE = [
  '/vehicles',
  '/vehicles/latest',
  `/vehicles/pages/${EPOCH}/range-0`,
  `/vehicles/pages/${EPOCH}/0`,
  `/vehicles/pages/${EPOCH}/after-0`,
  ENTITY,
];

const SUFFIXES = { jsonld: '', turtle: '.ttl', trig: '.trig', nquads: '.nq', ntriples: '.nt' } satisfies Record<
  Format,
  string
>;

const caching = ({ headers }: LightMyRequestResponse) => ({
  'cache-control': headers['cache-control'],
  date: headers.date,
  expires: headers.expires,
  'next-update': headers['next-update'],
});

test.each(MUTABLE)('DOC-8 %s may be kept until the next update, reckoned for each response', async (path) => {
  const server = await testServer();
  await fill(server, 5, 5);
  server.time.nowMs = Date.parse('2026-01-01T00:01:00.400Z');
  server.time.schedule = { kind: 'interval', intervalMs: 5000, nextMs: Date.parse('2026-01-01T00:01:05.250Z') };
  expect(caching(await server.get(path))).toEqual({
    'cache-control': 'public, max-age=4, stale-if-error=300',
    date: 'Thu, 01 Jan 2026 00:01:00 GMT',
    expires: 'Thu, 01 Jan 2026 00:01:05 GMT',
    'next-update': '2026-01-01T00:01:05.250Z',
  });
  expect((await server.get(path)).headers).toMatchObject({
    etag: expect.stringMatching(/^"[^"]+"$/),
    'last-modified': 'Thu, 01 Jan 2026 00:00:10 GMT',
    'ldes-cursor': expect.stringMatching(`^${EPOCH}-[0-5]$`),
  });
  server.time.nowMs += 4500;
  expect(caching(await server.get(path))).toMatchObject({
    'cache-control': 'public, max-age=0, stale-if-error=300',
    'next-update': '2026-01-01T00:01:05.250Z',
  });
});

test.each(MUTABLE)('DOC-9 %s is kept for a second when its next update is overdue or unknown', async (path) => {
  const server = await testServer();
  await fill(server, 5, 5);
  server.time.nowMs = Date.parse('2026-01-01T00:01:00.400Z');
  const expected = {
    'cache-control': 'public, max-age=1, stale-if-error=300',
    date: 'Thu, 01 Jan 2026 00:01:00 GMT',
    expires: 'Thu, 01 Jan 2026 00:01:01 GMT',
  };
  expect(caching(await server.get(path))).toEqual(expected);
  server.time.schedule = { kind: 'interval', intervalMs: 5000, nextMs: server.time.nowMs };
  expect(caching(await server.get(path))).toEqual(expected);
});

test('DOC-8 the latest state names its cursor, and changes its entity tag and date with it', async () => {
  const server = await testServer();
  await server.log.append([upsert(1, 1)]);
  const first = await server.get('/vehicles/latest');
  const { epoch } = server.log.head.cursor;
  expect(first.headers).toMatchObject({
    etag: `"${epoch}-1"`,
    'ldes-cursor': `${epoch}-1`,
    'last-modified': 'Thu, 01 Jan 2026 00:00:10 GMT',
    vary: 'Accept, Accept-Encoding',
  });
  server.time.nowMs += 5000;
  await server.log.append([upsert(1, 2)]);
  expect((await server.get('/vehicles/latest')).headers).toMatchObject({
    etag: `"${epoch}-2"`,
    'last-modified': 'Thu, 01 Jan 2026 00:00:15 GMT',
  });
});

test.each([
  ['/vehicles/latest', 300],
  [`/vehicles/pages/${EPOCH}/0`, 250],
  [`/vehicles/pages/${EPOCH}/1`, 300],
  [`/vehicles/pages/${EPOCH}/after-7`, 300],
])('DOC-11 the entity tag of %s is the cursor, with a suffix for each format but JSON-LD', async (path, sequence) => {
  const server = await testServer();
  await fill(server, 300, 100);
  expect(await tagsOf(server, path)).toEqual(FORMATS.map((format) => `"${EPOCH}-${sequence}${SUFFIXES[format]}"`));
  expect((await server.get(path)).headers['ldes-cursor']).toBe(`${EPOCH}-${sequence}`);
});

async function tagsOf(server: TestServer, path: string): Promise<string[]> {
  const responses = await Promise.all(FORMATS.map((format) => server.get(path, { accept: formats[format].mediaType })));
  return responses.map(({ headers }) => headers.etag as string);
}

test.each([...MUTABLE, `/vehicles/pages/${EPOCH}/1`])(
  'DOC-11 %s is not sent again by its date where only commits change it',
  async (path) => {
    const server = await testServer();
    await fill(server, 260, 26);
    const { headers } = await server.get(path);
    const { statusCode } = await server.get(path, { 'if-modified-since': headers['last-modified'] as string });
    expect(statusCode).toBe(path === '/vehicles/latest' || /\/pages\/[^/]+\/\d+$/.test(path) ? 304 : 200);
  },
);

test('DOC-12 the documents link to each other, to the tail where they have one, and to the push endpoint', async () => {
  const server = await testServer({ breakEvenSeconds: 7 });
  await fill(server, 250, 250);
  const root = `${PUBLIC_URL}vehicles`;
  const context = (await server.get('/ns/live/context.jsonld')).headers.location;
  const links = `<${root}>; rel="collection", <${root}/latest>; rel="current", <${root}/pages>; rel="archives", <${root}/events>; rel="alternate"; type="text/event-stream"; break-even="7", <${context}>; rel="describedby"; type="application/ld+json"`;
  const named = (...names: string[]) => names.map((name) => `/vehicles/pages/${EPOCH}/${name}`);
  for (const path of ['/vehicles', ENTITY, '/vehicles/tiles', ...named('range-0')]) {
    expect((await server.get(path)).headers.link, path).toBe(links);
  }
  for (const path of ['/vehicles/latest', ...named('1', 'after-0', 'after-7', 'after-250')]) {
    const tail = `<${root}/pages/${EPOCH}/after-250>; rel="monitor"`;
    expect((await server.get(path)).headers.link, path).toBe(`${links}, ${tail}`);
  }
  expect((await server.get(`/vehicles/pages/${EPOCH}/0`)).headers.link).toBe(
    `${links}, <${root}/pages/${EPOCH}/1>; rel="next"`,
  );
});

test('DOC-12 a stream that states a break-even is linked to with that one', async () => {
  const { description, log } = await testServer();
  const streams = [{ description, log, breakEvenSeconds: 82.5 }];
  const server = await testServer({ breakEvenSeconds: 7, streams });
  for (const path of ['/vehicles', '/vehicles/latest', '/vehicles/shape']) {
    expect((await server.get(path)).headers.link, path).toContain('type="text/event-stream"; break-even="82.5"');
  }
});

// Has every member say one literal more, and counts how often that is written.
function countedReads(server: TestServer): { readonly reads: number } {
  const { term, count } = watchedLiteral('counted');
  const { readMembers, readLatest, read } = server.log;
  // Without the text that would spare reading it.
  const watch = (read: Member): Member => {
    const { nquads: _, ...member } = read;
    const said = quad(namedNode(read.id), namedNode('http://example.org/counted'), term);
    return { ...member, quads: [...read.quads, said] };
  };
  const watchAll = (read: readonly Member[]) => read.map(watch);
  server.log.readLatest = async () => watchAll(await readLatest.call(server.log));
  server.log.read = async (after, limit) => watchAll(await read.call(server.log, after, limit));
  server.log.readMembers = async (sequences) => watchAll(await readMembers.call(server.log, sequences));
  return count;
}

test.each(
  ['/vehicles/latest', `/vehicles/pages/${EPOCH}/0`, `/vehicles/pages/${EPOCH}/after-0`, ENTITY].flatMap((path) =>
    (['turtle', 'jsonld'] as const).map((format) => [path, format] as const),
  ),
)('the bytes of %s as %s are made once for each state', async (path, format) => {
  const server = await testServer();
  const counted = countedReads(server);
  const get = () => server.get(path, { accept: formats[format].mediaType });
  await server.log.append([upsert(1, 1)]);
  // What one request costs, and that another costs nothing.
  await get();
  const once = counted.reads;
  expect(once).toBeGreaterThan(0);
  await get();
  expect(counted.reads).toBe(once);
  // So do those that come at the same time, for one format and state, and not for another.
  const other = await testServer();
  const shared = countedReads(other);
  await other.log.append([upsert(1, 1)]);
  const ask = (asked: Format) => other.get(path, { accept: formats[asked].mediaType });
  await Promise.all([ask(format), ask(format), ask(format)]);
  await ask(format);
  expect(shared.reads).toBe(once);
  await ask('ntriples');
  const both = shared.reads;
  expect(both).toBeGreaterThan(once);
  await Promise.all([ask('ntriples'), ask(format)]);
  expect(shared.reads).toBe(both);
});

test.each([
  ['DOC-8 a document that a commit overtakes while it is made is made again', 1, 60],
  ['DOC-9 a document that commits keep overtaking is kept for a second only', Number.POSITIVE_INFINITY, 1],
])('%s', async (_says, commits, maxAgeSeconds) => {
  const server = await testServer();
  await server.log.append([upsert(1, 1)]);
  server.time.schedule = { kind: 'interval', intervalMs: 60_000, nextMs: server.time.nowMs + 60_000 };
  const { readLatest } = server.log;
  let value = 1;
  server.log.readLatest = async function overtaken() {
    const members = await readLatest.call(this);
    if (value <= commits) await server.log.append([upsert(1, ++value)]);
    return members;
  };
  const { body, headers } = await server.get('/vehicles/latest', { accept: 'text/turtle' });
  if (commits === 1) expect(body).toContain('"2"');
  expect(headers['cache-control']).toBe(`public, max-age=${maxAgeSeconds}, stale-if-error=300`);
  expect('next-update' in headers).toBe(commits === 1);
});

test('DOC-40 a document may be shown while the server is out of reach, and never while it is asked; a sealed one has no end', async () => {
  const server = await testServer();
  await fill(server, 255, 255);
  server.time.schedule = { kind: 'interval', intervalMs: 5000, nextMs: server.time.nowMs + 4500 };
  for (const path of ['', '/latest', ...['1', 'range-0', 'after-3'].map((name) => `/pages/${EPOCH}/${name}`)]) {
    const { headers } = await server.get(`/vehicles${path}`);
    expect(headers['cache-control'], path).toBe('public, max-age=4, stale-if-error=300');
    expect(headers['x-accel-expires']).toBe(`@${Date.parse(String(headers.expires)) / 1000 - 1}`);
  }
  // Overdue: nginx would hide an update for as long as it keeps this.
  server.time.schedule = { kind: 'interval', intervalMs: 5000, nextMs: server.time.nowMs };
  const overdue = (await server.get('/vehicles/latest')).headers;
  expect(overdue['x-accel-expires']).toBe(`@${Date.parse(String(overdue.expires)) / 1000 - 2}`);
  await server.get(`/vehicles/pages/${EPOCH}/0`);
  server.time.nowMs += 1000;
  const { headers } = await server.get(`/vehicles/pages/${EPOCH}/0`);
  expect(headers.date).toBe(new Date(server.time.nowMs).toUTCString());
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

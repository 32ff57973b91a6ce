import { setTimeout as delay } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from './ask.ts';
import { type CachedWorld, cachedWorld } from './cached-world.ts';
import { skipMissing, WAYS } from './ways.ts';

const FORMATS = [
  'application/ld+json',
  'text/turtle',
  'application/trig',
  'application/n-quads',
  'application/n-triples',
];
const ENCODINGS = ['identity', 'gzip', 'br'];
const [STRAIGHT] = WAYS as [(typeof WAYS)[0]];

// What a cache does not change.
const KEPT = [
  'content-type',
  'content-encoding',
  'etag',
  'last-modified',
  'vary',
  'link',
  'ldes-cursor',
  'next-update',
];
const CORS = ['access-control-allow-origin', 'access-control-expose-headers'];

let world: CachedWorld;
let epoch: string;
beforeAll(async () => {
  world = await cachedWorld(WAYS);
  // A sealed page and an open one, for an hour.
  for (let commit = 0; commit < 130; commit += 1) await world.update();
  await world.update(3_600_000);
  ({ epoch } = world.log.head.cursor);
});
afterAll(() => world.close());

const sealed = () => `/pages/${epoch}/0`;
const documents = () => {
  const pages = ['1', 'range-0', 'after-200', 'after-262'].map((name) => `/pages/${epoch}/${name}`);
  return ['', '/latest', sealed(), ...pages, '/entities/1'];
};

describe.each(WAYS)('$name', (way) => {
  skipMissing(way);

  test('CACHE-4 every document is what it is straight, and comes from the cache the second time', async () => {
    for (const path of documents()) {
      const straight = await ask(world.on(STRAIGHT, path));
      const first = await ask(world.on(way, path));
      const before = world.arrived(path);
      const second = await ask(world.on(way, path));
      for (const answer of [first, second]) {
        expect(answer.status, path).toBe(200);
        expect(answer.body.equals(straight.body), path).toBe(true);
        for (const field of [...KEPT, ...CORS])
          expect(answer.headers[field], `${path} ${field}`).toBe(straight.headers[field]);
        expect(Math.abs(Date.parse(answer.headers.date as string) - Date.now())).toBeLessThan(10_000);
      }
      expect(world.arrived(path) - before, path).toBe(way.program ? 0 : 1);
    }
    const page = await ask(world.on(way, sealed()));
    expect(page.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });

  test('CACHE-5 each of five formats and three encodings is its own, whichever was asked for before', async () => {
    const variants = FORMATS.flatMap((accept) =>
      ENCODINGS.map((encoding) => ({ accept, 'accept-encoding': encoding })),
    );
    for (const headers of [...variants, ...variants.reverse()]) {
      const straight = await ask(world.on(STRAIGHT, '/latest'), { headers });
      const answer = await ask(world.on(way, '/latest'), { headers });
      expect(answer.headers['content-type']?.split(';')[0]).toBe(headers.accept);
      for (const field of KEPT) expect(answer.headers[field]).toBe(straight.headers[field]);
      expect(answer.headers['content-encoding'] ?? 'identity').toBe(headers['accept-encoding']);
      expect(answer.body.equals(straight.body)).toBe(true);
    }
  });

  test.each([
    ['text/turtle;q=0.1, application/n-quads;q=0.9', 'gzip;q=0, br;q=0.5'],
    ['application/n-triples, */*;q=0.1', 'br;q=0, gzip'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'gzip, deflate, br, zstd'],
    ['TEXT/Turtle', 'deflate, GZIP'],
    ['text/turtle; charset=utf-8', '*;q=0'],
    ['', ''],
  ])('CACHE-5 a client that accepts %s and %s gets what it gets straight', async (accept, encoding) => {
    const headers = { accept, 'accept-encoding': encoding };
    const straight = await ask(world.on(STRAIGHT, '/latest'), { headers });
    for (const answer of [
      await ask(world.on(way, '/latest'), { headers }),
      await ask(world.on(way, '/latest'), { headers }),
    ]) {
      for (const field of KEPT) expect(answer.headers[field], field).toBe(straight.headers[field]);
      expect(answer.body.equals(straight.body)).toBe(true);
    }
  });

  test('CACHE-5 clients that mean the same variant in other words share it', async () => {
    const askAs = (accept: string, encoding: string) =>
      ask(world.on(way, '/latest'), { headers: { accept, 'accept-encoding': encoding } });
    await askAs('text/turtle', 'br');
    const before = world.arrived('/latest');
    await askAs('Text/Turtle', 'gzip, deflate, br, zstd');
    await askAs(' text/turtle ', 'deflate,br');
    expect(world.arrived('/latest') - before).toBe(way.program ? 0 : 2);
  });

  test('CACHE-6 the tag of a variant is answered by 304 for this variant only, with its fields, at the cache', async () => {
    const variant = { accept: 'application/trig', 'accept-encoding': 'gzip' };
    const whole = await ask(world.on(way, '/latest'), { headers: variant });
    const etag = whole.headers.etag as string;
    const plain = await ask(world.on(way, '/latest'));
    const before = world.arrived('/latest');
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const { status, headers, body } = await ask(world.on(way, '/latest'), {
        headers: { ...variant, 'if-none-match': tags },
      });
      expect([status, body.length], tags).toEqual([304, 0]);
      for (const field of ['etag', 'vary', 'next-update', 'expires', 'ldes-cursor', 'link']) {
        expect(headers[field], field).toBe(whole.headers[field]);
      }
    }
    const other = await ask(world.on(way, '/latest'), { headers: { ...variant, 'if-none-match': '"other"' } });
    expect(other.status).toBe(200);
    expect(world.arrived('/latest') - before).toBe(way.program ? 0 : 5);
    expect(plain.headers.etag).not.toBe(etag);
    const mixed = await ask(world.on(way, '/latest'), { headers: { 'if-none-match': etag } });
    expect(mixed.status).toBe(200);
  });

  test('CACHE-7 HEAD has the fields of GET and no content; a range is of the same bytes or refused as a whole', async () => {
    const whole = await ask(world.on(way, '/latest'));
    const head = await ask(world.on(way, '/latest'), { method: 'HEAD' });
    expect([head.status, head.body.length]).toEqual([200, 0]);
    for (const field of [...KEPT, 'content-length']) expect(head.headers[field], field).toBe(whole.headers[field]);
    const part = await ask(world.on(way, '/latest'), { headers: { range: 'bytes=10-19' } });
    const expected = part.status === 206 ? whole.body.subarray(10, 20) : whole.body;
    expect(part.body.equals(expected)).toBe(true);
    expect([200, 206]).toContain(part.status);
  });

  test.each<[path: string, status: number, headers?: Record<string, string>]>([
    ['/pages/none/0', 410],
    ['/pages/none/after-0', 410],
    ['/no-such', 404],
    ['/latest', 406, { accept: 'image/png' }],
    ['/pages?after=nonsense', 400],
  ])('CACHE-8 the error of %s, %i, is never kept', async (path, status, headers = {}) => {
    const before = world.arrived(path);
    for (let round = 0; round < 3; round += 1) {
      const answer = await ask(world.on(way, path), { headers });
      expect(answer.status).toBe(status);
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers['content-type']).toBe('application/problem+json');
      await delay(150);
    }
    expect(world.arrived(path) - before).toBe(3);
  });

  test('CACHE-8 redirects, health and other methods are the publisher’s each time', async () => {
    const after = `/pages?after=${epoch}-3`;
    const before = world.arrived(after);
    for (let round = 0; round < 3; round += 1) {
      const answer = await ask(world.on(way, after));
      expect(answer.status).toBe(307);
      expect(answer.headers.location).toBe(`${world.publicUrl}vehicles/pages/${epoch}/0`);
    }
    expect(world.arrived(after) - before).toBe(3);
    for (const method of ['POST', 'OPTIONS', 'DELETE']) {
      const straight = await ask(world.on(STRAIGHT, '/latest'), { method, body: method === 'POST' ? 'x' : '' });
      const answer = await ask(world.on(way, '/latest'), { method, body: method === 'POST' ? 'x' : '' });
      expect(answer.status, method).toBe(straight.status);
      expect(answer.headers.allow, method).toBe(straight.headers.allow);
    }
    const health = new URL('/health', world.on(way)).href;
    const { headers, status } = await ask(health);
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
  });
});

test('the encodings that are told apart are what they say', async () => {
  const plain = await ask(world.on(STRAIGHT, '/latest'));
  const as = async (encoding: string) =>
    (await ask(world.on(STRAIGHT, '/latest'), { headers: { 'accept-encoding': encoding } })).body;
  expect(gunzipSync(await as('gzip')).equals(plain.body)).toBe(true);
  expect(brotliDecompressSync(await as('br')).equals(plain.body)).toBe(true);
});

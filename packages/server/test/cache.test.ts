import type { DiskCache } from '@ldes-live/log';
import { type Extent, literal, namedNode, PAGE_MEMBERS, quad } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, test, vi } from 'vitest';
import {
  DOCUMENT_BYTES,
  DocumentCache,
  type DocumentCacheOptions,
  REPRESENTATION_BYTES,
} from '../src/documents/cache.ts';
import {
  type DocumentContent,
  type DocumentState,
  type StreamDocument,
  VARIANTS,
  variantOf,
} from '../src/documents/document.ts';
import { EPOCH, fill, testServer, upsert } from './test-server.ts';

const NTRIPLES = variantOf('ntriples', 'identity');
const EXTENT = { first: 1, last: 250 };

function cacheOf(options: Partial<DocumentCacheOptions> = {}): DocumentCache {
  return new DocumentCache({
    prefixes: {},
    limitBytes: 1e6,
    limitPendingBuilds: 64,
    random: () => 0.5,
    lines: { warn: () => {} },
    ...options,
  });
}

// What is logged, with its fields.
function recordedLines() {
  const logged: [event: string, fields: object][] = [];
  return { logged, lines: { warn: (fields: object, event: string) => void logged.push([event, fields]) } };
}

type Counted = StreamDocument & { made: number; version: string; lastModifiedMs: number };

// A document of about so many bytes as N-Triples, which counts how often it is made.
function sized(url: string, bytes: number, more: Partial<DocumentState> = {}): Counted {
  const said = quad(namedNode(url), namedNode('http://example.org/text'), literal('x'.repeat(bytes)));
  const document = {
    url,
    made: 0,
    version: '1',
    lastModifiedMs: 0,
    state: (): DocumentState => ({ version: document.version, caching: 'scheduled', ...more }),
    build: async () => {
      document.made += 1;
      return { quads: [said], lastModifiedMs: document.lastModifiedMs };
    },
  };
  return document;
}

// A document whose making waits to be let through.
function held(url: string): Counted & { letThrough: () => void } {
  const document = sized(url, 10);
  const { build } = document;
  let letThrough = () => {};
  const gate = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  return Object.assign(document, { letThrough: () => letThrough(), build: () => gate.then(() => build()) });
}

// A disk cache in memory, with what it holds.
function diskCacheOf(): DiskCache & { readonly held: Map<string, Buffer> } {
  const held = new Map<string, Buffer>();
  const keyOf = ({ first, last }: Extent, variant: string) => `${first}-${last} ${variant}`;
  return {
    held,
    get: async (extent, variant) => held.get(keyOf(extent, variant)),
    put: async (extent, variant, bytes) => {
      held.set(keyOf(extent, variant), Buffer.from(bytes));
    },
  };
}

// Documents that take a unit each, or so many, of what a cache may hold.
const UNIT = 10_000;

function unitOf(name: string, { group, units = 1 }: { group?: string; units?: number } = {}): Counted {
  const url = `http://example.org/${name}`;
  const ownBytes = 1 + `<${url}> <http://example.org/text> "" .`.length;
  const bytes = units * UNIT - DOCUMENT_BYTES - REPRESENTATION_BYTES - ownBytes;
  return sized(url, bytes, group === undefined ? {} : { group });
}

const isReady = (cache: DocumentCache) => (document: Counted) =>
  cache.ready(document.url, document.state(), NTRIPLES) !== undefined;

test.each([
  [40 * UNIT, 3],
  [40 * UNIT - 4, 2],
])('of %d bytes three quarters are for documents, those that were asked for last', async (limitBytes, room) => {
  const cache = cacheOf({ limitBytes });
  const pages = Array.from({ length: 4 }, (_, index) => unitOf(`page-${index}`, { units: 10 }));
  const [first, , ...rest] = pages.slice(0, room) as [Counted, Counted, ...Counted[]];
  for (const page of pages.slice(0, room)) await cache.get(page, NTRIPLES);
  // What is ready counts as asked for too.
  expect(isReady(cache)(first)).toBe(true);
  const last = pages[3] as Counted;
  await cache.get(last, NTRIPLES);
  expect(pages.filter(isReady(cache))).toEqual([first, ...rest, last]);
  for (let index = 0; index < 40; index += 1) await cache.get(unitOf(`tail-${index}`, { group: 'stream' }), NTRIPLES);
  expect(pages.filter(isReady(cache))).toEqual([first, ...rest, last]);
});

test('one document is kept however large it is, and a failure is not', async () => {
  const large = sized('http://example.org/large', 5000);
  const cache = cacheOf({ limitBytes: 1 });
  await cache.get(large, NTRIPLES);
  await cache.get(large, NTRIPLES);
  expect(large.made).toBe(1);
  const failing = { ...sized('http://example.org/failing', 1), build: () => Promise.reject(new Error('disk')) };
  await expect(cache.get(failing, NTRIPLES)).rejects.toThrow('disk');
  await expect(cache.get({ ...failing, build: large.build }, NTRIPLES)).resolves.toBeDefined();
});

test.each([
  [1200, undefined, false],
  [1999, 1200, false],
  [2000, 1999, true],
])('DOC-11 a state of %d ms is dated if the one before it is known to be of another second: %s', async (...given) => {
  const [lastModifiedMs, previouslyModifiedMs, expected] = given;
  const document = sized('http://example.org/a', 1);
  const build = async () => ({ ...(await document.build()), lastModifiedMs, previouslyModifiedMs }) as DocumentContent;
  const made = await cacheOf().get({ ...document, build }, NTRIPLES);
  expect(made.isDated).toBe(expected);
});

test('a document is made once for all its encodings, and each encoding once', async () => {
  const document = sized('http://example.org/a', 1000);
  const cache = cacheOf();
  const get = (encoding: 'identity' | 'gzip' | 'br') => cache.get(document, variantOf('ntriples', encoding));
  const [gzip, br, again, identity] = await Promise.all([get('gzip'), get('br'), get('gzip'), get('identity')]);
  expect(document.made).toBe(1);
  expect(again.bytes).toBe(gzip.bytes);
  expect((await get('br')).bytes).toBe(br.bytes);
  expect(new Set([gzip, br, identity].map(({ etag }) => etag)).size).toBe(3);
});

test('of a document that changes one state is kept, in whatever formats it was asked for', async () => {
  const document = sized('http://example.org/a', 1000);
  const cache = cacheOf();
  for (const variant of VARIANTS) await cache.get(document, variant);
  const before = document.state();
  document.version = '2';
  await cache.get(document, NTRIPLES);
  for (const variant of VARIANTS) {
    expect(cache.ready(document.url, before, variant)).toBeUndefined();
    expect(cache.ready(document.url, document.state(), variant) !== undefined).toBe(variant === NTRIPLES);
  }
});

test('DOC-44 a build past the limit is refused with `documents overloaded`; what is ready or begun is not', async () => {
  const { lines, logged } = recordedLines();
  const cache = cacheOf({ limitPendingBuilds: 2, lines });
  const ready = sized('http://example.org/ready', 1);
  await cache.get(ready, NTRIPLES);
  const [a, b, c] = ['a', 'b', 'c'].map((name) => held(`http://example.org/${name}`)) as [
    ReturnType<typeof held>,
    ReturnType<typeof held>,
    ReturnType<typeof held>,
  ];
  const making = [a, b, a].map((document) => cache.get(document, NTRIPLES));
  await expect(cache.get(c, NTRIPLES)).rejects.toMatchObject({
    code: 'ERR_OVERLOADED',
    details: { limitPendingBuilds: 2, retryAfterSeconds: 3 },
  });
  expect(logged).toEqual([['documents overloaded', { limit: 2 }]]);
  await expect(cache.get(ready, NTRIPLES)).resolves.toBeDefined();
  a.letThrough();
  b.letThrough();
  await Promise.all(making);
  c.letThrough();
  await expect(cache.get(c, NTRIPLES)).resolves.toBeDefined();
});

test('a sealed document is taken from the disk cache, with its entity tag and date, and put there once made', async () => {
  const diskCache = diskCacheOf();
  const disk = { stream: 'vehicles', extent: EXTENT, name: 'page' };
  const document = sized('http://example.org/a', 1000, { caching: 'immutable', disk });
  document.lastModifiedMs = 1234;
  const made = await Promise.all(VARIANTS.map((variant) => cacheOf().get(document, variant, diskCache)));
  await eventually(() => expect(diskCache.held.size).toBe(VARIANTS.length));
  for (const name of diskCache.held.keys()) expect(name).toMatch(/^1-250 page-w4\.[a-z0-9.-]{1,56}$/);
  document.made = 0;
  const taken = await Promise.all(VARIANTS.map((variant) => cacheOf().get(document, variant, diskCache)));
  expect(document.made).toBe(0);
  expect(taken).toEqual(made);
});

test('a disk cache that fails or holds something else is made good for, and leaves `disk cache failed`', async () => {
  const disk = { stream: 'vehicles', extent: EXTENT, name: 'page' };
  const document = sized('http://example.org/a', 1000, { caching: 'immutable', disk });
  const error = Object.assign(new Error('disk'), { code: 'ERR_DISK_CACHE_WRITE' });
  const fail = () => Promise.reject(error);
  const other: DiskCache = { get: async () => Buffer.from('something else'), put: async () => {} };
  const expected = await cacheOf().get(document, NTRIPLES);
  for (const [diskCache, count] of [
    [{ get: fail, put: fail }, 2],
    [other, 0],
  ] as const) {
    const { lines, logged } = recordedLines();
    expect(await cacheOf({ lines }).get(document, NTRIPLES, diskCache)).toEqual(expected);
    await eventually(() => expect(logged).toHaveLength(count));
    const line = ['disk cache failed', { stream: 'vehicles', code: 'ERR_DISK_CACHE_WRITE', err: error }];
    expect(logged).toEqual(Array(count).fill(line));
  }
});

test('a group is dropped together when one of it is cached in another version, and other groups stay', async () => {
  const cache = cacheOf({ limitBytes: 100 * UNIT });
  const gated = { ...held('http://example.org/held'), state: () => ({ ...gatedState }) };
  const gatedState = { version: '1', caching: 'scheduled', group: 'stream' } as const;
  const begun = cache.get(gated, NTRIPLES);
  const [a, b, newer] = ['a', 'b', 'newer'].map((name) => unitOf(name, { group: 'stream' })) as [
    Counted,
    Counted,
    Counted,
  ];
  const others = [unitOf('c', { group: 'another' }), unitOf('page')];
  for (const document of [a, b, ...others]) await cache.get(document, NTRIPLES);
  newer.version = '2';
  await cache.get(newer, NTRIPLES);
  gated.letThrough();
  await begun;
  expect([a, b, gated].filter(isReady(cache))).toEqual([]);
  expect([newer, ...others].filter(isReady(cache))).toEqual([newer, ...others]);
});

test.each([
  [40 * UNIT, 10],
  [40 * UNIT - 4, 9],
])('groups have a quarter of %d bytes, in the order of use, and not a byte more', async (limitBytes, room) => {
  const cache = cacheOf({ limitBytes });
  const single = ['latest', 'open'].map((name) => unitOf(name, { units: 14 }));
  const tails = Array.from({ length: 11 }, (_, index) => unitOf(`tail-${index}`, { group: 'stream' }));
  const [first, , ...rest] = tails.slice(0, room) as [Counted, Counted, ...Counted[]];
  for (const document of [...single, ...tails.slice(0, room)]) await cache.get(document, NTRIPLES);
  expect(isReady(cache)(first)).toBe(true);
  const last = tails[10] as Counted;
  await cache.get(last, NTRIPLES);
  expect(tails.filter(isReady(cache))).toEqual([first, ...rest, last]);
  expect(single.filter(isReady(cache))).toEqual(single);
});

test('one that is larger than all of a group may be is kept while it is the last, and costs the others no more', async () => {
  const cache = cacheOf({ limitBytes: 40 * UNIT });
  const [latest, large] = [unitOf('latest', { units: 29 }), unitOf('large', { units: 500, group: 'stream' })];
  await cache.get(latest, NTRIPLES);
  await cache.get(large, NTRIPLES);
  expect([large, latest].filter(isReady(cache))).toEqual([large, latest]);
  await cache.get(latest, variantOf('turtle', 'gzip'));
  expect(isReady(cache)(large)).toBe(false);
});

test('however many tails are asked for, the latest state and the open page stay ready', async () => {
  const server = await testServer({ limitKeptBytes: 200_000 });
  await fill(server, 300, 50);
  const latestRead = vi.spyOn(server.log, 'readLatest');
  const membersRead = vi.spyOn(server.log, 'read');
  const get = (name: string) => server.get(`/vehicles/${name}`, { accept: 'application/n-triples' });
  const made = async () => {
    await get('latest');
    await get(`pages/${EPOCH}/1`);
    return [latestRead.mock.calls.length, membersRead.mock.calls.filter(([, limit]) => limit === PAGE_MEMBERS).length];
  };
  expect(await made()).toEqual([1, 1]);
  const tails = async () => {
    for (let after = 0; after < 250; after += 10) await get(`pages/${EPOCH}/after-${after}`);
  };
  await tails();
  expect(await made()).toEqual([1, 1]);
  await server.log.append([upsert(1, -1)]);
  expect(await made()).toEqual([2, 2]);
  await tails();
  expect(await made()).toEqual([2, 2]);
});

import type { DiskCache } from '@ldes-live/log';
import { type Extent, literal, namedNode, PAGE_MEMBERS, quad } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, test, vi } from 'vitest';
import { KeptDocument } from '../src/documents/kept-document.ts';
import { KeptDocuments } from '../src/documents/kept-documents.ts';
import {
  KEPT_DOCUMENT_BYTES,
  KEPT_REPRESENTATION_BYTES,
  Representations,
  type RepresentationsOptions,
} from '../src/documents/representations.ts';
import type { DocumentContent, DocumentState, StreamDocument } from '../src/documents/stream-document.ts';
import { VARIANTS, variantOf } from '../src/documents/variant.ts';
import { EPOCH, fill, testServer, upsert } from './test-server.ts';

const NTRIPLES = variantOf('ntriples', 'identity');
const EXTENT = { first: 1, last: 250 };

function representationsOf(options: Partial<RepresentationsOptions> = {}): Representations {
  return new Representations({
    prefixes: {},
    limitKeptBytes: 1e6,
    limitPendingBuilds: 64,
    random: () => 0.5,
    ...options,
  });
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

// A diskCache in memory, with what it holds.
function shelfOf(): DiskCache & { readonly held: Map<string, Buffer> } {
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

test('DOC-10 as many documents are kept as the limit has room for, those that were asked for last', async () => {
  const [a, b, c] = ['a', 'b', 'c'].map((name) => sized(`http://example.org/${name}`, 1000)) as [
    Counted,
    Counted,
    Counted,
  ];
  const one =
    (await representationsOf().get(a, NTRIPLES)).bytes.length + KEPT_REPRESENTATION_BYTES + KEPT_DOCUMENT_BYTES;
  for (const [limitKeptBytes, expected] of [
    [2 * one, 1],
    [2 * one - 1, 2],
  ] as const) {
    const representations = representationsOf({ limitKeptBytes });
    for (const document of [a, b, c]) document.made = 0;
    const get = (document: Counted) => representations.get(document, NTRIPLES);
    await get(a);
    await get(b);
    await get(a);
    expect(a.made, String(limitKeptBytes)).toBe(expected);
  }
  const representations = representationsOf({ limitKeptBytes: 2 * one });
  for (const document of [a, b, c]) document.made = 0;
  const get = (document: Counted) => representations.get(document, NTRIPLES);
  await get(a);
  await get(b);
  // What is ready counts as asked for too.
  expect(representations.ready(a.url, a.state(), NTRIPLES)).toBeDefined();
  await get(c);
  await get(a);
  expect([a.made, b.made, c.made]).toEqual([1, 1, 1]);
  await get(b);
  expect(b.made).toBe(2);
});

test('DOC-10 one document is kept however large it is, and a failure is not', async () => {
  const large = sized('http://example.org/large', 5000);
  const representations = representationsOf({ limitKeptBytes: 1 });
  await representations.get(large, NTRIPLES);
  await representations.get(large, NTRIPLES);
  expect(large.made).toBe(1);
  const failing = { ...sized('http://example.org/failing', 1), build: () => Promise.reject(new Error('disk')) };
  await expect(representations.get(failing, NTRIPLES)).rejects.toThrow('disk');
  await expect(representations.get({ ...failing, build: large.build }, NTRIPLES)).resolves.toBeDefined();
});

test.each([
  [1200, undefined, false],
  [1999, 1200, false],
  [2000, 1999, true],
])('DOC-11 a state of %d ms is dated if the one before it is known to be of another second: %s', async (...given) => {
  const [lastModifiedMs, previouslyModifiedMs, expected] = given;
  const document = sized('http://example.org/a', 1);
  const build = async () => ({ ...(await document.build()), lastModifiedMs, previouslyModifiedMs }) as DocumentContent;
  const made = await representationsOf().get({ ...document, build }, NTRIPLES);
  expect(made.isDated).toBe(expected);
});

test('DOC-36 a document is made once for all its encodings, and each encoding once', async () => {
  const document = sized('http://example.org/a', 1000);
  const representations = representationsOf();
  const get = (encoding: 'identity' | 'gzip' | 'br') => representations.get(document, variantOf('ntriples', encoding));
  const [gzip, br, again, identity] = await Promise.all([get('gzip'), get('br'), get('gzip'), get('identity')]);
  expect(document.made).toBe(1);
  expect(again.bytes).toBe(gzip.bytes);
  expect((await get('br')).bytes).toBe(br.bytes);
  expect(new Set([gzip, br, identity].map(({ etag }) => etag)).size).toBe(3);
});

test('DOC-38 of a document that changes one state is kept, in whatever formats it was asked for', async () => {
  const document = sized('http://example.org/a', 1000);
  const representations = representationsOf();
  for (const variant of VARIANTS) await representations.get(document, variant);
  const before = document.state();
  document.version = '2';
  await representations.get(document, NTRIPLES);
  for (const variant of VARIANTS) {
    expect(representations.ready(document.url, before, variant)).toBeUndefined();
    expect(representations.ready(document.url, document.state(), variant) !== undefined).toBe(variant === NTRIPLES);
  }
});

test('DOC-44 as many documents are made at a time as the limit allows; what is ready or begun is not refused', async () => {
  const representations = representationsOf({ limitPendingBuilds: 2 });
  const ready = sized('http://example.org/ready', 1);
  await representations.get(ready, NTRIPLES);
  const [a, b, c] = ['a', 'b', 'c'].map((name) => held(`http://example.org/${name}`)) as [
    ReturnType<typeof held>,
    ReturnType<typeof held>,
    ReturnType<typeof held>,
  ];
  const making = [a, b, a].map((document) => representations.get(document, NTRIPLES));
  await expect(representations.get(c, NTRIPLES)).rejects.toMatchObject({
    code: 'ERR_OVERLOADED',
    details: { limitPendingBuilds: 2, retryAfterSeconds: 3 },
  });
  await expect(representations.get(ready, NTRIPLES)).resolves.toBeDefined();
  a.letThrough();
  b.letThrough();
  await Promise.all(making);
  c.letThrough();
  await expect(representations.get(c, NTRIPLES)).resolves.toBeDefined();
});

test('DOC-39 a sealed document is taken from the disk cache, with its entity tag and date, and put there once made', async () => {
  const diskCache = shelfOf();
  const shelved = { extent: EXTENT, name: 'page' };
  const document = sized('http://example.org/a', 1000, { caching: 'immutable', shelved });
  document.lastModifiedMs = 1234;
  const made = await Promise.all(VARIANTS.map((variant) => representationsOf().get(document, variant, diskCache)));
  await eventually(() => expect(diskCache.held.size).toBe(VARIANTS.length));
  for (const name of diskCache.held.keys()) expect(name).toMatch(/^1-250 page-w2\.[a-z0-9.-]{1,56}$/);
  document.made = 0;
  const taken = await Promise.all(VARIANTS.map((variant) => representationsOf().get(document, variant, diskCache)));
  expect(document.made).toBe(0);
  expect(taken).toEqual(made);
});

test('DOC-39 a diskCache that fails or holds something else is made good for', async () => {
  const shelved = { extent: EXTENT, name: 'page' };
  const document = sized('http://example.org/a', 1000, { caching: 'immutable', shelved });
  const failing: DiskCache = {
    get: () => Promise.reject(new Error('disk')),
    put: () => Promise.reject(new Error('disk')),
  };
  const other: DiskCache = { get: async () => Buffer.from('something else'), put: async () => {} };
  const expected = await representationsOf().get(document, NTRIPLES);
  for (const diskCache of [failing, other]) {
    expect(await representationsOf().get(document, NTRIPLES, diskCache)).toEqual(expected);
  }
});

const single = (name: string, version = '1') => new KeptDocument(name, { version });
const member = (name: string, version = '1', family = 'stream') => new KeptDocument(name, { version, family });

test('DOC-65 a family is dropped together when one of it is kept in another version, and other families stay', () => {
  const documents = new KeptDocuments(1000);
  const [a, b] = [member('a'), member('b')];
  for (const kept of [a, b, member('c', '1', 'another'), single('page')]) documents.add(kept, 10);
  expect(documents.get('a')).toBe(a);
  const newer = member('d', '2');
  documents.add(newer, 10);
  expect(['a', 'b', 'c', 'd', 'page'].filter((url) => documents.get(url))).toEqual(['c', 'd', 'page']);
  // What ends up being made of a document that was dropped is not counted.
  documents.grow(b, 1e6);
  expect(documents.get('page')).toBeDefined();
});

test('DOC-65 families have a quarter of the room, in the order of use, and not a byte more', () => {
  const documents = new KeptDocuments(400);
  for (const name of ['latest', 'open']) documents.add(single(name), 150);
  const names = Array.from({ length: 11 }, (_, index) => `tail ${index}`);
  const kept = () => names.filter((name) => documents.get(name));
  for (const name of names.slice(0, 10)) documents.add(member(name), 10);
  expect(kept()).toHaveLength(10);
  documents.use(documents.get('tail 0') as KeptDocument);
  documents.add(member('tail 10'), 10);
  expect(kept()).toEqual(names.filter((name) => name !== 'tail 1'));
  for (const name of ['latest', 'open']) expect(documents.get(name)).toBeDefined();
});

test('DOC-65 what families do not use is there for the others, and the other way round only their part', () => {
  const documents = new KeptDocuments(400);
  for (let index = 0; index < 40; index += 1) documents.add(single(`page ${index}`), 10);
  const pages = () => Array.from({ length: 40 }, (_, index) => index).filter((index) => documents.get(`page ${index}`));
  expect(pages()).toHaveLength(40);
  for (let index = 0; index < 40; index += 1) documents.add(member(`tail ${index}`), 10);
  expect(pages()).toEqual(Array.from({ length: 30 }, (_, index) => index + 10));
});

test('DOC-65 one that is larger than all of a family may be is kept while it is the last, and costs the others no more', () => {
  const documents = new KeptDocuments(400);
  documents.add(single('latest'), 300);
  documents.add(member('large'), 5000);
  expect([documents.get('latest'), documents.get('large')]).not.toContain(undefined);
  documents.use(documents.get('latest') as KeptDocument);
  documents.grow(documents.get('latest') as KeptDocument, 1);
  expect(documents.get('large')).toBeUndefined();
});

test('DOC-65 however many tails are asked for, the latest state and the open page stay ready', async () => {
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

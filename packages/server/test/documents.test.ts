import { extractMembers, type Format, formatOf, parseQuads, readStreamContext } from '@ldes-live/codec';
import { formatCursor, ldes, prov, tree } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { expect, test } from 'vitest';
import { EPOCH, entityOf, fill, PUBLIC_URL, remove, type TestServer, testServer, upsert } from './test-server.ts';

const FORMATS = {
  jsonld: 'application/ld+json',
  turtle: 'text/turtle',
  trig: 'application/trig',
  nquads: 'application/n-quads',
  ntriples: 'application/n-triples',
} satisfies Record<Format, string>;

async function quadsOf(server: TestServer, path: string, format: Format = 'nquads'): Promise<Quad[]> {
  const response = await server.get(path, { accept: FORMATS[format] });
  expect(response.statusCode).toBe(200);
  expect(formatOf(response.headers['content-type'] as string)).toBe(format);
  return parseQuads(response.body, format, `${PUBLIC_URL}${path.slice(1)}`);
}

async function membersOf(server: TestServer, path: string) {
  const context = readStreamContext(await quadsOf(server, '/vehicles'), `${PUBLIC_URL}vehicles`);
  return extractMembers(await quadsOf(server, path), context);
}

const objectsOf = (quads: readonly Quad[], subject: string, predicate: string) =>
  quads
    .filter((quad) => quad.subject.value === subject && quad.predicate.value === predicate)
    .map((quad) => quad.object.value);

// The relations of a node as [target, type, bound].
function relationsOf(quads: readonly Quad[], node: string): [string, string, string | undefined][] {
  return objectsOf(quads, node, tree.relation).map((relation) => [
    objectsOf(quads, relation, tree.node)[0] as string,
    quads
      .find(({ subject, predicate }) => subject.value === relation && predicate.value.endsWith('#type'))
      ?.object.value.slice('https://w3id.org/tree#'.length) as string,
    objectsOf(quads, relation, tree.value)[0],
  ]);
}

test('DOC-1 every IRI of every document is absolute, below the public URL where it is ours', async () => {
  const server = await testServer();
  await fill(server, 300, 10);
  for (const path of [
    '/vehicles',
    '/vehicles/latest',
    `/vehicles/pages/${EPOCH}/range-0`,
    `/vehicles/pages/${EPOCH}/0`,
    `/vehicles/pages/${EPOCH}/1`,
  ]) {
    const { body } = await server.get(path, { accept: 'application/n-quads' });
    for (const [, iri] of body.matchAll(/<([^>]*)>/g)) expect(iri).toMatch(/^https?:\/\//);
  }
});

test('DOC-2 the root describes the stream and leads to the ranges', async () => {
  const server = await testServer();
  server.time.schedule = { kind: 'interval', intervalMs: 5000, nextMs: server.time.nowMs + 5000 };
  const root = `${PUBLIC_URL}vehicles`;
  expect(readStreamContext(await quadsOf(server, '/vehicles'), root)).toMatchObject({
    stream: `${root}#stream`,
    timestampPath: prov.generatedAtTime,
    sequencePath: `${PUBLIC_URL}ns/live#sequence`,
    versionOfPath: 'http://purl.org/dc/terms/isVersionOf',
    versionTimestampPath: 'http://www.w3.org/ns/sosa/resultTime',
    versionDeleteObject: 'https://www.w3.org/ns/activitystreams#Delete',
    pollingIntervalSeconds: 5,
  });
  expect(relationsOf(await quadsOf(server, '/vehicles'), root)).toEqual([
    [`${root}/pages/${EPOCH}/range-0`, 'Relation', undefined],
  ]);
  await fill(server, 1, 1);
  expect(relationsOf(await quadsOf(server, '/vehicles'), root)).toEqual([
    [`${root}/pages/${EPOCH}/range-0`, 'GreaterThanOrEqualToRelation', '2026-01-01T00:00:10.250Z'],
  ]);
});

test('DOC-5 a full page is sealed, has two bounds and never changes; the open one follows it', async () => {
  const server = await testServer();
  await fill(server, 250, 50);
  const sealed = await server.get(`/vehicles/pages/${EPOCH}/0`, { accept: 'text/turtle' });
  expect(sealed.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(sealed.headers).not.toHaveProperty('expires');
  const node = `${PUBLIC_URL}vehicles/pages/${EPOCH}/0`;
  expect(objectsOf(await quadsOf(server, `/vehicles/pages/${EPOCH}/0`), node, ldes.immutable)).toEqual(['true']);
  const empty = await quadsOf(server, `/vehicles/pages/${EPOCH}/1`);
  expect(objectsOf(empty, `${PUBLIC_URL}vehicles/pages/${EPOCH}/1`, ldes.immutable)).toEqual([]);
  await fill(server, 20, 20);
  const again = await server.get(`/vehicles/pages/${EPOCH}/0`, { accept: 'text/turtle' });
  expect(again.rawPayload.equals(sealed.rawPayload)).toBe(true);
  expect(again.headers.etag).toBe(sealed.headers.etag);
  const range = `${PUBLIC_URL}vehicles/pages/${EPOCH}/range-0`;
  const [first, last] = [
    await membersOf(server, `/vehicles/pages/${EPOCH}/0`).then((members) => [members[0], members.at(-1)]),
  ].flat();
  expect(relationsOf(await quadsOf(server, `/vehicles/pages/${EPOCH}/range-0`), range)).toEqual([
    [node, 'GreaterThanOrEqualToRelation', first?.time],
    [node, 'LessThanRelation', new Date(Date.parse(last?.time ?? '') + 1).toISOString()],
    [`${PUBLIC_URL}vehicles/pages/${EPOCH}/1`, 'GreaterThanOrEqualToRelation', expect.any(String)],
  ]);
});

test('DOC-5 the pages hold every member once and in order, 250 a page', async () => {
  const server = await testServer();
  await fill(server, 620, 31);
  const pages = await Promise.all([0, 1, 2].map((index) => membersOf(server, `/vehicles/pages/${EPOCH}/${index}`)));
  expect(pages.map((members) => members.length)).toEqual([250, 250, 120]);
  expect(pages.flat().map(({ sequence }) => sequence)).toEqual(Array.from({ length: 620 }, (_, index) => index + 1));
  expect((await server.get(`/vehicles/pages/${EPOCH}/3`)).statusCode).toBe(404);
  expect((await server.get(`/vehicles/pages/${EPOCH}/range-1`)).statusCode).toBe(404);
});

test('DOC-6 the latest state holds the newest version of every living entity and nothing else', async () => {
  const server = await testServer();
  await server.log.append([upsert(1, 1), upsert(2, 1), upsert(3, 1)]);
  await server.log.append([upsert(1, 2), remove(2)]);
  const members = await membersOf(server, '/vehicles/latest');
  expect(members.map(({ entity, sequence, kind }) => [entity, sequence, kind])).toEqual([
    [entityOf(3), 3, 'upsert'],
    [entityOf(1), 4, 'upsert'],
  ]);
  const quads = await quadsOf(server, '/vehicles/latest');
  const policy = quads.find(({ predicate }) => predicate.value === ldes.retentionPolicy)?.object;
  expect(policy?.termType).toBe('NamedNode');
  expect(objectsOf(quads, policy?.value ?? '', ldes.versionAmount)).toEqual(['1']);
});

test('DOC-7 the five formats say the same', async () => {
  const server = await testServer();
  await fill(server, 30, 10);
  const expected = (await quadsOf(server, '/vehicles/latest', 'nquads')).length;
  for (const format of Object.keys(FORMATS) as Format[]) {
    expect(await quadsOf(server, '/vehicles/latest', format), format).toHaveLength(expected);
  }
});

test('DOC-13 pages redirect to where the next member is or will be', async () => {
  const server = await testServer();
  await fill(server, 250, 125);
  const { epoch } = server.log.head.cursor;
  for (const [sequence, page] of [
    [0, 0],
    [1, 0],
    [249, 0],
    [250, 1],
  ]) {
    const response = await server.get(`/vehicles/pages?after=${epoch}-${sequence}`);
    expect(response.statusCode).toBe(307);
    expect(response.headers.location).toBe(`${PUBLIC_URL}vehicles/pages/${EPOCH}/${page}`);
  }
  for (const cursor of [`${epoch}-251`, 'other-1']) {
    const response = await server.get(`/vehicles/pages?after=${cursor}`);
    expect(response.statusCode).toBe(410);
    expect(response.json()).toMatchObject({ code: 'ERR_CURSOR_GONE', latest: `${PUBLIC_URL}vehicles/latest` });
  }
  expect((await server.get('/vehicles/pages?after=nonsense')).json()).toMatchObject({
    code: 'ERR_CURSOR_MALFORMED',
    status: 400,
  });
  expect((await server.get('/vehicles/pages')).json()).toMatchObject({ code: 'ERR_CURSOR_MISSING', status: 400 });
});

test('DOC-14 an entity answers at its IRI while it lives', async () => {
  const server = await testServer();
  await server.log.append([upsert(1, 1)]);
  const path = new URL(entityOf(1)).pathname;
  const first = await server.get(path);
  expect(first.statusCode).toBe(200);
  await server.log.append([upsert(1, 2)]);
  const second = await server.get(path, { accept: 'application/n-quads' });
  expect(second.body).toContain('"2"');
  expect(second.headers['ldes-cursor']).toBe(formatCursor({ ...server.log.head.cursor, sequence: 2 }));
  await server.log.append([remove(1)]);
  expect((await server.get(path)).statusCode).toBe(404);
});

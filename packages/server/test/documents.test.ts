import { extractMembers, readStreamContext } from '@ldes-live/codec';
import { formatCursor, ldes, prov } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { objectsOf, published, relationsOf } from './published.ts';
import { EPOCH, entityOf, fill, PUBLIC_URL, remove, type TestServer, testServer, upsert } from './test-server.ts';

async function membersOf(server: TestServer, path: string) {
  const context = readStreamContext(await published(server, '/vehicles'), `${PUBLIC_URL}vehicles`);
  return extractMembers(await published(server, path), context);
}

test('DOC-2 the root describes the stream and leads to the ranges', async () => {
  const server = await testServer();
  server.time.schedule = { kind: 'interval', intervalMs: 5000, nextMs: server.time.nowMs + 5000 };
  const root = `${PUBLIC_URL}vehicles`;
  expect(readStreamContext(await published(server, '/vehicles'), root)).toMatchObject({
    stream: `${root}#stream`,
    timestampPath: prov.generatedAtTime,
    sequencePath: `${PUBLIC_URL}ns/live#sequence`,
    versionOfPath: 'http://purl.org/dc/terms/isVersionOf',
    versionTimestampPath: 'http://www.w3.org/ns/sosa/resultTime',
    versionDeleteObject: 'https://www.w3.org/ns/activitystreams#Delete',
    pollingIntervalSeconds: 5,
  });
  expect(relationsOf(await published(server, '/vehicles'), root)).toEqual([
    [`${root}/pages/${EPOCH}/range-0`, 'Relation', undefined],
  ]);
  await fill(server, 1, 1);
  expect(relationsOf(await published(server, '/vehicles'), root)).toEqual([
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
  expect(objectsOf(await published(server, `/vehicles/pages/${EPOCH}/0`), node, ldes.immutable)).toEqual(['true']);
  const empty = await published(server, `/vehicles/pages/${EPOCH}/1`);
  expect(objectsOf(empty, `${PUBLIC_URL}vehicles/pages/${EPOCH}/1`, ldes.immutable)).toEqual([]);
  await fill(server, 20, 20);
  const again = await server.get(`/vehicles/pages/${EPOCH}/0`, { accept: 'text/turtle' });
  expect(again.rawPayload.equals(sealed.rawPayload)).toBe(true);
  expect(again.headers.etag).toBe(sealed.headers.etag);
  const range = `${PUBLIC_URL}vehicles/pages/${EPOCH}/range-0`;
  const [first, last] = [
    await membersOf(server, `/vehicles/pages/${EPOCH}/0`).then((members) => [members[0], members.at(-1)]),
  ].flat();
  expect(relationsOf(await published(server, `/vehicles/pages/${EPOCH}/range-0`), range)).toEqual([
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
  const quads = await published(server, '/vehicles/latest');
  const policy = quads.find(({ predicate }) => predicate.value === ldes.retentionPolicy)?.object;
  expect(policy?.termType).toBe('NamedNode');
  expect(objectsOf(quads, policy?.value ?? '', ldes.versionAmount)).toEqual(['1']);
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

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatCursor, formats, ldes, prov, readStreamContext } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { streamUrls } from '../src/documents/document.ts';
import { expectSameTriples, membersOf, objectsOf, published, relationsOf, varied } from './published.ts';
import { EPOCH, entityOf, fill, PUBLIC_URL, remove, testServer, upsert } from './test-server.ts';

test('DOC-2 the root describes the stream and leads to the ranges', async () => {
  const server = await testServer();
  server.time.schedule = { kind: 'interval', intervalMs: 5000, nextMs: server.time.nowMs + 5000 };
  const root = `${PUBLIC_URL}vehicles`;
  expect(readStreamContext(await published(server, '/vehicles'), root)).toMatchObject({
    stream: `${root}#stream`,
    timestampPath: prov.generatedAtTime,
    sequencePath: 'https://w3id.org/ldes-live/terms#sequence',
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
  expect((await server.get(`/vehicles/pages?after=${epoch}-251`)).json()).toMatchObject({ code: 'ERR_CURSOR_GONE' });
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

test('DOC-14 an entity answers at the URL of its IRI, which may have characters beyond ASCII', async () => {
  const server = await testServer();
  const [plain, encoded] = ['/vehicles/entities/é🚋%2F', '/vehicles/entities/%C3%A9%f0%9f%9a%8b%2F'];
  await server.log.append([{ ...upsert(1, 1), entity: PUBLIC_URL + plain.slice(1) }]);
  expect((await server.get(encoded)).statusCode).toBe(200);
  await server.log.append([{ ...upsert(1, 2), entity: PUBLIC_URL + encoded.slice(1) }]);
  const read = await server.get(encoded, { accept: 'application/n-quads' });
  expect(read.body).toContain(`isVersionOf> <${PUBLIC_URL}${encoded.slice(1)}>`);
});

const STREAM = `${PUBLIC_URL}vehicles`;

// The URLs of the table under "URLs", with what stands for the names in it.
function specifiedUrls(): string[] {
  const spec = readFileSync(fileURLToPath(new URL('../../../specs/documents.md', import.meta.url)), 'utf8');
  const section = spec.slice(spec.indexOf('## URLs'), spec.indexOf('- **DOC-1**'));
  return [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, url]) =>
    (url as string)
      .replace(/^P ?/, PUBLIC_URL)
      .replace(/^S/, STREAM)
      .replace('ns/NAME', 'ns/live')
      .replace('EPOCH', EPOCH)
      .replace('CURSOR', `${EPOCH}-0`)
      .replace(/([/-])N$/, '$10')
      .replace('-R', '-0')
      .replace(/-vK$/, '-v1')
      .replace('Z/X/Y', '1/1/0')
      .replace('...', '1'),
  );
}

test('DOC-1 the documents are at the URLs that the specification has, and at no others', async () => {
  const server = await testServer();
  await fill(server, 5, 5);
  const urls = specifiedUrls();
  const answers = await Promise.all(
    urls.map(async (url) => {
      // A push stream does not end, but its head does.
      const method = url.endsWith('/events') ? 'HEAD' : 'GET';
      const { statusCode } = await server.app.inject({ method, url: url.slice(PUBLIC_URL.length - 1) });
      return [url, statusCode];
    }),
  );
  // The open range has no revisions.
  expect(answers).toEqual(urls.map((url) => [url, /\?after=|-v1$|\/context\.jsonld$/.test(url) ? 307 : 200]));
  const { root, latest, events, pages, page, range, removed, shape, tail, tiles } = streamUrls(server.description);
  const own = [root, latest, events, `${pages}?after=${EPOCH}-0`, page(EPOCH, 0), entityOf(1)];
  own.push(
    range(EPOCH, 0, 0),
    range(EPOCH, 0, 1),
    tail({ epoch: EPOCH, sequence: 0 }),
    tiles,
    `${tiles}/1/1/0`,
    `${tiles}/elsewhere`,
    removed(EPOCH),
    shape,
  );
  expect(urls.filter((url) => url.startsWith(STREAM)).sort()).toEqual(own.sort());
});

test('DOC-1 DOC-7 each document has the same triples in the five formats, and every IRI is absolute', async () => {
  const server = await testServer();
  server.time.schedule = { kind: 'interval', intervalMs: 5000, nextMs: server.time.nowMs + 5000 };
  await fill(server, 245, 245);
  await server.log.append(Array.from({ length: 8 }, (_, index) => varied(index)));
  await server.log.append([remove(1)]);
  for (const path of [
    ...['/', '/ns/live', '/vehicles', '/vehicles/shape', '/vehicles/latest', new URL(entityOf(7)).pathname],
    ...['range-0', '0', '1', 'after-240'].map((name) => `/vehicles/pages/${EPOCH}/${name}`),
    ...['', '/1/1/0', '/elsewhere'].map((tile) => `/vehicles/tiles${tile}`),
  ]) {
    // Which sees to it that IRIs are absolute.
    await expectSameTriples(server, path);
    const quads = await published(server, path);
    const terms = quads.flatMap(({ subject, predicate, object }) => [subject, predicate, object]);
    const iris = terms.filter(({ termType }) => termType === 'NamedNode').map(({ value }) => value);
    const own = iris.filter((iri) => iri.includes('localhost'));
    expect(own.length > 0 || path === '/ns/live').toBe(true);
    expect(own.filter((iri) => !iri.startsWith(PUBLIC_URL))).toEqual([]);
  }
});

const RANGE_MEMBERS = 25_000;
const PAGES = `${PUBLIC_URL}vehicles/pages/${EPOCH}`;
const IMMUTABLE = 'public, max-age=31536000, immutable';

test('DOC-5 a full range is sealed, has two bounds and never changes; the open one follows it', async () => {
  const server = await testServer();
  const path = (range: number) => `/vehicles/pages/${EPOCH}/range-${range}`;
  const timeOf = async (sequence: number) => (await server.log.read(sequence - 1, 1))[0]?.time as string;
  const justPast = (time: string) => new Date(Date.parse(time) + 1).toISOString();

  await fill(server, RANGE_MEMBERS - 1, 5000);
  const open = await server.get(path(0), { accept: 'text/turtle' });
  expect(open.headers['cache-control']).toBe('public, max-age=1, stale-if-error=300');
  expect(objectsOf(await published(server, path(0)), `${PAGES}/range-0`, ldes.immutable)).toEqual([]);
  const root = async () => relationsOf(await published(server, '/vehicles'), `${PUBLIC_URL}vehicles`);
  const first = await timeOf(1);
  expect(await root()).toEqual([[`${PAGES}/range-0`, 'GreaterThanOrEqualToRelation', first]]);

  await fill(server, 1, 1);
  const sealed = await server.get(path(0), { accept: 'text/turtle' });
  expect(sealed.headers['cache-control']).toBe(IMMUTABLE);
  expect(sealed.headers).not.toHaveProperty('expires');
  expect(sealed.headers).not.toHaveProperty('next-update');
  const quads = await published(server, path(0));
  expect(objectsOf(quads, `${PAGES}/range-0`, ldes.immutable)).toEqual(['true']);
  const relations = relationsOf(quads, `${PAGES}/range-0`);
  expect(relations.map(([target]) => target)).toEqual(
    Array.from({ length: 100 }, (_, page) => [`${PAGES}/${page}`, `${PAGES}/${page}`]).flat(),
  );
  expect(relations.slice(-2)).toEqual([
    [`${PAGES}/99`, 'GreaterThanOrEqualToRelation', await timeOf(24_751)],
    [`${PAGES}/99`, 'LessThanRelation', justPast(await timeOf(RANGE_MEMBERS))],
  ]);
  const bounded = [
    [`${PAGES}/range-0`, 'GreaterThanOrEqualToRelation', first],
    [`${PAGES}/range-0`, 'LessThanRelation', justPast(await timeOf(RANGE_MEMBERS))],
  ];
  // While it is empty the next range has no bound.
  expect(await root()).toEqual([...bounded, [`${PAGES}/range-1`, 'Relation', undefined]]);

  await fill(server, 260, 260);
  const again = await server.get(path(0), { accept: 'text/turtle' });
  expect(again.rawPayload.equals(sealed.rawPayload)).toBe(true);
  expect(again.headers.etag).toBe(sealed.headers.etag);
  expect(again.headers['cache-control']).toBe(IMMUTABLE);
  const next = await timeOf(RANGE_MEMBERS + 1);
  expect(await root()).toEqual([...bounded, [`${PAGES}/range-1`, 'GreaterThanOrEqualToRelation', next]]);
  const second = await published(server, path(1));
  expect(objectsOf(second, `${PAGES}/range-1`, ldes.immutable)).toEqual([]);
  expect(relationsOf(second, `${PAGES}/range-1`)).toEqual([
    [`${PAGES}/100`, 'GreaterThanOrEqualToRelation', next],
    [`${PAGES}/100`, 'LessThanRelation', justPast(await timeOf(RANGE_MEMBERS + 250))],
    [`${PAGES}/101`, 'GreaterThanOrEqualToRelation', await timeOf(RANGE_MEMBERS + 251)],
  ]);
});

test('DOC-11 DOC-84 where the cursor is the tag nothing depends on the description; the tag of the root tells it', async () => {
  const retention = { versionAmount: 1 };
  const servers = [await testServer(), await testServer({}, { title: 'Other', about: { keywords: ['b'] }, retention })];
  for (const server of servers) await fill(server, 300, 100);
  const answers = (path: string, accept: string) => Promise.all(servers.map((server) => server.get(path, { accept })));
  const pages = ['0', '1', 'after-290'].map((name) => `pages/${EPOCH}/${name}`);
  for (const path of ['latest', ...pages, 'entities/7']) {
    for (const { mediaType } of Object.values(formats)) {
      const [one, other] = await answers(`/vehicles/${path}`, mediaType);
      expect([other?.headers.etag, other?.body], path).toEqual([one?.headers.etag, one?.body]);
    }
  }
  const [root, otherRoot] = await answers('/vehicles', 'text/turtle');
  expect(otherRoot?.headers.etag).not.toBe(root?.headers.etag);
});

import { formatCursor, ldes, type Member, rdf, TAIL_MEMBERS, tree } from '@ldes-live/rdf-stream';
import { expect, test, vi } from 'vitest';
import type { StreamDocument } from '../src/documents/document.ts';
import { MemberTexts } from '../src/documents/member-texts.ts';
import { TimeView } from '../src/documents/pages.ts';
import { objectsOf, published, relationsOf } from './published.ts';
import { EPOCH, entityOf, fill, PUBLIC_URL, type TestServer, testServer, upsert } from './test-server.ts';

const STREAM = `${PUBLIC_URL}vehicles`;
const PAGES = `${STREAM}/pages/${EPOCH}`;
const IMMUTABLE = 'public, max-age=31536000, immutable';
const TWO_HOURS_MS = 7_200_000;

const page = (index: number | 'removed') => `/vehicles/pages/${EPOCH}/${index}`;
const range = (name: string) => `/vehicles/pages/${EPOCH}/range-${name}`;
const extent = (from: number, to: number) => ({ first: from * 250 + 1, last: (to + 1) * 250 });
const justPast = (time: string) => new Date(Date.parse(time) + 1).toISOString();

async function timeOf({ log }: TestServer, sequence: number): Promise<string> {
  return ((await log.read(sequence - 1, 1))[0] as Member).time;
}

test('DOC-27 what is unlinked is led to by nothing, and is still there', async () => {
  const server = await testServer();
  await fill(server, 1100, 50);
  const before = await server.get(page(1), { accept: 'text/turtle' });
  await server.log.unlink(extent(0, 1));
  const leads = relationsOf(await published(server, range('0')), `${PAGES}/range-0`);
  expect([...new Set(leads.map(([target]) => target))]).toEqual([2, 3, 4].map((index) => `${PAGES}/${index}`));
  expect(relationsOf(await published(server, '/vehicles'), STREAM)).toEqual([
    [`${PAGES}/range-0`, 'GreaterThanOrEqualToRelation', await timeOf(server, 501)],
  ]);
  for (const format of ['text/turtle', 'application/n-quads']) {
    expect((await server.get(page(0), { accept: format })).headers['cache-control']).toBe(IMMUTABLE);
  }
  const after = await server.get(page(1), { accept: 'text/turtle' });
  expect(after.rawPayload.equals(before.rawPayload)).toBe(true);
  expect(after.headers.link).toContain(`<${PAGES}/2>; rel="next"`);
  expect((await server.get(`/vehicles/pages?after=${EPOCH}-0`)).headers.location).toBe(`${PAGES}/0`);
});

test('DOC-27 DOC-28 pages that go out of order leave the others where they are', async () => {
  const server = await testServer();
  await fill(server, 1100, 50);
  await server.log.unlink(extent(1, 1));
  await server.log.unlink(extent(3, 3));
  await server.log.erase(extent(1, 1));
  const leads = relationsOf(await published(server, range('0')), `${PAGES}/range-0`);
  expect([...new Set(leads.map(([target]) => target))]).toEqual([0, 2, 4].map((index) => `${PAGES}/${index}`));
  expect((await server.get(page(0))).headers['cache-control']).toBe(IMMUTABLE);
  expect((await server.get(page(1))).headers.location).toBe(`${PAGES}/removed`);
  expect((await server.get(page(3))).headers['cache-control']).toBe(IMMUTABLE);
});

test('DOC-28 an erased page leads to a node with nothing on it for its grace period, then it is gone', async () => {
  const server = await testServer();
  await fill(server, 600, 50);
  const { headers } = await server.get(page(0));
  await server.log.unlink(extent(0, 0));
  await server.log.erase(extent(0, 0));
  // Also whoever has the whole page: it is not changed, it is not there.
  for (const condition of [
    {},
    { 'if-none-match': headers.etag as string },
    { 'if-modified-since': headers['last-modified'] as string },
  ]) {
    const erased = await server.get(page(0), condition);
    expect([erased.statusCode, erased.headers.location]).toEqual([307, `${PAGES}/removed`]);
    expect(erased.headers['cache-control']).toBe('no-store');
  }
  const removed = await server.get(page('removed'));
  expect(removed.headers['cache-control']).toBe(IMMUTABLE);
  expect(removed.headers).not.toHaveProperty('ldes-cursor');
  const quads = await published(server, page('removed'));
  expect(quads.map(({ subject, predicate, object }) => [subject.value, predicate.value, object.value])).toEqual([
    [`${PAGES}/removed`, rdf.type, tree.Node],
    [`${PAGES}/removed`, ldes.immutable, 'true'],
  ]);

  server.time.nowMs += TWO_HOURS_MS;
  const gone = await server.get(page(0));
  expect(gone.statusCode).toBe(410);
  expect(gone.headers['cache-control']).toBe('no-store');
  const next = `${STREAM}/pages?after=${EPOCH}-250`;
  expect(gone.json()).toMatchObject({ code: 'ERR_PAGE_GONE', url: `${PAGES}/0`, next, latest: `${STREAM}/latest` });
  expect((await server.get(next.slice(PUBLIC_URL.length - 1))).headers.location).toBe(`${PAGES}/1`);
  // It has no state of the log, so that it is the same at every server over it, and after whatever is removed next.
  expect((await server.get(page('removed'))).rawPayload.equals(removed.rawPayload)).toBe(true);
});

test.each([
  ['DOC-28 a page', '0', [0, 250], 307, `${PAGES}/removed`],
  ['DOC-62 a tail', 'after-100', [100, TAIL_MEMBERS], 410, undefined],
])('%s whose members are erased while it is made is answered as without them', async (...given) => {
  const [, name, asked, status, location] = given;
  const server = await testServer();
  const { log } = server;
  await fill(server, 600, 50);
  await log.unlink(extent(0, 0));
  const read = log.read.bind(log);
  const reads = vi.spyOn(log, 'read').mockImplementationOnce(async (after, limit) => {
    await log.erase(extent(0, 0));
    return await read(after, limit);
  });
  const response = await server.get(`/vehicles/pages/${EPOCH}/${name}`);
  expect(reads.mock.calls[0]).toEqual(asked);
  expect([response.statusCode, response.headers.location]).toEqual([status, location]);
});

test('DOC-29 a full range that loses pages is a new document, to which its other URLs lead', async () => {
  const server = await testServer();
  await fill(server, 25_300, 5060);
  const first = await server.get(range('0'));
  expect(first.headers['cache-control']).toBe(IMMUTABLE);
  await server.log.unlink(extent(0, 1));
  await server.log.erase(extent(0, 0));
  const revision = `${PAGES}/range-0-v2`;
  for (const name of ['0', '0-v1', '0-v3', '0-v100']) {
    const response = await server.get(range(name));
    expect([response.statusCode, response.headers.location], name).toEqual([307, revision]);
    expect(response.headers['cache-control']).toBe('no-store');
  }
  for (const name of ['0-v0', '0-v02', '0-v101', '0-v', '2', '2-v1']) {
    expect((await server.get(range(name))).statusCode, name).toBe(404);
  }
  const current = await server.get(range('0-v2'));
  expect(current.headers['cache-control']).toBe(IMMUTABLE);
  const quads = await published(server, range('0-v2'));
  expect(objectsOf(quads, revision, ldes.immutable)).toEqual(['true']);
  const leads = relationsOf(quads, revision).map(([target]) => target);
  expect([...new Set(leads)]).toEqual(Array.from({ length: 98 }, (_, index) => `${PAGES}/${index + 2}`));
  const bounds = async (url: string) =>
    relationsOf(await published(server, '/vehicles'), STREAM).filter(([target]) => target === url);
  expect(await bounds(revision)).toEqual([
    [revision, 'GreaterThanOrEqualToRelation', await timeOf(server, 501)],
    [revision, 'LessThanRelation', justPast(await timeOf(server, 25_000))],
  ]);

  await server.log.unlink(extent(99, 99));
  expect((await server.get(range('0-v2'))).headers.location).toBe(`${PAGES}/range-0-v3`);
  expect((await bounds(`${PAGES}/range-0-v3`)).at(-1)).toEqual([
    `${PAGES}/range-0-v3`,
    'LessThanRelation',
    justPast(await timeOf(server, 24_750)),
  ]);
  // An open range has one URL.
  expect((await server.get(range('1-v1'))).headers.location).toBe(`${PAGES}/range-1`);
  await server.log.unlink(extent(100, 100));
  expect((await server.get(range('1'))).statusCode).toBe(200);

  await server.log.unlink(extent(2, 98));
  expect(relationsOf(await published(server, '/vehicles'), STREAM)).toEqual([
    [`${PAGES}/range-1`, 'GreaterThanOrEqualToRelation', await timeOf(server, 25_251)],
  ]);
  for (const name of ['0', '0-v2', '0-v100']) {
    expect((await server.get(range(name))).headers.location, name).toBe(`${PAGES}/removed`);
  }
  await server.log.erase(extent(0, 99));
  server.time.nowMs += TWO_HOURS_MS;
  for (const name of ['0', '0-v2', '0-v100']) {
    const response = await server.get(range(name));
    expect([response.statusCode, response.json().code], name).toEqual([410, 'ERR_PAGE_GONE']);
  }
});

test('DOC-13 DOC-30 the way to members that were erased is answered by 410, and from the beginning leads past them', async () => {
  const server = await testServer();
  await fill(server, 800, 50);
  await server.log.unlink(extent(0, 1));
  const after = (sequence: number) => server.get(`/vehicles/pages?after=${EPOCH}-${sequence}`);
  expect((await after(0)).statusCode).toBe(307);
  await server.log.erase(extent(0, 1));
  for (const sequence of [1, 250, 499]) {
    const response = await after(sequence);
    expect([response.statusCode, response.json().code], String(sequence)).toEqual([410, 'ERR_CURSOR_GONE']);
  }
  for (const sequence of [0, 500]) expect((await after(sequence)).headers.location).toBe(`${PAGES}/2`);
});

test('DOC-6 the latest state, the tiles and the entities keep what stood on removed pages', async () => {
  const server = await testServer();
  await fill(server, 700, 700);
  await fill(server, 300, 300);
  await server.log.unlink(extent(0, 2));
  await server.log.erase(extent(0, 2));
  server.time.nowMs += TWO_HOURS_MS;
  for (const path of ['/vehicles/latest', '/vehicles/tiles/elsewhere']) {
    const members = (await published(server, path)).filter(({ predicate }) => predicate.value === tree.member);
    expect(members).toHaveLength(700);
  }
  const path = new URL(entityOf(650)).pathname;
  expect((await server.get(path, { accept: 'application/n-quads' })).body).toContain('"650"');
  expect((await server.get(path)).headers['ldes-cursor']).toBe(formatCursor({ epoch: EPOCH, sequence: 651 }));
  await server.log.append([upsert(650, 7)]);
  expect((await server.get(path, { accept: 'application/n-quads' })).body).toContain('"7"');
});

test('DOC-8 of a stream that lets members go, what leads to pages is kept for a minute at most', async () => {
  const server = await testServer({}, { retention: { fullLogMs: 1000 } });
  await fill(server, 300, 50);
  const at = (aheadMs: number) => {
    server.time.schedule = { kind: 'interval', intervalMs: aheadMs, nextMs: server.time.nowMs + aheadMs };
  };
  for (const path of ['/vehicles', range('0')]) {
    at(60_999);
    const { headers } = await server.get(path);
    expect(headers['cache-control']).toBe('public, max-age=60, stale-if-error=300');
    expect(headers['next-update']).toBe(new Date(server.time.nowMs + 60_999).toISOString());
    at(86_400_000);
    const later = (await server.get(path)).headers;
    expect(later['cache-control']).toBe('public, max-age=60, stale-if-error=300');
    expect(Date.parse(later.expires as string) - Date.parse(later.date as string)).toBe(60_000);
    expect(later['next-update']).toBeUndefined();
  }
  expect((await server.get('/vehicles/latest')).headers['cache-control']).toContain('max-age=86400');
});

test('DOC-29 a full range that loses a page while it is made is answered as what it was, or by the way to what it is', async () => {
  const server = await testServer();
  await fill(server, 25_000, 2500);
  const sealed = (await server.get(range('0'), { accept: 'text/turtle' })).body;
  const asked = server.get(range('0'), { accept: 'application/n-triples' });
  await server.log.unlink(extent(0, 0));
  const answer = await asked;
  const triples = sealed.match(/tree:node/g)?.length;
  if (answer.statusCode === 200) expect(answer.body.match(/tree#node>/g)).toHaveLength(triples as number);
  else expect([answer.statusCode, answer.headers.location]).toEqual([307, `${PAGES}/range-0-v1`]);
  const view = new TimeView({
    ...server,
    texts: new MemberTexts(server.log, { ...server, prefixes: {} }),
    schedule: () => server.time.schedule,
  });
  const { document } = view.find(`pages/${EPOCH}/range-0-v1`, new URLSearchParams()) as { document: StreamDocument };
  const { version } = document.state();
  await server.log.unlink(extent(1, 1));
  // It stays the revision that its URL names.
  expect(document.state()).toMatchObject({ version, caching: 'immutable' });
  expect((await document.build()).quads.filter(({ predicate }) => predicate.value === tree.node)).toHaveLength(2 * 99);
});

import {
  blankNode,
  type Draft,
  formats,
  ldes,
  literal,
  namedNode,
  prefixes,
  quad,
  readMembers,
  readStreamContext,
  tree,
} from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { expect, test } from 'vitest';
import { objectsOf, published, relationsOf } from './published.ts';
import { entityOf, PUBLIC_URL, remove, type TestServer, testServer, upsert } from './test-server.ts';

const TILES = `${PUBLIC_URL}vehicles/tiles`;
const pathOf = (url: string) => new URL(url).pathname;

function at(number: number, longitude: number, latitude: number): Draft {
  const subject = namedNode(entityOf(number));
  const place = blankNode('place');
  const quads = [
    quad(subject, namedNode(`${prefixes.geo}hasGeometry`), place),
    quad(place, namedNode(`${prefixes.geo}asWKT`), literal(`POINT (${longitude} ${latitude})`)),
  ];
  return { ...upsert(number, 0), quads } as Draft;
}

// Over some 50 km, denser in the middle.
function spread(from: number, count: number): Draft[] {
  return Array.from({ length: count }, (_, index) => {
    const number = from + index;
    return at(number, 3.7 + Math.sin(number) / 3 / (1 + (number % 7)), 51 + Math.cos(number * 1.7) / 4);
  });
}

async function membersIn(server: TestServer, quads: readonly Quad[]): Promise<number[]> {
  const context = readStreamContext(await published(server, '/vehicles'), `${PUBLIC_URL}vehicles`);
  return readMembers(quads, context).map(({ sequence }) => sequence);
}

// The whole view: what each of its nodes holds, by URL, in the order in which they are reached.
async function nodesOf(server: TestServer): Promise<Map<string, number[]>> {
  const nodes = new Map<string, number[]>();
  const found = [TILES];
  for (let url = found.shift(); url !== undefined; url = found.shift()) {
    const quads = await published(server, pathOf(url));
    expect(nodes.has(url), url).toBe(false);
    nodes.set(url, await membersIn(server, quads));
    found.push(...relationsOf(quads, url).map(([target]) => target));
  }
  return nodes;
}

async function expectLatest(server: TestServer): Promise<Map<string, number[]>> {
  const nodes = await nodesOf(server);
  const latest = await membersIn(server, await published(server, '/vehicles/latest'));
  const all = [...nodes.values()].flat();
  expect(all.sort((left, right) => left - right)).toEqual(latest);
  for (const [url, members] of nodes) {
    expect(members).toEqual([...members].sort((left, right) => left - right));
    if (!url.endsWith('/elsewhere')) expect(members.length).toBeLessThanOrEqual(250);
  }
  return nodes;
}

test('DOC-31 few members stand on the root of the view, those without a position elsewhere', async () => {
  const server = await testServer();
  expect([...(await expectLatest(server)).keys()]).toEqual([TILES]);
  await server.log.append([...spread(0, 250), upsert(900, 1)]);
  const nodes = await expectLatest(server);
  expect([...nodes].map(([url, members]) => [url, members.length])).toEqual([
    [TILES, 250],
    [`${TILES}/elsewhere`, 1],
  ]);
  const root = await published(server, '/vehicles/tiles');
  expect(relationsOf(root, TILES)).toEqual([[`${TILES}/elsewhere`, 'Relation', undefined]]);
  expect(objectsOf(root, `${PUBLIC_URL}vehicles#stream`, tree.view)).toEqual([TILES]);
  expect(objectsOf(root, `${TILES}#retention`, ldes.versionAmount)).toEqual(['1']);
  expect(objectsOf(root, `${TILES}#retention`, ldes.versionDeleteDuration)).toEqual(['PT0S']);
});

test('DOC-31 a node of more than 250 leads to smaller tiles, which have all of the latest state once', async () => {
  const server = await testServer();
  await server.log.append([...spread(0, 2000), upsert(9001, 1), upsert(9002, 1)]);
  const nodes = await expectLatest(server);
  expect(nodes.size).toBeGreaterThan(10);
  expect(nodes.get(TILES)).toEqual([]);
  expect(nodes.get(`${TILES}/elsewhere`)).toHaveLength(2);
  const [first] = [...nodes.keys()].slice(1);
  expect(first).toMatch(/\/tiles\/\d+\/\d+\/\d+$/);
  const root = await published(server, '/vehicles/tiles');
  expect(relationsOf(root, TILES)[0]).toEqual([
    first,
    'GeospatiallyContainsRelation',
    expect.stringMatching(/^POLYGON \(\(/),
  ]);
  const [path] = objectsOf(root, objectsOf(root, TILES, tree.relation)[0] as string, tree.path);
  expect(objectsOf(root, path as string, `${prefixes.rdf}first`)).toEqual([`${prefixes.geo}hasGeometry`]);
  const [rest] = objectsOf(root, path as string, `${prefixes.rdf}rest`);
  expect(objectsOf(root, rest as string, `${prefixes.rdf}first`)).toEqual([`${prefixes.geo}asWKT`]);
});

test('DOC-31 the view follows the commits: what moves, ends, loses its position or gets one', async () => {
  const server = await testServer();
  await server.log.append(spread(0, 600));
  await expectLatest(server);
  await server.log.append(Array.from({ length: 200 }, (_, index) => at(index, -70 + index / 1000, -33)));
  await server.log.append(Array.from({ length: 50 }, (_, index) => remove(200 + index)));
  await server.log.append([upsert(300, 1), upsert(9000, 1), at(9001, 180, 90), at(9002, -180, -90)]);
  expect((await expectLatest(server)).get(`${TILES}/elsewhere`)).toHaveLength(2);
  await server.log.append([at(300, 3, 51), at(9000, 3, 51)]);
  expect([...(await expectLatest(server)).keys()]).not.toContain(`${TILES}/elsewhere`);
  // What was led to before is still there.
  expect(await membersIn(server, await published(server, '/vehicles/tiles/elsewhere'))).toEqual([]);
  await server.log.append(Array.from({ length: 400 }, (_, index) => remove(index < 200 ? index : index + 50)));
  expect([...(await expectLatest(server)).keys()]).toEqual([TILES]);
});

test('DOC-76 an older version moves nothing, whether it comes before the view is made, meanwhile or after', async () => {
  const server = await testServer();
  const own = (number: number, longitude: number, hour: number) =>
    ({ ...at(number, longitude, 51), versionTime: `2026-01-01T${hour}:00:00Z` }) as Draft;
  await server.log.append([...spread(10, 260), own(1, 100, 12), own(2, 100, 12), own(3, 100, 12)]);
  await server.log.append([own(1, 3.7, 11)]);
  const first = server.get(pathOf(TILES));
  await server.log.append([own(2, 3.7, 11)]);
  await first;
  await server.log.append([own(3, 3.7, 11)]);
  const nodes = await expectLatest(server);
  expect([...nodes.values()].filter((sequences) => sequences.includes(261))).toEqual([[261, 262, 263]]);
});

test('DOC-31 what is committed while the view is first made is in it, once', async () => {
  const server = await testServer();
  await server.log.append(spread(0, 1500));
  const asked = server.get('/vehicles/tiles');
  for (let round = 1; round <= 3; round += 1) {
    await server.log.append([
      ...spread(round * 100, 50),
      remove(round),
      upsert(700 + round, 1),
      at(5000 + round, 10, 10),
    ]);
  }
  expect((await asked).statusCode).toBe(200);
  expect((await expectLatest(server)).get(`${TILES}/elsewhere`)).toHaveLength(3);
});

test('DOC-31 a tile without members is a document, and what is no tile is none', async () => {
  const server = await testServer();
  await server.log.append(spread(0, 10));
  for (const path of ['18/0/0', '1/1/1', '1/1/0', 'elsewhere']) {
    expect((await server.get(`/vehicles/tiles/${path}`)).statusCode, path).toBe(200);
  }
  for (const path of ['', '19/0/0', '1/2/0', '1/0', '01/0/0', 'nowhere', '1/0/0/']) {
    expect((await server.get(`/vehicles/tiles/${path}`)).statusCode, path).toBe(404);
  }
  const world = await server.get('/vehicles/tiles/0/0/0');
  expect([world.statusCode, world.headers.location]).toEqual([307, TILES]);
});

test('DOC-31 tiles are scheduled as the latest state is, and have tags that change with them only', async () => {
  const server = await testServer();
  server.time.schedule = { kind: 'interval', intervalMs: 60_000, nextMs: server.time.nowMs + 30_000 };
  await server.log.append([at(1, 3, 51), at(2, -3, 51)]);
  const east = await server.get('/vehicles/tiles/1/1/0');
  const latest = await server.get('/vehicles/latest');
  expect(east.headers['cache-control']).toBe(latest.headers['cache-control']);
  expect(east.headers['next-update']).toBe(latest.headers['next-update']);
  expect(east.headers['ldes-cursor']).toBe(latest.headers['ldes-cursor']);
  await server.log.append([at(2, -3.1, 51)]);
  expect((await server.get('/vehicles/tiles/1/1/0')).headers.etag).toBe(east.headers.etag);
  await server.log.append([at(1, 3.1, 51)]);
  expect((await server.get('/vehicles/tiles/1/1/0')).headers.etag).not.toBe(east.headers.etag);
});

test('DOC-33 pages, the latest state and tiles say that they keep the TREE profile where there is an order', async () => {
  const server = await testServer();
  await server.log.append(spread(0, 3));
  const page = `/vehicles/pages/${server.log.head.cursor.epoch}/0`;
  for (const path of [page, '/vehicles/latest', '/vehicles/tiles', '/vehicles/tiles/1/1/0']) {
    for (const format of ['turtle', 'trig', 'nquads', 'ntriples'] as const) {
      const response = await server.get(path, { accept: formats[format].mediaType });
      expect(response.headers['content-type'], path).toBe(
        `${formats[format].mediaType};profile="https://w3id.org/tree/profile"`,
      );
      const quads = await published(server, path, format);
      const members = quads.flatMap(({ predicate }, index) => (predicate.value === tree.member ? [index] : []));
      expect(members).toHaveLength(3);
      for (const [which, start] of members.entries()) {
        const own = quads.slice(start + 1, members[which + 1] ?? quads.length);
        const subject = quads[start]?.object.value as string;
        // Of each member its own statements and those of its blank nodes, and nothing of the document.
        const [said] = objectsOf(own, subject, `${prefixes.geo}hasGeometry`);
        expect(new Set(own.map((quad) => quad.subject.value))).toEqual(new Set([subject, said]));
      }
      expect(quads.slice(0, members[0]).some(({ object }) => object.value === tree.Node)).toBe(true);
    }
    expect((await server.get(path)).headers['content-type']).toBe('application/ld+json');
  }
  const entity = await server.get(pathOf(entityOf(1)), { accept: 'text/turtle' });
  expect(entity.headers['content-type']).toBe('text/turtle');
});

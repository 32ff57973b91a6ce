import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { languageLiteral, literal, type Member, namedNode, quad } from '@ldes-live/rdf-stream';
import { decodeFeed, encodeFeed, type FeedMessage } from '@ldes-live/sources';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DemoFeedServer, startDemoFeedServer } from '../src/demo/demo-feed-server.ts';
import { demoFeeds } from '../src/demo/demo-feeds.ts';
import { simulate, TICK_SECONDS, tickAt } from '../src/demo/simulate.ts';
import { transitNetwork } from '../src/demo/transit-network.ts';
import { entityName } from '../src/follow/entity-name.ts';
import { feedOrigins } from '../src/serve/sources.ts';

const network = transitNetwork(7);
const START = tickAt(Date.UTC(2026, 10, 20, 9));
const feeds = demoFeeds(simulate(network, START));
const entities = ({ entity = [] }: FeedMessage) => entity;

test.each(['vehiclePositions', 'tripUpdates', 'alerts'] as const)('%s survive the wire, unknown to nobody', (name) => {
  const { feed, unknownFields, skippedEntities } = decodeFeed(encodeFeed(feeds[name]));
  expect(unknownFields).toEqual({});
  expect(skippedEntities).toEqual([]);
  expect(feed.header).toMatchObject({ gtfs_realtime_version: '2.0', timestamp: START * TICK_SECONDS });
  expect(entities(feed).map(({ id }) => id)).toEqual(entities(feeds[name]).map(({ id }) => id));
});

test('every vehicle that is on a trip has a trip update of the same trip', () => {
  const trips = new Set(entities(feeds.tripUpdates).map(({ trip_update }) => trip_update?.trip.trip_id));
  const vehicles = entities(feeds.vehiclePositions);
  expect(vehicles.length).toBeGreaterThan(10);
  for (const { vehicle } of vehicles) expect(trips).toContain(vehicle?.trip?.trip_id);
});

describe('demo feed server', () => {
  let nowMs = Date.UTC(2026, 10, 20, 9);
  let server: DemoFeedServer;
  beforeAll(async () => {
    server = await startDemoFeedServer(transitNetwork(7), () => nowMs);
  });
  afterAll(() => server.close());

  interface Answer {
    readonly status: number | undefined;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly body: Buffer;
  }

  /** As on the wire: `fetch` would decompress. */
  function get(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
    return new Promise((resolve, reject) => {
      request(url, { headers, method, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      })
        .on('error', reject)
        .end();
    });
  }

  test.each(['vehiclePositions', 'tripUpdates', 'alerts'] as const)('%s are served as protobuf', async (feed) => {
    const { status, headers, body } = await get(server.url(feed));
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/x-protobuf');
    expect(headers['last-modified']).toBe('Fri, 20 Nov 2026 09:00:00 GMT');
    expect(decodeFeed(body).feed.header.timestamp).toBe(nowMs / 1000);
  });

  test('a body is compressed where that is accepted, under an ETag of its own', async () => {
    const url = server.url('vehiclePositions');
    const plain = await get(url);
    const zipped = await get(url, { 'accept-encoding': 'br, gzip' });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(zipped.body)).toEqual(plain.body);
    expect(zipped.headers.etag).not.toBe(plain.headers.etag);
  });

  test('what the client has is not sent again until the next tick', async () => {
    const url = server.url('alerts');
    const { headers } = await get(url);
    const known = { 'if-none-match': `"other", ${headers.etag}` };
    const again = await get(url, known);
    expect(again).toMatchObject({ status: 304, body: Buffer.alloc(0) });
    expect(again.headers.etag).toBe(headers.etag);
    expect((await get(url, { 'if-none-match': '*' })).status).toBe(304);
    expect((await get(url, { 'if-modified-since': headers['last-modified'] as string })).status).toBe(304);
    expect((await get(url, { 'if-modified-since': 'yesterday' })).status).toBe(200);
    nowMs += 5000;
    expect((await get(url, known)).status).toBe(200);
    expect((await get(url, { 'if-modified-since': headers['last-modified'] as string })).status).toBe(200);
    // The ETag decides where both are sent.
    const { headers: next } = await get(url);
    const both = { ...known, 'if-modified-since': next['last-modified'] as string };
    expect((await get(url, both)).status).toBe(200);
  });
});

const originsOf = (...urls: string[]) => feedOrigins(urls.map((url) => ({ url })));

test('feeds are named by their URLs without query, fragment and user', () => {
  expect(originsOf('https://user:secret@a.example/vp.pb?key=secret#part', 'http://a.example:81/')).toEqual([
    'https://a.example/vp.pb',
    'http://a.example:81/',
  ]);
});

test('feeds that differ in their queries only are numbered', () => {
  expect(originsOf('http://a/?line=1', 'http://b/', 'http://a/?line=2', 'http://a/?line=3')).toEqual([
    'http://a/',
    'http://b/',
    'http://a/#2',
    'http://a/#3',
  ]);
});

test('a given name is kept, and no other feed gets it', () => {
  const feeds = [{ url: 'http://a/' }, { url: 'http://a/?2' }, { url: 'http://b/', origin: 'http://a/' }];
  expect(feedOrigins(feeds)).toEqual(['http://a/#2', 'http://a/#3', 'http://a/']);
});

const LABEL = 'http://www.w3.org/2000/01/rdf-schema#label';

function memberOf(entity: string, ...labels: readonly [string, ReturnType<typeof literal>][]): Member {
  const id = `${entity}#1`;
  const quads = labels.map(([property, label]) => quad(namedNode(id), namedNode(property), label));
  return { id, entity, kind: 'upsert', sequence: 1, time: '2026-11-20T09:00:00.000Z', quads };
}

test('the first label names an entity', () => {
  const labels: [string, ReturnType<typeof literal>][] = [
    [LABEL, literal('Tram 101')],
    [LABEL, languageLiteral('Tram honderd een', 'nl')],
  ];
  expect(entityName(memberOf('http://a/s/entities/vehicles/101', ...labels))).toBe('Tram 101');
  expect(entityName(memberOf('http://a/1', ['http://purl.org/dc/terms/title', literal('Works')]))).toBe('Works');
});

test.each([
  ['http://a/s/entities/trips/1-out-0215/20261121/02:15:00', '1-out-0215'],
  ['http://a/b/s/entities/vehicles/4382', '4382'],
  ['http://a/s/entities/trips/%E5%9C%9F', '土'],
  ['http://a/s/entities/trips/%E5', '%E5'],
  ['http://a/parkings/sint-pietersplein', 'sint-pietersplein'],
  ['http://a/parkings/', 'parkings/'],
  ['http://a/list#first', 'first'],
  ['urn:uuid:1', 'urn:uuid:1'],
])('%s is called %s for want of a label', (iri, name) => {
  expect(entityName(memberOf(iri))).toBe(name);
});

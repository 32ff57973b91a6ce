import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { decodeFeed, encodeFeed, type FeedMessage } from '@ldes-live/sources';
import { check, fc } from '@ldes-live/test-support/properties';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DemoFeedServer, demoFeeds, startDemoFeedServer, TICK_SECONDS, tickAt } from '../src/demo/index.ts';
import { demoDuty, roundSeconds, transitNetwork, tripDelay, wayBetween } from '../src/demo/network.ts';

const START_MS = Date.UTC(2026, 10, 20, 9);
const START = tickAt(START_MS);
const FEEDS = ['vehiclePositions', 'tripUpdates', 'alerts'] as const;
const network = transitNetwork(7);

const seeds = fc.integer({ min: 0, max: 1000 });
const times = fc.integer({ min: 0, max: 4_000_000_000 });

describe('the network', () => {
  test('follows from its seed', () => {
    expect(transitNetwork(7)).toEqual(network);
    expect(transitNetwork(8)).not.toEqual(network);
    expect(demoFeeds(transitNetwork(7), START)).toEqual(demoFeeds(network, START));
  });

  test('whatever the seed and the time, a trip moves forwards through its timetable', () => {
    check(
      fc.property(seeds, times, (seed, timeSeconds) => {
        for (const vehicle of transitNetwork(seed).vehicles.slice(0, 6)) {
          const trip = demoDuty(vehicle, timeSeconds);
          if (!trip) continue;
          const now = tripDelay(seed, trip, timeSeconds);
          const next = tripDelay(seed, trip, timeSeconds + 1);
          expect(now.scheduledSeconds).toBeGreaterThanOrEqual(0);
          expect(now.scheduledSeconds).toBeLessThanOrEqual(trip.route.durationSeconds);
          expect(next.scheduledSeconds).toBeGreaterThanOrEqual(now.scheduledSeconds);
          expect(now.pace).toBeGreaterThan(0.5);
          expect(now.pace).toBeLessThan(2);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('whatever the seed and the time, no two vehicles are on trips of one id', () => {
    check(
      fc.property(seeds, times, (seed, timeSeconds) => {
        const trips = transitNetwork(seed).vehicles.flatMap((vehicle) => demoDuty(vehicle, timeSeconds) ?? []);
        expect(new Set(trips.map(({ id }) => id)).size).toBe(trips.length);
      }),
      { numRuns: 50 },
    );
  });
});

describe('the simulation', () => {
  const longestRound = Math.max(...network.lines.map(roundSeconds));
  const reports = Array.from({ length: Math.ceil(longestRound / TICK_SECONDS) + 100 }, (_, index) => {
    const { entity = [] } = demoFeeds(network, START + index).vehiclePositions;
    return entity.flatMap(({ vehicle }) => vehicle ?? []);
  });

  test('moves no vehicle faster than traffic may', () => {
    for (const [index, vehicles] of reports.entries()) {
      const before = new Map(reports[index - 2]?.map(({ vehicle, position }) => [vehicle?.id, position]));
      for (const { vehicle, position } of vehicles) {
        expect(position?.speed).toBeLessThan(20);
        const earlier = before.get(vehicle?.id);
        if (!earlier || !position) continue;
        expect(wayBetween(earlier, position).lengthMetres).toBeLessThanOrEqual(2 * TICK_SECONDS * 20);
      }
    }
  });

  test('has speed 0 exactly where a vehicle stands, and a bearing in [0, 360)', () => {
    const all = reports.flat();
    for (const { current_status: status, position } of all) {
      if (status === 'STOPPED_AT') expect(position?.speed).toBe(0);
      expect(position?.bearing).toBeGreaterThanOrEqual(0);
      expect(position?.bearing).toBeLessThan(360);
    }
    const statuses = new Set(all.map(({ current_status: status }) => status));
    expect(statuses).toEqual(new Set(['STOPPED_AT', 'INCOMING_AT', 'IN_TRANSIT_TO']));
  });
});

describe('the feeds', () => {
  const feeds = demoFeeds(network, START);
  const entities = ({ entity = [] }: FeedMessage) => entity;

  test.each(FEEDS)('%s survive the wire, unknown to nobody', (name) => {
    const { feed, unknownFields, skippedEntities } = decodeFeed(encodeFeed(feeds[name]));
    expect(unknownFields).toEqual({});
    expect(skippedEntities).toEqual([]);
    expect(feed.header).toMatchObject({ gtfs_realtime_version: '2.0', timestamp: START * TICK_SECONDS });
    expect(entities(feed).map(({ id }) => id)).toEqual(entities(feeds[name]).map(({ id }) => id));
  });

  test('have a trip update of the same trip for every vehicle that is on one', () => {
    const trips = new Set(entities(feeds.tripUpdates).map(({ trip_update }) => trip_update?.trip.trip_id));
    const vehicles = entities(feeds.vehiclePositions);
    expect(vehicles.length).toBeGreaterThan(10);
    for (const { vehicle } of vehicles) expect(trips).toContain(vehicle?.trip?.trip_id);
  });
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** As on the wire: `fetch` would decompress. */
function get(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(url, { headers, agent: false }, (response) => {
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

describe('the feed server', () => {
  let nowMs = START_MS;
  let server: DemoFeedServer;
  beforeAll(async () => {
    server = await startDemoFeedServer(network, () => nowMs);
  });
  afterAll(() => server.close());

  test('answers the same bytes in every release: ten moments of two cities, and their timetables', async () => {
    const hash = createHash('sha256');
    const cities = [transitNetwork(1), network];
    for (let moment = 0; moment < 10; moment += 1) {
      for (const city of cities) {
        const feeds = demoFeeds(city, tickAt(START_MS + moment * 3_217_000));
        for (const name of FEEDS) hash.update(encodeFeed(feeds[name]));
      }
    }
    for (const city of cities) {
      const agency = await startDemoFeedServer(city, () => nowMs);
      hash.update((await get(agency.url('timetable'))).body);
      await agency.close();
    }
    expect(hash.digest('hex')).toBe('7867bca0784f0b75edde221732766a6a968c22b592216fa27c088dd9791c04c9');
  });

  test.each(FEEDS)('%s are served as protobuf', async (feed) => {
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
    const known = { 'if-none-match': headers.etag as string };
    const again = await get(url, known);
    expect(again).toMatchObject({ status: 304, body: Buffer.alloc(0) });
    expect(again.headers.etag).toBe(headers.etag);
    nowMs += 5000;
    expect((await get(url, known)).status).toBe(200);
  });
});

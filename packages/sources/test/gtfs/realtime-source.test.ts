import { describe, expect, test } from 'vitest';
import { createGtfsRtSource, type GtfsRtSourceOptions } from '../../src/gtfs/realtime-source.ts';
import { encodeFeed } from '../../src/gtfs/wire.ts';
import { ok, openFeedServer, status } from '../feed-server.ts';
import { LatestMap } from '../latest-map.ts';
import { accepted, rejected, startPolling } from '../polling.ts';
import { vehicleFeed } from '../vehicle-feed.ts';

describe('gtfs rt source', () => {
  const publicUrl = 'http://localhost:3000/';
  const streamUrl = 'http://localhost:3000/vehicles';

  const polled = (options: Pick<GtfsRtSourceOptions, 'url'> & Partial<GtfsRtSourceOptions>) =>
    startPolling((edge) => createGtfsRtSource({ intervalMs: 20_000, publicUrl, streamUrl, ...options }, edge));

  test('GTFS-40 the time of the header is compared', async () => {
    const server = await openFeedServer(ok(vehicleFeed({ vehicles: 3, latitude: 51, timestamp: 1_700_000_000 })));
    const { poll } = polled({ url: server.url });
    await poll();
    server.answer = ok(vehicleFeed({ vehicles: 3, latitude: 52, timestamp: 1_699_999_999 }));
    expect(await poll()).toMatchObject(rejected('ERR_FEED_TIME_WENT_BACK', { newest: '2023-11-14T22:13:20.000Z' }));
    server.answer = ok(vehicleFeed({ vehicles: 3, latitude: 52 }));
    expect(await poll()).toMatchObject(accepted(3));
  });

  /** What a feed has: vehicles, then alerts. */
  const mixed = (vehicles: number, alerts: number) =>
    encodeFeed({
      header: { gtfs_realtime_version: '2.0', incrementality: 'FULL_DATASET' },
      entity: [
        ...Array.from({ length: vehicles }, (_, index) => ({
          id: `v${index}`,
          vehicle: { vehicle: { id: `${index}` } },
        })),
        ...Array.from({ length: alerts }, (_, index) => ({ id: `a${index}`, alert: { informed_entity: [] } })),
      ],
    });
  type Size = [vehicles: number, alerts: number];
  const held = (gone: number, living: number) => rejected('ERR_FEED_SHRUNK', { gone, living });
  const oneTemplate = { alert: '{+base}e/{by}/{id}', vehiclePosition: '{+base}e/{id}' };

  test.each<[what: string, before: Size, after: Size, event: object, options?: Partial<GtfsRtSourceOptions>]>([
    ['the last alert may end', [0, 1], [0, 0], accepted(0, 1)],
    ['beside vehicles all alerts may end', [2, 9], [2, 0], accepted(0, 9)],
    ['beside alerts most vehicles may not end', [4, 90], [1, 90], held(3, 4)],
    ['vehicles and alerts may not end together', [4, 90], [0, 0], held(4, 4)],
    ['half of the vehicles may end', [4, 1], [2, 0], accepted(0, 3)],
    ['a configured share holds for alerts', [0, 4], [0, 1], held(3, 4), { limits: { limitGoneShare: 0.5 } }],
    ['where IRIs do not tell what an alert is, all count', [0, 1], [0, 0], held(1, 1), { iris: oneTemplate }],
  ])('GTFS-58 %s: of %j stay %j', async (_, before, after, event, options = {}) => {
    const server = await openFeedServer(ok(mixed(...before)));
    const { poll, latest, source } = polled({ url: server.url, ...options });
    await poll();
    server.answer = ok(mixed(...after));
    expect(await poll()).toMatchObject(event);
    const isHeld = source.health().state === 'failing';
    expect(latest.size).toBe(isHeld ? before[0] + before[1] : after[0] + after[1]);
  });

  test('GTFS-58 alerts that ended while the server was down end with its first poll', async () => {
    const server = await openFeedServer(ok(mixed(0, 5)));
    const { poll, latest, source, stop, ended } = polled({ url: server.url });
    await poll();
    stop.abort();
    await ended;
    server.answer = ok(mixed(0, 0));
    const again = createGtfsRtSource({ url: server.url, intervalMs: 1, publicUrl, streamUrl });
    const { value } = await again.drafts(latest, new AbortController().signal)[Symbol.asyncIterator]().next();
    expect(value).toHaveLength(5);
    expect(source.health().state).toBe('ok');
  });

  test('SRC-22 the time of the header is the time of the data', async () => {
    const server = await openFeedServer(ok(vehicleFeed({ vehicles: 3, latitude: 51, timestamp: 1_700_000_000 })));
    const { poll, source } = polled({ url: server.url });
    await poll();
    expect(source.health()).toMatchObject({
      dataAt: '2023-11-14T22:13:20.000Z',
      nextUpdateAt: expect.stringMatching(/^2024-/),
    });
  });

  test('header fields, limits and the origin are those of the feed', async () => {
    const server = await openFeedServer(ok(vehicleFeed({ vehicles: 10, latitude: 51, timestamp: 1 })));
    const limits = { limitGoneShare: 0.2, limitEntities: 11 };
    const headers = { 'x-api-key': 'k1' };
    const { poll, source, latest } = polled({ url: server.url, origin: 'urn:feed:a', headers, limits });
    await poll();
    expect(server.requests[0]?.headers['x-api-key']).toBe('k1');
    expect(source.origin).toBe('urn:feed:a');
    expect([...latest.ofOrigin('urn:feed:a')]).toHaveLength(10);
    server.answer = ok(vehicleFeed({ vehicles: 7, latitude: 51, timestamp: 2 }));
    expect(await poll()).toMatchObject({ error: { code: 'ERR_FEED_SHRUNK' } });
    server.answer = ok(vehicleFeed({ vehicles: 12, latitude: 51, timestamp: 3 }));
    expect(await poll()).toMatchObject({ error: { code: 'ERR_FEED_TOO_MANY_ENTITIES' } });
  });

  test('GTFS-30 neither origin, reports nor health show the query, the user or a header value', async () => {
    const server = await openFeedServer(status(401));
    const url = `${server.url.replace('//', '//user-s3cret:s3cret@')}?key=s3cret`;
    const headers = { authorization: 's3cret' };
    const { poll, source, events } = polled({ url, headers });
    await poll();
    server.answer = ok('<html>', {});
    await poll();
    expect(source.origin).toBe(server.url);
    const shown = JSON.stringify([source.health(), events, events.map((one) => 'error' in one && one.error.message)]);
    expect(shown).toContain(server.url);
    expect(shown).not.toContain('s3cret');
  });

  test('without an edge the feed is polled in the world as it is', async () => {
    const server = await openFeedServer(ok(vehicleFeed({ vehicles: 3, latitude: 51, timestamp: 1000 })));
    const source = createGtfsRtSource({ url: server.url, intervalMs: 1, publicUrl, streamUrl });
    const stop = new AbortController();
    const sizes: number[] = [];
    for await (const batch of source.drafts(new LatestMap(), stop.signal)) {
      sizes.push(batch.length);
      stop.abort();
    }
    expect(sizes).toEqual([3]);
    expect(source.health()).toMatchObject({ state: 'ok' });
  });

  const odd = (timestamp: number, ...ids: string[]) =>
    encodeFeed({ header: { gtfs_realtime_version: '2.0', timestamp }, entity: ids.map((id) => ({ id })) });

  test('GTFS-53 GTFS-54 what is odd is counted and explained in health, also of a feed that is held back', async () => {
    const server = await openFeedServer(ok(odd(1_700_000_000, 'a', 'b')));
    const { poll, source } = polled({ url: server.url });
    expect(await poll()).toMatchObject({ kind: 'accepted', findings: { 'entity-without-content': 2 } });
    expect(source.health()).toMatchObject({
      state: 'ok',
      findings: { 'entity-without-content': 2 },
      meanings: { 'entity-without-content': { title: 'an entity has an id and nothing else', severity: 'error' } },
    });
    server.answer = ok(odd(1, 'a'));
    expect(await poll()).toMatchObject({ kind: 'rejected', findings: { 'entity-without-content': 1 } });
    expect(source.health().findings).toEqual({ 'entity-without-content': 1 });
    server.answer = ok('<html>');
    expect(await poll()).toMatchObject({ kind: 'failed' });
    expect(source.health().findings).toEqual({ 'entity-without-content': 1 });
  });
});

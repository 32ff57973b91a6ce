import { describe, expect, test } from 'vitest';
import { encodeFeed } from '../../src/gtfs/encode-feed.ts';
import type { FeedMessage } from '../../src/gtfs/feed-message.ts';
import { createGtfsRtSource, type GtfsRtSourceOptions } from '../../src/gtfs/gtfs-rt-source.ts';
import { findingMeaning } from '../../src/gtfs/rules/finding-meaning.ts';
import { rules } from '../../src/gtfs/rules/rules.ts';
import { ok, openFeedServer, status } from '../feed-server.ts';
import { LatestMap } from '../latest-map.ts';
import { accepted, rejected, startPolling } from '../polling.ts';
import { vehicleFeed } from '../vehicle-feed.ts';
import { feedOf, updateEntity, vehicleEntity } from './rules/judged-feed.ts';

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
});

describe('feed health', () => {
  const publicUrl = 'http://localhost:3000/';
  const streamUrl = 'http://localhost:3000/vehicles';

  /** A feed that a test serves and has polled, whose header is as old as said. */
  async function polledFeed(intervalMs = 20_000) {
    const server = await openFeedServer();
    const polling = startPolling((edge) =>
      createGtfsRtSource({ url: server.url, intervalMs, publicUrl, streamUrl }, edge),
    );
    const seconds = (ageSeconds: number) => Math.floor(polling.time.nowMs / 1000) - ageSeconds;
    const serve = (ageSeconds: number, entity: FeedMessage['entity'] = [], header = {}) => {
      const timestamp = seconds(ageSeconds);
      const timed = entity.map((one) => (one.vehicle ? { ...one, vehicle: { ...one.vehicle, timestamp } } : one));
      server.answer = ok(encodeFeed(feedOf(timed, { timestamp, ...header })));
    };
    return { ...polling, server, serve, findings: () => polling.source.health().findings };
  }

  test('GTFS-53 the rules that a feed breaks are counted in the health of its source, and it is published', async () => {
    const { serve, poll, findings, source, latest } = await polledFeed();
    serve(5, [vehicleEntity({ vehicle: { id: 'a' } }), vehicleEntity({ vehicle: { id: 'b' } })]);
    expect(await poll()).toMatchObject({ kind: 'accepted', upserts: 2, findings: { 'duplicate-entity-id': 1 } });
    expect(findings()).toEqual({ 'duplicate-entity-id': 1 });
    expect(latest.size).toBe(2);
    expect(source.health()).toMatchObject({ state: 'ok', noticedAt: source.health().lastGoodAt });
  });

  test('GTFS-53 a feed that is held back is judged too, by the one before it', async () => {
    const { serve, poll, findings } = await polledFeed();
    serve(5, [vehicleEntity()]);
    await poll();
    serve(60, [vehicleEntity()]);
    expect(await poll()).toMatchObject({ kind: 'rejected', findings: { E018: 1 } });
    expect(findings()).toMatchObject({ E018: 1 });
  });

  test('GTFS-53 what cannot be read leaves the findings', async () => {
    const { serve, poll, findings, server } = await polledFeed();
    serve(5, [vehicleEntity({ vehicle: undefined as never })]);
    await poll();
    server.answer = ok('<html>');
    expect(await poll()).toMatchObject({ kind: 'failed' });
    expect(findings()).toEqual({ W002: 1, 'key-fallback:vehicle-by-trip': 1 });
  });

  test('GTFS-53 content that changes without its time is noticed', async () => {
    const { serve, poll, findings } = await polledFeed();
    serve(5, [vehicleEntity({ vehicle: { id: 'a' } })]);
    await poll();
    expect(findings()).toEqual({});
    serve(5, [vehicleEntity({ vehicle: { id: 'a' } }), vehicleEntity({ vehicle: { id: 'b' } }, 'p2')]);
    await poll();
    expect(findings()).toEqual({ E017: 1 });
  });

  test('GTFS-55 a feed that stands still becomes too old, be it by 304 or by the same bytes', async () => {
    const { serve, poll, findings, server } = await polledFeed();
    serve(0, [vehicleEntity()]);
    await poll();
    for (const expected of [{}, {}, {}]) {
      await poll();
      expect(findings()).toEqual(expected);
    }
    await poll();
    expect(findings()).toEqual({ W008: 1 });
    serve(0, [vehicleEntity()]);
    server.answer = withTag(server.answer);
    await poll();
    expect(findings()).not.toHaveProperty('W008');
    server.answer = status(304);
    for (let polls = 0; polls < 4; polls += 1) await poll();
    expect(findings()).toHaveProperty('W008', 1);
  });

  test.each([
    [20_000, 1],
    [60_000, undefined],
  ])(
    'GTFS-56 polled every %s ms, a feed that is refreshed once a minute is found late: %s',
    async (intervalMs, late) => {
      const { serve, poll, findings, time } = await polledFeed(intervalMs);
      serve(0, [vehicleEntity()]);
      await poll();
      const refreshMs = time.nowMs + 60_000;
      do await poll();
      while (time.nowMs + intervalMs < refreshMs);
      serve(-(intervalMs / 1000), [vehicleEntity()]);
      await poll();
      expect(findings().W007).toBe(late);
    },
  );

  test('GTFS-54 health says what findings mean, and where rules of the public validator are explained', async () => {
    const { serve, poll, source } = await polledFeed();
    serve(5, [{ id: 'empty' }, updateEntity({ vehicle: undefined as never, timestamp: undefined as never })]);
    await poll();
    const { findings, meanings } = source.health();
    expect(Object.keys(findings).sort()).toEqual(['W001', 'W002', 'entity-without-content']);
    expect(Object.keys(meanings ?? {}).sort()).toEqual(Object.keys(findings).sort());
    expect(meanings?.W002).toEqual({
      title: 'a trip update or vehicle position names no vehicle',
      severity: 'warning',
      url: 'https://github.com/MobilityData/gtfs-realtime-validator/blob/master/RULES.md#W002',
    });
    for (const { id, title, severity } of rules) expect(findingMeaning(id)).toMatchObject({ title, severity });
    expect(findingMeaning('unknown-field:TripDescriptor.1001')?.severity).toBe('warning');
    expect(findingMeaning('toString')).toBeUndefined();
  });

  function withTag(answer: ReturnType<typeof ok>): ReturnType<typeof ok> {
    return (response, request) => {
      response.setHeader('etag', '"one"');
      answer(response, request);
    };
  }
});

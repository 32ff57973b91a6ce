import { gzipSync } from 'node:zlib';
import { describeRecordings, recording, recordings } from '@ldes-live/test-support/recordings';
import { expect, test } from 'vitest';
import type { FeedEntity } from '../../src/gtfs/generated/gtfs-realtime.ts';
import { createGtfsRtSource, type GtfsRtSourceOptions } from '../../src/gtfs/realtime-source.ts';
import { decodeFeed, encodeFeed } from '../../src/gtfs/wire.ts';
import { type Answer, cut, ok, openFeedServer, status } from '../feed-server.ts';
import { accepted, failed, rejected, startPolling } from '../polling.ts';
import { vehicleFeed } from '../vehicle-feed.ts';
import { feedOf, publicUrl, streamUrl } from './feeds.ts';

type Options = Partial<GtfsRtSourceOptions>;

/** A source of a server whose feed a test serves: a body, or an answer. */
async function polled(options: Options | ((url: string) => Options) = {}) {
  const server = await openFeedServer();
  const given = typeof options === 'function' ? options(server.url) : options;
  const required = { url: server.url, intervalMs: 20_000, publicUrl, streamUrl };
  const polling = startPolling((edge) => createGtfsRtSource({ ...required, ...given }, edge));
  const serve = (now: Answer | Uint8Array) => {
    server.answer = typeof now === 'function' ? now : ok(now);
    return polling.poll();
  };
  return { ...polling, server, serve };
}

test('GTFS-40 SRC-22 the time of the header is compared, and is the time of the data', async () => {
  const { serve, source } = await polled();
  await serve(vehicleFeed({ vehicles: 3, latitude: 51, timestamp: 1_700_000_000 }));
  const nextUpdateAt = expect.stringMatching(/^2024-/);
  expect(source.health()).toMatchObject({ dataAt: '2023-11-14T22:13:20.000Z', nextUpdateAt });
  const older = await serve(vehicleFeed({ vehicles: 3, latitude: 52, timestamp: 1_699_999_999 }));
  expect(older).toMatchObject(rejected('ERR_FEED_TIME_WENT_BACK', { newest: '2023-11-14T22:13:20.000Z' }));
  expect(await serve(vehicleFeed({ vehicles: 3, latitude: 52 }))).toMatchObject(accepted(3));
});

/** What a feed has: vehicles, then alerts. */
const mixed = (vehicles: number, alerts: number) => {
  const some = (count: number, entity: (id: string) => FeedEntity) =>
    Array.from({ length: count }, (_, index) => entity(`${index}`));
  const entity = [
    ...some(vehicles, (id) => ({ id: `v${id}`, vehicle: { vehicle: { id } } })),
    ...some(alerts, (id) => ({ id: `a${id}`, alert: {} })),
  ];
  return encodeFeed({ header: { gtfs_realtime_version: '2.0' }, entity });
};
type Size = [vehicles: number, alerts: number];
const held = (gone: number, living: number) => rejected('ERR_FEED_SHRUNK', { gone, living });
const oneTemplate = { alert: '{+base}e/{by}/{id}', vehiclePosition: '{+base}e/{id}' };

test.each<[what: string, before: Size, after: Size, event: object, options?: Options]>([
  ['the last alert may end', [0, 1], [0, 0], accepted(0, 1)],
  ['beside vehicles all alerts may end', [2, 9], [2, 0], accepted(0, 9)],
  ['beside alerts most vehicles may not end', [4, 90], [1, 90], held(3, 4)],
  ['vehicles and alerts may not end together', [4, 90], [0, 0], held(4, 4)],
  ['half of the vehicles may end', [4, 1], [2, 0], accepted(0, 3)],
  ['a configured share holds for alerts', [0, 4], [0, 1], held(3, 4), { limits: { limitGoneShare: 0.5 } }],
  ['where IRIs do not tell what an alert is, all count', [0, 1], [0, 0], held(1, 1), { iris: oneTemplate }],
])('%s: of %j stay %j', async (_, before, after, event, options) => {
  const { serve, latest, source } = await polled(options);
  await serve(mixed(...before));
  expect(await serve(mixed(...after))).toMatchObject(event);
  const living = source.health().state === 'failing' ? before : after;
  expect(latest.size).toBe(living[0] + living[1]);
});

test('alerts that ended while the server was down end with its first poll', async () => {
  const { serve, server, latest, stop, ended } = await polled();
  await serve(mixed(0, 5));
  stop.abort();
  await ended;
  server.answer = ok(mixed(0, 0));
  // Without an environment the feed is polled in the world as it is.
  const again = createGtfsRtSource({ url: server.url, intervalMs: 1, publicUrl, streamUrl });
  const { value } = await again.drafts(latest, new AbortController().signal)[Symbol.asyncIterator]().next();
  expect(value).toHaveLength(5);
});

test('header fields, limits and the origin are those of the feed', async () => {
  const limits = { limitGoneShare: 0.2, limitEntities: 11 };
  const { serve, server, source, latest } = await polled({
    origin: 'urn:feed:a',
    headers: { 'x-api-key': 'k1' },
    limits,
  });
  await serve(vehicleFeed({ vehicles: 10, latitude: 51, timestamp: 1 }));
  expect(server.requests[0]?.headers['x-api-key']).toBe('k1');
  expect(source.origin).toBe('urn:feed:a');
  expect([...latest.ofOrigin('urn:feed:a')]).toHaveLength(10);
  expect(await serve(vehicleFeed({ vehicles: 7, latitude: 51, timestamp: 2 }))).toMatchObject(
    rejected('ERR_FEED_SHRUNK'),
  );
  const many = vehicleFeed({ vehicles: 12, latitude: 51, timestamp: 3 });
  expect(await serve(many)).toMatchObject(failed('ERR_FEED_TOO_MANY_ENTITIES'));
});

test('GTFS-30 neither origin, reports nor health show the query, the user or a header value', async () => {
  const { serve, server, source, events } = await polled((url) => ({
    url: `${url.replace('//', '//user-s3cret:s3cret@')}?key=s3cret`,
    headers: { authorization: 's3cret' },
  }));
  await serve(status(401));
  await serve(ok('<html>'));
  expect(source.origin).toBe(server.url);
  const shown = JSON.stringify([source.health(), events, events.map((one) => 'error' in one && one.error.message)]);
  expect(shown).toContain(server.url);
  expect(shown).not.toContain('s3cret');
});

test('what is odd is counted and explained in health, also of a feed that is held back', async () => {
  const odd = (timestamp: number, ...ids: string[]) =>
    encodeFeed(
      feedOf(
        ids.map((id) => ({ id })),
        { timestamp },
      ),
    );
  const { serve, source } = await polled();
  const meaning = { title: 'an entity has an id and nothing else', severity: 'error' };
  for (const [body, kind, count] of [
    [odd(1_700_000_000, 'a', 'b'), 'accepted', 2],
    [odd(1, 'a'), 'rejected', 1],
  ] as const) {
    const findings = { 'entity-without-content': count };
    expect(await serve(body)).toMatchObject({ kind, findings });
    expect(source.health()).toMatchObject({ findings, meanings: { 'entity-without-content': meaning } });
  }
  expect(await serve(ok('<html>'))).toMatchObject({ kind: 'failed' });
  expect(source.health().findings).toEqual({ 'entity-without-content': 1 });
});

const VEHICLES = 200;
const limits = { limitBytes: 100_000, limitHeadersMs: 5001, limitBodyMs: 5002 };

/** A source of good feeds, and what lets it take a bad answer between two of them: only these may change anything. */
async function harmed(firstTimestamp = 1000) {
  const polling = await polled({ limits });
  const { serve, source, latest } = polling;
  let polls = 0;
  const expectTaken = async () => {
    polls += 1;
    const good = vehicleFeed({ vehicles: VEHICLES, latitude: polls / 100, timestamp: firstTimestamp + polls });
    expect(await serve(ok(good, { etag: '"good"' }))).toMatchObject(accepted(VEHICLES, 0));
    expect(source.health().state).toBe('ok');
  };
  const expectHarmless = async (bad: Answer, code: RegExp) => {
    await expectTaken();
    const batches = latest.batches.length;
    const entities = latest.entities();
    expect(await serve(bad)).toMatchObject({ error: { code: expect.stringMatching(code) } });
    expect(source.health()).toMatchObject({ state: 'failing', lastError: { code: expect.stringMatching(code) } });
    expect(latest.batches).toHaveLength(batches);
    await expectTaken();
    expect(latest.entities()).toEqual(entities);
  };
  return { ...polling, expectHarmless };
}

const html = '<!doctype html><title>Maintenance</title><p>We are back soon.';

test.each<[string, Answer, string]>([
  ['an empty body', ok(''), 'ERR_FEED_EMPTY'],
  ['an empty body, compressed', ok(gzipSync(''), { 'content-encoding': 'gzip' }), 'ERR_FEED_EMPTY'],
  ['HTML with status 200', ok(html, { 'content-type': 'text/html' }), 'ERR_FEED_MALFORMED'],
  ['JSON with status 200', ok('{"error":"quota"}'), 'ERR_FEED_MALFORMED'],
  ['status 204', status(204), 'ERR_FEED_STATUS'],
  ['status 404', status(404), 'ERR_FEED_STATUS'],
  ['status 500', status(500), 'ERR_FEED_STATUS'],
  ['status 429', status(429, { 'retry-after': '60' }), 'ERR_FEED_STATUS'],
  ['a redirect loop', status(302, { location: '/feed.pb' }), 'ERR_FEED_REDIRECTS'],
  ['a body over the limit', ok(Buffer.alloc(limits.limitBytes + 1)), 'ERR_FEED_TOO_LARGE'],
  ['a feed without its entities', ok(vehicleFeed({ vehicles: 0, latitude: 0, timestamp: 5000 })), 'ERR_FEED_SHRUNK'],
  [
    'a feed of last week',
    ok(vehicleFeed({ vehicles: VEHICLES, latitude: 9, timestamp: 5 })),
    'ERR_FEED_TIME_WENT_BACK',
  ],
  ['a connection that closes', (response) => void response.destroy(), 'ERR_FEED_UNREACHABLE'],
])('GTFS-32 after %s nothing has changed, and the next good poll is taken', async (_, bad, code) => {
  await (await harmed()).expectHarmless(bad, new RegExp(`^${code}$`));
});

const newer = vehicleFeed({ vehicles: VEHICLES, latitude: 9, timestamp: 5000 });
const cuts = Array.from({ length: Math.floor(newer.length / 1000) }, (_, index) => (index + 1) * 1000);
// Nothing tells a feed that was cut between two entities from a smaller one: only how much of it is gone.
const cutsWithinEntities = cuts.filter((bytes) => !isFeed(newer.subarray(0, bytes)));

function isFeed(bytes: Uint8Array): boolean {
  try {
    decodeFeed(bytes);
    return true;
  } catch {
    return false;
  }
}

const oversent = (bytes: number): Answer => {
  return (response) => {
    response.strictContentLength = false;
    response.writeHead(200, { 'content-length': bytes }).end(newer);
  };
};
const compressed = (bytes: number) => ok(gzipSync(newer.subarray(0, bytes)), { 'content-encoding': 'gzip' });

/** What is answered of a body that is cut at every 1,000th byte. */
test.each<[what: string, code: string, lengths: readonly number[], answer: (bytes: number) => Answer]>([
  ['its Content-Length', 'ERR_FEED_CUT', cuts, (bytes) => cut(newer, bytes, { 'content-length': newer.length })],
  ['a Content-Length of the cut', 'ERR_FEED_MALFORMED', cutsWithinEntities, (bytes) => ok(newer.subarray(0, bytes))],
  ['a Content-Length that is too small', 'ERR_FEED_MALFORMED', cutsWithinEntities, oversent],
  ['its decompressed form', 'ERR_FEED_MALFORMED', cutsWithinEntities, compressed],
])('GTFS-32 a body cut within %s changes nothing', async (_, code, lengths, answer) => {
  const { expectHarmless, source } = await harmed();
  for (const bytes of lengths) await expectHarmless(answer(bytes), new RegExp(`^${code}$`));
  expect(source.health().errors).toEqual({ [code]: lengths.length });
});

test('GTFS-32 the body taken last, cut where it is still a feed, changes nothing', async () => {
  const { serve, latest } = await polled();
  await serve(newer);
  for (let vehicles = 0; vehicles < VEHICLES; vehicles += 9) {
    const feed = vehicleFeed({ vehicles, latitude: 9, timestamp: 5000 });
    expect(Buffer.compare(feed, newer.subarray(0, feed.length))).toBe(0);
    expect(await serve(feed)).toMatchObject(failed('ERR_FEED_CUT'));
  }
  expect(latest.batches).toHaveLength(1);
});

test('a feed without a time may lose its last entities', async () => {
  const { serve } = await polled();
  await serve(vehicleFeed({ vehicles: VEHICLES, latitude: 1 }));
  expect(await serve(vehicleFeed({ vehicles: VEHICLES - 1, latitude: 1 }))).toMatchObject(accepted(0, 1));
});

describeRecordings('the malformed recordings', () => {
  test.each([
    ['an older', 1_690_000_000],
    ['a newer', 1_710_000_000],
  ])('GTFS-32 change nothing after %s feed', async (_, firstTimestamp) => {
    const { expectHarmless, source } = await harmed(firstTimestamp);
    const malformed = recordings('malformed');
    for (const path of malformed) await expectHarmless(ok(recording(path), { etag: '"good"' }), /^ERR_FEED_/);
    const { errors } = source.health();
    expect(Object.values(errors).reduce((sum, count) => sum + count)).toBe(malformed.length);
    expect(errors).toMatchObject({ ERR_FEED_MALFORMED: 1, ERR_FEED_EMPTY: 1 });
  });
});

import { gzipSync } from 'node:zlib';
import { describeRecordings, recording, recordings } from '@ldes-live/test-support/recordings';
import { expect, test } from 'vitest';
import { createGtfsRtSource } from '../../src/gtfs/realtime-source.ts';
import { decodeFeed } from '../../src/gtfs/wire.ts';
import { type Answer, cut, type FeedServer, ok, openFeedServer, status } from '../feed-server.ts';
import { accepted, failed, type Polling, startPolling } from '../polling.ts';
import { vehicleFeed } from '../vehicle-feed.ts';

const VEHICLES = 200;
const limits = { limitBytes: 100_000, limitHeadersMs: 5001, limitBodyMs: 5002 };

async function setUp(firstTimestamp = 1000) {
  const server = await openFeedServer();
  const options = {
    url: server.url,
    intervalMs: 20_000,
    publicUrl: 'http://localhost:3000/',
    streamUrl: 'http://localhost:3000/vehicles',
    limits,
  };
  const polling = startPolling((edge) => createGtfsRtSource(options, edge));
  let polls = 0;
  const nextGood = () => {
    polls += 1;
    return vehicleFeed({ vehicles: VEHICLES, latitude: polls / 100, timestamp: firstTimestamp + polls });
  };
  return { server, polling, nextGood };
}

/** A good poll, then the bad one, then a good one: only the good ones may change anything. */
async function expectHarmless(
  { server, polling, nextGood }: Awaited<ReturnType<typeof setUp>>,
  bad: Answer,
  code: RegExp,
): Promise<void> {
  await expectTaken(server, polling, nextGood());
  const batches = polling.latest.batches.length;
  const entities = polling.latest.entities();
  server.answer = bad;
  expect(await polling.poll()).toMatchObject({ error: { code: expect.stringMatching(code) } });
  const { lastError, state } = polling.source.health();
  expect(state).toBe('failing');
  expect(lastError?.code).toMatch(code);
  expect(polling.latest.batches).toHaveLength(batches);
  await expectTaken(server, polling, nextGood());
  expect(polling.latest.entities()).toEqual(entities);
}

async function expectTaken(server: FeedServer, polling: Polling, body: Uint8Array): Promise<void> {
  server.answer = ok(body, { etag: '"good"' });
  expect(await polling.poll()).toMatchObject(accepted(VEHICLES, 0));
  expect(polling.source.health().state).toBe('ok');
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
  await expectHarmless(await setUp(), bad, new RegExp(`^${code}$`));
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
    response.writeHead(200, { 'content-length': bytes });
    response.end(newer);
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
  const world = await setUp();
  for (const bytes of lengths) await expectHarmless(world, answer(bytes), new RegExp(`^${code}$`));
  expect(world.polling.source.health().errors).toEqual({ [code]: lengths.length });
});

test('GTFS-32 the body taken last, cut where it is still a feed, changes nothing', async () => {
  const { server, polling } = await setUp();
  await expectTaken(server, polling, newer);
  for (let vehicles = 0; vehicles < VEHICLES; vehicles += 9) {
    const feed = vehicleFeed({ vehicles, latitude: 9, timestamp: 5000 });
    expect(Buffer.compare(feed, newer.subarray(0, feed.length))).toBe(0);
    server.answer = ok(feed);
    expect(await polling.poll()).toMatchObject(failed('ERR_FEED_CUT'));
  }
  expect(polling.latest.batches).toHaveLength(1);
});

test('a feed without a time may lose its last entities', async () => {
  const { server, polling } = await setUp();
  await expectTaken(server, polling, vehicleFeed({ vehicles: VEHICLES, latitude: 1 }));
  server.answer = ok(vehicleFeed({ vehicles: VEHICLES - 1, latitude: 1 }));
  expect(await polling.poll()).toMatchObject({ kind: 'accepted', deletes: 1 });
});

describeRecordings('the malformed recordings', () => {
  test.each([
    ['an older', 1_690_000_000],
    ['a newer', 1_710_000_000],
  ])('GTFS-32 change nothing after %s feed', async (_, firstTimestamp) => {
    const world = await setUp(firstTimestamp);
    const malformed = recordings('malformed');
    for (const path of malformed) await expectHarmless(world, ok(recording(path), { etag: '"good"' }), /^ERR_FEED_/);
    const { errors } = world.polling.source.health();
    expect(Object.values(errors).reduce((sum, count) => sum + count)).toBe(malformed.length);
    expect(errors).toMatchObject({ ERR_FEED_MALFORMED: 1, ERR_FEED_EMPTY: 1 });
  });
});

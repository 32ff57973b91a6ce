import { encodeFeed, type FeedMessage } from '@ldes-live/sources';
import { describeRecordings, recording, recordings } from '@ldes-live/test-support/recordings';
import { expect, test } from 'vitest';
import type { FeedServer } from '../support/feed-server.ts';
import { liveWorld } from './support/live-world.ts';

const HTML = new TextEncoder().encode('<!doctype html><title>Maintenance</title><p>Back soon.');

// A feed of the project's own: the recordings are not everywhere.
function generated(seconds: number): Uint8Array {
  const feed: FeedMessage = {
    header: { gtfs_realtime_version: '2.0', incrementality: 'FULL_DATASET', timestamp: seconds },
    entity: Array.from({ length: 120 }, (_, index) => ({
      id: `e${index}`,
      vehicle: {
        trip: { trip_id: `trip ${index}`, route_id: `r${index % 7}` },
        vehicle: { id: `v${index}` },
        position: { latitude: 51, longitude: 4, bearing: (index + seconds) % 360 },
        timestamp: seconds,
      },
    })),
  };
  return encodeFeed(feed);
}

const whole = (body: Uint8Array) => (feed: FeedServer) => feed.serve(body);

// Promises its whole length and is cut off after some bytes.
const cutOff = (body: Uint8Array, length: number) => (feed: FeedServer) => {
  feed.answer = (_request, response) => {
    response.writeHead(200, { 'content-length': body.length });
    response.write(body.subarray(0, length), () => response.destroy());
  };
};

const failures: [string, (feed: FeedServer, body: Uint8Array) => void][] = [
  ['an empty body', whole(new Uint8Array())],
  ['HTML with status 200', whole(HTML)],
  ['a 500', (feed) => (feed.answer = (_request, response) => response.writeHead(500).end('no'))],
  [
    'a redirect loop',
    (feed) => (feed.answer = (_request, response) => response.writeHead(302, { location: '/feed.pb' }).end()),
  ],
  ['a connection that stalls before the header', (feed) => (feed.answer = () => {})],
  [
    'a connection that stalls in the body',
    (feed, body) =>
      (feed.answer = (_request, response) => {
        response.writeHead(200, { 'content-length': body.length });
        response.write(body.subarray(0, 500));
      }),
  ],
];

// Served after a good poll: nothing changes, health names the error, and the next good poll is taken.
async function expectHarmless(
  good: Uint8Array,
  next: Uint8Array,
  bad: readonly [string, (feed: FeedServer, body: Uint8Array) => void][],
): Promise<void> {
  const world = await liveWorld({
    intervalMs: 1000,
    feedOptions: { limits: { limitHeadersMs: 10_000, limitBodyMs: 10_000 } },
  });
  expect(await world.poll(good)).toMatchObject({ kind: 'taken' });
  const living = (await world.log.latestMembers()).map(({ id }) => id);
  for (const [name, fail] of bad) {
    fail(world.feed, good);
    const event = await world.nextPoll();
    expect(event.kind, name).toMatch(/^(?:failed|heldBack)$/);
    const { code } = (event as { error: { code: string } }).error;
    const health = await healthOf(world.publicUrl);
    expect(health.status, name).toBe('degraded');
    const [source] = health.streams.vehicles.sources;
    expect(source.lastError, name).toMatchObject({ code, message: expect.any(String) });
    expect(source.errors[code], name).toBeGreaterThan(0);
    expect(
      (await world.log.latestMembers()).map(({ id }) => id),
      name,
    ).toEqual(living);
    expect(await world.poll(good), name).toMatchObject({ kind: 'unchanged' });
    expect(world.commits, name).toHaveLength(1);
  }
  expect(await world.poll(next)).toMatchObject({ kind: 'taken' });
  expect((await healthOf(world.publicUrl)).status).toBe('ok');
  expect(world.commits).toHaveLength(2);
  await world.close();
}

// biome-ignore lint/suspicious/noExplicitAny: what it holds is what the tests assert.
async function healthOf(publicUrl: string): Promise<any> {
  return (await fetch(`${publicUrl}health`)).json();
}

test('GTFS-32 GTFS-33 a feed that fails in whatever way deletes and invents nothing', async () => {
  await expectHarmless(generated(1_700_000_000), generated(1_700_000_001), failures);
});

test('GTFS-33 a body cut at every 1,000th byte deletes and invents nothing', async () => {
  const body = generated(1_700_000_000);
  const cuts = Array.from({ length: Math.floor(body.length / 1000) }, (_, index) => (index + 1) * 1000);
  expect(cuts.length).toBeGreaterThan(5);
  await expectHarmless(body, generated(1_700_000_001), [
    ...cuts.map((length) => [`cut off at ${length}`, cutOff(body, length)] as const),
    ...cuts.map((length) => [`cut to ${length}`, whole(body.subarray(0, length))] as const),
  ] as [string, (feed: FeedServer) => void][]);
});

describeRecordings('malformed recordings', () => {
  test('GTFS-32 GTFS-39 every malformed feed after a good one deletes and invents nothing', async () => {
    const [good, next] = recordings('nyct-ace-sequence').map((path) => recording(path));
    const malformed = recordings('malformed');
    expect(malformed).toHaveLength(32);
    await expectHarmless(
      good as Uint8Array,
      next as Uint8Array,
      malformed.map((path) => [path, whole(recording(path))]),
    );
  });

  test('GTFS-33 a recording cut at every 1,000th byte deletes and invents nothing', async () => {
    const [good, next] = recordings('nyct-ace-sequence').map((path) => recording(path)) as [Uint8Array, Uint8Array];
    const cuts = Array.from({ length: Math.floor(good.length / 1000) }, (_, index) => (index + 1) * 1000);
    await expectHarmless(
      good,
      next,
      cuts.map((length) => [`cut to ${length}`, whole(good.subarray(0, length))]),
    );
  });
});

import { describeRecordings, recording, recordings } from '@ldes-live/test-support/recordings';
import { expect, test } from 'vitest';
import { type FeedServer, vehicleFeed } from '../support/feed-server.ts';
import { liveWorld } from './support/live-world.ts';

const HTML = new TextEncoder().encode('<!doctype html><title>Maintenance</title><p>Back soon.');

// A feed of the project's own: the recordings are not everywhere.
function generated(seconds: number): Uint8Array {
  const vehicles = Array.from({ length: 120 }, (_, index) => ({
    trip: { trip_id: `trip ${index}`, route_id: `r${index % 7}` },
    position: { latitude: 51, longitude: 4, bearing: (index + seconds) % 360 },
    timestamp: seconds,
  }));
  return vehicleFeed(seconds, vehicles);
}

type Failure = readonly [name: string, fail: (feed: FeedServer, body: Uint8Array) => void];

const whole = (body: Uint8Array) => (feed: FeedServer) => feed.serve(body);

// Promises its whole length and is cut off after some bytes.
const cutOff = (body: Uint8Array, length: number) => (feed: FeedServer) => {
  feed.answer = (_request, response) => {
    response.writeHead(200, { 'content-length': body.length });
    response.write(body.subarray(0, length), () => response.destroy());
  };
};

const failures: readonly Failure[] = [
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
async function expectHarmless(good: Uint8Array, next: Uint8Array, bad: readonly Failure[]): Promise<void> {
  const limits = { limitHeadersMs: 10_000, limitBodyMs: 10_000 };
  const world = await liveWorld({ intervalMs: 1000, feedOptions: { limits } });
  expect(await world.poll(good)).toMatchObject({ kind: 'accepted' });
  const livingNow = async () => (await world.log.readLatest()).map(({ id }) => id);
  const living = await livingNow();
  for (const [name, fail] of bad) {
    fail(world.feed, good);
    const event = await world.nextPoll();
    expect(event.kind, name).toMatch(/^(?:failed|rejected)$/);
    const { code } = (event as { error: { code: string } }).error;
    const health = await healthOf(world.publicUrl);
    expect(health.status, name).toBe('degraded');
    const [source] = health.streams.vehicles.sources;
    expect(source.lastError, name).toMatchObject({ code, message: expect.any(String) });
    expect(source.errors[code], name).toBeGreaterThan(0);
    expect(await livingNow(), name).toEqual(living);
    expect(await world.poll(good), name).toMatchObject({ kind: 'unchanged' });
    expect(world.commits, name).toHaveLength(1);
  }
  expect(await world.poll(next)).toMatchObject({ kind: 'accepted' });
  expect((await healthOf(world.publicUrl)).status).toBe('ok');
  expect(world.commits).toHaveLength(2);
  await world.close();
}

// biome-ignore lint/suspicious/noExplicitAny: what it holds is what the tests assert.
async function healthOf(publicUrl: string): Promise<any> {
  return (await fetch(`${publicUrl}health`)).json();
}

test('GTFS-32 a feed that fails in whatever way deletes and invents nothing', async () => {
  await expectHarmless(generated(1_700_000_000), generated(1_700_000_001), failures);
});

const everyThousand = ({ length }: Uint8Array) =>
  Array.from({ length: Math.floor(length / 1000) }, (_, index) => (index + 1) * 1000);
const cutTo = (body: Uint8Array) =>
  everyThousand(body).map((length): Failure => [`cut to ${length}`, whole(body.subarray(0, length))]);

test('a body cut at every 1,000th byte deletes and invents nothing', async () => {
  const body = generated(1_700_000_000);
  const cuts = everyThousand(body);
  expect(cuts.length).toBeGreaterThan(5);
  const offs = cuts.map((length): Failure => [`cut off at ${length}`, cutOff(body, length)]);
  await expectHarmless(body, generated(1_700_000_001), [...offs, ...cutTo(body)]);
});

describeRecordings('malformed recordings', () => {
  const sequence = () => recordings('nyct-ace-sequence').map((path) => recording(path)) as [Uint8Array, Uint8Array];

  test('GTFS-32 GTFS-39 every malformed feed after a good one deletes and invents nothing', async () => {
    const [good, next] = sequence();
    const malformed = recordings('malformed');
    expect(malformed).toHaveLength(32);
    const bad = malformed.map((path): Failure => [path, whole(recording(path))]);
    await expectHarmless(good, next, bad);
  });

  test('a recording cut at every 1,000th byte deletes and invents nothing', async () => {
    const [good, next] = sequence();
    await expectHarmless(good, next, cutTo(good));
  });
});

import { StreamError } from '@ldes-live/rdf-stream';
import { seededBytes } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { broadcasting, type OpenLine, settled } from './push-lines.ts';
import { upsert } from './test-server.ts';

type World = Awaited<ReturnType<typeof broadcasting>>;

const turns = async (count = 10) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** An entity that says so much. */
function saying(characters: number) {
  return upsert(1, 1, 'x'.repeat(characters));
}

/** A line that has taken the first part of a long event. */
async function partway(world: World, how: Parameters<World['open']>[0]): Promise<OpenLine> {
  await world.log.append([saying(500_000)]);
  await world.log.append([upsert(1, 2)]);
  const reader = world.open({ ...how, after: 0 });
  reader.line.hold();
  await settled(world.push, () => reader.subscriber.stalledSinceMs > 0);
  expect(reader.events()).toEqual([]);
  return reader;
}

test.each([
  { encoding: 'identity', isChunked: true },
  { encoding: 'identity', isChunked: false },
  { encoding: 'gzip', isChunked: true },
] as const)(
  'PUSH-32 a stream that is told to end in the middle of an event ends after it: $encoding, chunked: $isChunked',
  async (how) => {
    const world = await broadcasting({ limitStallMs: 1e9 });
    const reader = await partway(world, how);
    world.push.end(reader.subscriber);
    await turns();
    expect(reader.line.writableEnded).toBe(false);
    reader.line.release();
    await settled(world.push, () => world.push.size === 0);
    expect(reader.line.writableFinished).toBe(true);
    // The one, and no half of the next.
    expect(reader.events().map(({ sequences }) => sequences)).toEqual([[1]]);
    expect(reader.content().endsWith('\n\n')).toBe(true);
    if (how.isChunked) expect(reader.line.writes.at(-1)?.toString()).toBe('0\r\n\r\n');
    expect(world.push.counters.closed.shutdown).toBe(1);
  },
);

test('PUSH-32 one that takes nothing of it is cut two seconds later', async () => {
  const world = await broadcasting();
  const reader = await partway(world, { isChunked: true });
  world.push.end(reader.subscriber);
  const isOpenAfter = async (passedMs: number) => {
    world.time.nowMs += passedMs;
    world.push.tick(3000);
    await turns();
    return world.push.size;
  };
  expect(await isOpenAfter(1999)).toBe(1);
  expect(await isOpenAfter(1)).toBe(0);
  expect(reader.line.writableFinished).toBe(false);
});

test('PUSH-35 a reader that is behind for ever ends at its age as well', async () => {
  const world = await broadcasting({ limitStallMs: 1e9 });
  const reader = await partway(world, { endsAtMs: 5000 });
  const isEndingAt = async (nowMs: number) => {
    world.time.nowMs = nowMs;
    world.push.tick(3000);
    await turns();
    return reader.subscriber.closeReason;
  };
  expect(await isEndingAt(4999)).toBeUndefined();
  expect(await isEndingAt(5000)).toBe('age');
  reader.line.release();
  await settled(world.push, () => world.push.size === 0);
  expect(reader.line.writableFinished).toBe(true);
  expect(world.push.counters.closed.age).toBe(1);
});

test('PUSH-61 who takes nothing for the limit is cut, and not before; who takes something is not', async () => {
  const world = await broadcasting({ limitStallMs: 60_000 });
  const stalled = await partway(world, {});
  const slow = await partway(world, {});
  const at = async (nowMs: number) => {
    // A little is taken each time.
    slow.line.release();
    slow.line.hold();
    await turns();
    world.time.nowMs = nowMs;
    world.push.tick(3000);
    await turns();
    return [stalled.line.destroyed, slow.line.destroyed];
  };
  expect(await at(30_000)).toEqual([false, false]);
  expect(await at(60_001)).toEqual([false, false]);
  expect(await at(60_002)).toEqual([true, false]);
  expect(world.push.counters.closed.slow).toBe(1);
  slow.line.release();
  await settled(world.push, () => slow.events().length === 2 * 2);
});

test.each(['identity', 'gzip'] as const)(
  'PUSH-61 a live reader that takes a large event slowly is not cut, and gets what comes meanwhile after it (%s)',
  async (encoding) => {
    const world = await broadcasting({ limitStallMs: 60_000 });
    const slow = world.open({ encoding });
    slow.line.hold();
    // What hardly compresses.
    await world.log.append([upsert(1, 1, seededBytes('large', 400_000).toString('hex'))]);
    await settled(world.push, () => slow.line.writableLength > 0);
    await world.log.append([upsert(2, 2)]);
    for (let minutes = 0; slow.events().length < 2; minutes += 1) {
      expect(minutes).toBeLessThan(30);
      slow.line.release();
      slow.line.hold();
      await turns();
      world.time.nowMs += 50_000;
      world.push.tick(3000);
      await turns();
    }
    expect(slow.line.destroyed).toBe(false);
    expect(slow.events().map(({ event, sequences }) => [event, sequences])).toEqual([
      ['update', [1]],
      ['update', [2]],
    ]);
    expect(Math.max(...slow.line.writes.map(({ length }) => length))).toBeLessThanOrEqual(64 * 1024);
  },
);

test('PUSH-8 a reader that waits for what the log is slow to read hears a comment meanwhile', async () => {
  const world = await broadcasting();
  await world.log.append([upsert(1, 1)]);
  let letThrough = () => {};
  const gate = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  const { read } = world.log;
  world.log.read = async (...range) => gate.then(() => read.apply(world.log, range));
  const reader = world.open({ after: 0 });
  const commentsAfter = async (passedMs: number) => {
    world.time.nowMs += passedMs;
    world.push.tick(3000);
    await turns();
    return reader.content().match(/^: ?$/gm)?.length;
  };
  // One from its beginning.
  expect(await commentsAfter(10_999)).toBe(1);
  expect(await commentsAfter(1)).toBe(2);
  expect(await commentsAfter(3000)).toBe(2);
  letThrough();
  await settled(world.push, () => reader.events().length === 1);
});

test.each([
  ['the state', { isState: true }],
  ['what it lacks', { after: 0 }],
])('PUSH-32 a stream that is told to end while %s is read for it ends in order', async (_name, how) => {
  const world = await broadcasting();
  await world.log.append([upsert(1, 1)]);
  let letThrough = (_error?: Error) => {};
  const gate = new Promise<void>((resolve, reject) => {
    letThrough = (error) => (error ? reject(error) : resolve());
  });
  const { read, readMembers } = world.log;
  world.log.read = async (...range) => gate.then(() => read.apply(world.log, range));
  world.log.readMembers = async (sequences) => gate.then(() => readMembers.call(world.log, sequences));
  const reader = world.open({ ...how, isChunked: true });
  await turns();
  world.push.end(reader.subscriber);
  // What it would have been told: there is nobody to tell.
  letThrough('after' in how ? new StreamError('ERR_MEMBERS_REMOVED', 'erased') : undefined);
  await settled(world.push, () => world.push.size === 0);
  expect([reader.line.writableFinished, reader.line.errored]).toEqual([true, null]);
  expect(reader.events().flatMap(({ sequences }) => sequences)).toEqual([]);
  expect(world.push.counters.closed).toMatchObject({ shutdown: 1, error: 0 });
});

test('who has left is not ended any more', async () => {
  const world = await broadcasting();
  const reader = world.open();
  reader.line.destroy();
  await settled(world.push, () => world.push.size === 0);
  world.push.end(reader.subscriber);
  await turns();
  expect(reader.subscriber.closeReason).toBeUndefined();
  expect(world.push.counters.closed).toMatchObject({ reader: 1, shutdown: 0 });
});

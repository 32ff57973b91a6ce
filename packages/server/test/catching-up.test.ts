import { StreamError } from '@ldes-live/rdf-stream';
import { expect, test, vi } from 'vitest';
import {
  broadcasting,
  commentsOf,
  expectHistories,
  following,
  heldUp,
  type OpenLine,
  type PushWorld,
  turns,
} from './push-lines.ts';
import { EPOCH, PUBLIC_URL, remove, upsert } from './test-server.ts';

const MIB = 1024 * 1024;

/** Expects a gap at some place among the events of a reader, and that it goes on from the head then. */
async function expectGap(world: PushWorld, reader: OpenLine, from: string, before: number): Promise<void> {
  const head = world.log.head.cursor.sequence;
  await world.arrived([reader], head);
  await world.log.append([upsert(1, 99)]);
  await world.arrived([reader], head + 1);
  const to = `${EPOCH}-${head}`;
  const [gap, ...later] = reader.events().slice(before);
  expect(gap).toMatchObject({ event: 'gap', id: to });
  const urls = { latest: `${PUBLIC_URL}vehicles/latest`, pages: `${PUBLIC_URL}vehicles/pages` };
  expect(JSON.parse(gap?.data ?? '')).toEqual({ from, to, ...urls });
  expect(later).toMatchObject([{ event: 'update', id: `${EPOCH}-${head + 1}`, sequences: [head + 1] }]);
  expect(world.push.counters.gaps).toBe(1);
}

test('PUSH-7 a reader whose cursor the log does not hold is told where to read on, and goes on from the head', async () => {
  const world = await broadcasting();
  await world.log.append([upsert(1, 1)]);
  await expectGap(world, world.open({ gapFrom: { epoch: 'otherlife', sequence: 5 } }), 'otherlife-5', 0);
});

test('PUSH-7, DOC-30 what is erased while it is sent is a gap after the last event, and then the stream goes on', async () => {
  // Nothing kept for those who come back: all is read from the log.
  const world = await broadcasting({ limitFrameBytes: 1 });
  for (let value = 1; value <= 2500; value += 1) await world.log.append([upsert(value % 7, value)]);
  const removed = { first: 1, last: 2250 };
  await world.log.unlink(removed);
  const { read } = world.log;
  let erasing: Promise<void> | undefined;
  world.log.read = async (after, limit) => {
    if (after > 0) erasing ??= world.log.erase(removed);
    await erasing;
    return read.call(world.log, after, limit);
  };
  const reader = world.open({ after: 0 });
  // One read; its last commit might have been cut by it.
  await expectGap(world, reader, `${EPOCH}-999`, 999);
  const sent = reader.events().slice(0, 999);
  expect(sent.map(({ id, sequences }) => [id, ...sequences])).toEqual(
    sent.map((_, index) => [`${EPOCH}-${index + 1}`, index + 1]),
  );
  expect(world.push.counters.replays).toBe(1);
});

/** Lets the log be read only when a test says so, or fail then. */
function gated({ log }: PushWorld): (error?: Error) => void {
  let letThrough = (_error?: Error) => {};
  const gate = new Promise<void>((resolve, reject) => {
    letThrough = (error) => (error ? reject(error) : resolve());
  });
  const { read, readMembers } = log;
  log.read = async (...range) => gate.then(() => read.apply(log, range));
  log.readMembers = async (sequences) => gate.then(() => readMembers.call(log, sequences));
  return letThrough;
}

test('PUSH-8 a reader that waits for what the log is slow to read hears a comment meanwhile', async () => {
  const world = await broadcasting();
  await world.log.append([upsert(1, 1)]);
  const letThrough = gated(world);
  // It takes its beginning late, and then all.
  const reader = world.open({ after: 0, isLate: true });
  const comments: number[] = [];
  for (const passedMs of [10_999, 1, 3000, 60_001]) {
    await world.beat(passedMs);
    comments.push(commentsOf(reader));
  }
  // One from its beginning.
  expect(comments).toEqual([1, 2, 2, 3]);
  letThrough();
  await world.arrived([reader], 1);
});

test.each([
  ['the state', { isState: true }, undefined],
  ['what it lacks', { after: 0 }, new StreamError('ERR_MEMBERS_REMOVED', 'erased')],
])('PUSH-32 a stream that is told to end while %s is read for it ends in order', async (_name, how, error) => {
  const world = await broadcasting();
  await world.log.append([upsert(1, 1)]);
  const letThrough = gated(world);
  const reader = world.open({ ...how, isChunked: true });
  await turns();
  world.push.end(reader.subscriber);
  // What it would have been told: there is nobody to tell.
  letThrough(error);
  await world.until(() => world.push.size === 0);
  expect([reader.line.writableFinished, reader.line.errored]).toEqual([true, null]);
  expect(reader.events().flatMap(({ sequences }) => sequences)).toEqual([]);
  expect(world.push.counters.closed).toMatchObject({ shutdown: 1, error: 0 });
});

test.each([
  ['as many bytes as the limit', 0, false],
  ['one byte more', -1, true],
  ['more than is remembered', 0, true, 1],
])(
  'PUSH-60 a reader who is %s behind, by a limit of %d beside it, gets the newest state: %s',
  async (_name, beside, isConflated, limitFrameBytes = MIB) => {
    // What so much is, in a world of its own.
    const run = async (limits: { limitQueueBytes: number; limitFrameBytes?: number }) => {
      const world = await broadcasting(limits);
      const reader = await heldUp(world);
      for (let value = 2; value <= 9; value += 1) await world.log.append([upsert(value % 3, value), upsert(5, value)]);
      await world.log.append([remove(0)]);
      await turns(1);
      const lacksBytes = world.commits.bytesAfter(1) ?? Number.POSITIVE_INFINITY;
      world.push.tick();
      // Past the limit the newest state takes the place of what waits.
      expect(world.push.counters.queueBytes).toBe(Math.min(lacksBytes, limits.limitQueueBytes));
      reader.line.release();
      await world.arrived([reader], 18);
      await expectHistories(world, [reader], 18);
      return { lacksBytes, conflations: world.push.counters.conflations, events: reader.events() };
    };
    const { lacksBytes } = await run({ limitQueueBytes: MIB });
    const { conflations, events } = await run({ limitQueueBytes: lacksBytes + beside, limitFrameBytes });
    expect(conflations).toBe(isConflated ? 1 : 0);
    if (!isConflated) return;
    expect(events.map(({ event, id }) => [event, id])).toEqual([
      ['update', `${EPOCH}-1`],
      ['conflated', `${EPOCH}-1`],
      ['update', `${EPOCH}-18`],
    ]);
    expect(JSON.parse(events[1]?.data ?? '')).toEqual({ from: `${EPOCH}-1`, to: `${EPOCH}-18` });
    // Each entity once, the end of one included.
    expect(events[2]?.sequences).toEqual([12, 14, 17, 18]);
  },
);

test.each([
  ['commits', { after: 1 }],
  ['a state', { isState: true }],
])(
  'while those who are sent %s hold as much as they may, nothing is read for others, and then it is',
  async (_name, how) => {
    const world = await broadcasting({ limitReplayBytes: 200_000, limitFrameBytes: 1 });
    for (let value = 1; value <= 3; value += 1) await world.log.append([upsert(1, value, 'x'.repeat(200_000))]);
    const reads = [vi.spyOn(world.log, 'read'), vi.spyOn(world.log, 'readMembers')];
    const first = world.open(how);
    first.line.hold();
    await world.until(() => first.subscriber.stalledSinceMs > 0 && world.replays.isFull);
    const before = reads.map(({ mock }) => mock.calls.length);
    const others = [world.open({ after: 0 }), world.open({ isState: true })];
    await turns();
    expect(reads.map(({ mock }) => mock.calls.length)).toEqual(before);
    first.line.release();
    await world.arrived([first, ...others], 3);
    expect(world.replays.isFull).toBe(false);
  },
);

test.each([
  ['within a commit', (index: number) => ({ after: index + 1 })],
  ['with a filter of its own', (index: number) => ({ after: 0, query: following(index) })],
])('what is made for each reader %s counts: past the limit it is made for one at a time', async (_name, how) => {
  const world = await broadcasting({ limitReplayBytes: 100_000 });
  await world.log.append([0, 1, 2, 3, 4].map((entity) => upsert(entity, 1, 'x'.repeat(100_000))));
  const readers = [0, 1, 2, 3].map((index) => world.open(how(index)));
  for (const { line } of readers) line.hold();
  const waiting = () => readers.filter(({ line }) => line.writableLength > 1000).length;
  await world.until(() => waiting() > 0);
  await turns(100);
  expect(waiting()).toBe(1);
  for (const { line } of readers) line.release();
  await world.arrived(readers, 5);
  expect(world.replays.isFull).toBe(false);
});

test('however many readers catch up, they have one slice of each turn', async () => {
  const world = await broadcasting({ limitFrameBytes: 100 * MIB });
  world.open();
  // More than is sent at once.
  const text = 'x'.repeat(3000);
  for (let value = 1; value <= 90; value += 1) {
    await world.log.append([1, 2].map((entity) => upsert(entity, value, text)));
  }
  // Of 20 ms.
  let nowMs = 1;
  Object.defineProperty(world.time, 'nowMs', { get: () => (nowMs += 4) });
  const readers = Array.from({ length: 10 }, (_, index) => world.open({ after: 0, query: following(1 + (index % 2)) }));
  const deliveries: number[] = [];
  // Each turn is looked at: in a wait for a timer there may be several.
  while (readers.some(({ subscriber }) => subscriber.position < 180)) {
    deliveries.push(world.push.counters.deliveries);
    await turns(1);
  }
  const added = deliveries.map((count, turn) => count - (deliveries[turn - 1] ?? count));
  // All that they lack is 900.
  expect(Math.max(...added)).toBeLessThan(60);
});

test('PUSH-59 what a connection lacks is written as it takes it, and is no queue where it was never live', async () => {
  const world = await broadcasting();
  const live = world.open();
  for (let value = 1; value <= 5; value += 1) await world.log.append([upsert(1, value)]);
  await world.arrived([live], 5);
  // It takes its beginning, and has one commit waiting.
  const reader = world.open({ after: 0, holdsAfter: 1 });
  await turns();
  expect(reader.line.writableLength).toBe(live.line.writes[1]?.length);
  world.push.tick();
  expect(world.push.counters).toMatchObject({ catchingUp: 1, live: 1, queueBytes: 0 });
  reader.line.release();
  await world.arrived([reader], 5);
  await expectHistories(world, [reader], 5);
});

test('`catch-up failed` says of a fault which stream it was, and the reader is cut to resume', async () => {
  const world = await broadcasting();
  await world.log.append([upsert(1, 1)]);
  const letThrough = gated(world);
  const reader = world.open({ after: 0 });
  const fault = new Error('disk');
  letThrough(fault);
  await world.until(() => world.push.size === 0);
  expect(reader.line.destroyed).toBe(true);
  expect(world.lines.filter(({ level }) => level === 'error')).toEqual([
    { level: 'error', event: 'catch-up failed', stream: 'vehicles', err: fault },
  ]);
  expect(world.push.counters.closed.error).toBe(1);
});

import { StreamError } from '@ldes-live/rdf-stream';
import { seededBytes } from '@ldes-live/test-support/properties';
import { expect, test, vi } from 'vitest';
import type { KeptLine } from './kept-lines.ts';
import {
  broadcasting,
  commentsOf,
  expectHistories,
  following,
  type LineOptions,
  type OpenLine,
  type PushWorld,
  turns,
} from './push-lines.ts';
import { EPOCH, remove, upsert } from './test-server.ts';

const MIB = 1024 * 1024;

const SINCE_MS = Date.UTC(2026, 2, 1, 12);
const FAILING = { kind: 'failing', sinceMs: SINCE_MS } as const;
const SAID = 'event: status\ndata: {"source":"failing","since":"2026-03-01T12:00:00.000Z"}\n\n';
const RECOVERED = 'event: status\ndata: {"source":"ok"}\n\n';

const named = (lines: readonly KeptLine[], event: string) => lines.filter((line) => line.event === event);

test('PUSH-65 each reader is told once when the sources fail and when they recover, and no id moves', async () => {
  const world = await broadcasting();
  const grouped = [world.open({ encoding: 'gzip' }), world.open({ encoding: 'gzip', isChunked: true })];
  await world.log.append([upsert(1, 1)]);
  await world.arrived(grouped, 1);
  expect(grouped.map(({ subscriber }) => subscriber.inGroup)).toEqual([true, true]);
  const others = [{}, { isChunked: true }, { encoding: 'gzip' }, { query: following(1) }] as const;
  const all = [...grouped, ...others.map((how) => world.open(how))];
  const held = world.open();
  held.line.hold();
  await world.log.append([upsert(1, 2)]);
  await world.arrived(all, 2);
  // Said again, as to a worker with its streams, it is no change.
  world.turnSources({ kind: 'ok' });
  world.turnSources(FAILING);
  await world.until(() => all.every((line) => line.content().includes(SAID)));
  const late = world.open({ encoding: 'gzip' });
  expect(late.content()).toContain(SAID);
  world.turnSources({ kind: 'ok' });
  await world.until(() => all.every((line) => line.content().includes(RECOVERED)));
  world.turnSources({ kind: 'ok' });
  expect(world.open().content()).not.toContain('event: status');
  held.line.release();
  await world.log.append([upsert(1, 3)]);
  await world.arrived([...all, late, held], 3);
  for (const line of [...all, late]) {
    expect(line.content().split(SAID)).toHaveLength(2);
    expect(line.content().split(RECOVERED)).toHaveLength(2);
  }
  // It missed both: for it nothing has changed.
  expect(held.content()).not.toContain('event: status');
  expect(grouped.map(({ subscriber }) => subscriber.inGroup)).toEqual([true, true]);
  world.push.close();
  expect(world.listeners.size).toBe(0);
});

test('`push opened`, `push live`, `push slow`, `push catching up`, `push ending` and `push closed` tell the life of one', async () => {
  const world = await broadcasting();
  world.open();
  const reader = world.open();
  reader.line.hold();
  await world.log.append([upsert(1, 1)]);
  await world.until(() => world.push.counters.commits === 1);
  await world.log.append([upsert(1, 2)]);
  await world.until(() => world.push.counters.commits === 2);
  reader.line.release();
  await world.arrived([reader], 2);
  await turns();
  world.time.nowMs += 500;
  world.push.end(reader.subscriber);
  await world.until(() => world.push.size === 1);
  const own = world.lines.filter(({ subscriber }) => subscriber === 2);
  const said = { level: 'debug', stream: 'vehicles', subscriber: 2 };
  expect(own).toEqual([
    { ...said, event: 'push opened' },
    { ...said, event: 'push live' },
    { ...said, event: 'push slow' },
    { ...said, event: 'push catching up', after: 1 },
    { ...said, event: 'push live' },
    { ...said, event: 'push ending', reason: 'shutdown' },
    { ...said, event: 'push closed', reason: 'shutdown', ms: 500 },
  ]);
});

test('`commit` tells how long a commit took to begin and to reach all', async () => {
  const world = await broadcasting();
  const line = world.open();
  await world.log.append([upsert(1, 1), upsert(2, 1)]);
  await world.arrived([line], 2);
  const said = { level: 'debug', stream: 'vehicles', cursor: `${EPOCH}-2`, members: 2, subscribers: 1 };
  expect(named(world.lines, 'commit')).toEqual([{ ...said, event: 'commit', startMs: 0, sweepMs: 0 }]);
});

test('LOG-5 `fan-out failed` says of a fault who was cut', async () => {
  const world = await broadcasting();
  const lines = [world.open(), world.open()];
  const fault = new Error('defect');
  vi.spyOn(lines[1]?.line as OpenLine['line'], 'write').mockImplementation(() => {
    throw fault;
  });
  await world.log.append([upsert(1, 1)]);
  await world.until(() => world.push.size === 0);
  const said = { level: 'error', stream: 'vehicles', subscribers: 2, err: fault };
  expect(named(world.lines, 'fan-out failed')).toEqual([{ ...said, event: 'fan-out failed' }]);
  expect(world.push.counters.closed.error).toBe(2);
});

test('`subscribers cut` counts those that took nothing, at once and then once a minute', async () => {
  const world = await broadcasting({ limitStallMs: 1000 });
  await world.log.append([upsert(1, 1, 'x'.repeat(300_000))]);
  const cutMore = async () => {
    for (const line of [world.open({ isState: true }), world.open({ isState: true })]) line.line.hold();
    await turns();
    await world.beat(1001);
    return named(world.lines, 'subscribers cut');
  };
  const said = { level: 'warn', event: 'subscribers cut', stream: 'vehicles', reason: 'slow' };
  for (let times = 0; times < 3; times += 1) expect(await cutMore()).toEqual([{ ...said, count: 2 }]);
  await world.beat(60_000);
  expect(named(world.lines, 'subscribers cut').slice(1)).toEqual([{ ...said, count: 4 }]);
});

test('`positions failed` is said where entities cannot be looked for, and a reader of a place is sent more', async () => {
  const world = await broadcasting();
  await world.log.append([upsert(1, 1)]);
  const { readMembers } = world.log;
  world.log.readMembers = () => Promise.reject(new Error('disk'));
  const line = world.open({ query: 'bbox=0,0,1,1' });
  await world.until(() => named(world.lines, 'positions failed').length > 0);
  expect(named(world.lines, 'positions failed')).toMatchObject([{ level: 'warn', err: { message: 'disk' } }]);
  world.log.readMembers = readMembers;
  await world.log.append([upsert(1, 2)]);
  await world.arrived([line], 2);
});

/** A line that has taken the first part of a long event. */
async function partway(world: PushWorld, how: LineOptions): Promise<OpenLine> {
  await world.log.append([upsert(1, 1, 'x'.repeat(500_000))]);
  await world.log.append([upsert(1, 2)]);
  const reader = world.open({ ...how, after: 0 });
  reader.line.hold();
  await world.until(() => reader.subscriber.stalledSinceMs > 0);
  expect(reader.events()).toEqual([]);
  return reader;
}

/** A live line that has not taken what was written to it. */
async function heldUp(world: PushWorld, how: LineOptions = {}, text = '1'): Promise<OpenLine> {
  const reader = world.open(how);
  reader.line.hold();
  await world.log.append([upsert(1, 1, text)]);
  await world.until(() => reader.line.writableLength > 0);
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
    await world.until(() => world.push.size === 0);
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
  await world.beat(1999);
  expect(world.push.size).toBe(1);
  await world.beat(1);
  expect([world.push.size, reader.line.writableFinished]).toEqual([0, false]);
});

test('PUSH-35 a reader that is behind for ever ends at its age as well', async () => {
  const world = await broadcasting({ limitStallMs: 1e9 });
  const reader = await partway(world, { endsAtMs: 5000 });
  await world.beat(4998);
  expect(reader.subscriber.closeReason).toBeUndefined();
  await world.beat(1);
  expect(reader.subscriber.closeReason).toBe('age');
  reader.line.release();
  await world.until(() => world.push.size === 0);
  expect([reader.line.writableFinished, world.push.counters.closed.age]).toEqual([true, 1]);
});

test('PUSH-61 who takes nothing for the limit is cut, and not before; who takes something is not', async () => {
  const world = await broadcasting({ limitStallMs: 60_000 });
  const [stalled, slow] = [await partway(world, {}), await partway(world, {})];
  for (const [passedMs, isCut] of [
    [29_999, false],
    [30_001, false],
    [1, true],
  ] as const) {
    // A little is taken each time.
    slow.line.release();
    slow.line.hold();
    await turns();
    await world.beat(passedMs);
    expect([stalled.line.destroyed, slow.line.destroyed]).toEqual([isCut, false]);
  }
  expect(world.push.counters.closed.slow).toBe(1);
  slow.line.release();
  await world.until(() => slow.events().length === 2 * 2);
});

test.each(['identity', 'gzip'] as const)(
  'PUSH-61 a live reader that takes a large event slowly is not cut, and gets what comes meanwhile after it (%s)',
  async (encoding) => {
    const world = await broadcasting({ limitStallMs: 60_000 });
    // What hardly compresses.
    const slow = await heldUp(world, { encoding }, seededBytes('large', 400_000).toString('hex'));
    await world.log.append([upsert(2, 2)]);
    for (let minutes = 0; slow.events().length < 2; minutes += 1) {
      expect(minutes).toBeLessThan(30);
      slow.line.release();
      slow.line.hold();
      await turns();
      await world.beat(50_000);
    }
    expect(slow.line.destroyed).toBe(false);
    await expectHistories(world, [slow], 2);
    expect(Math.max(...slow.line.writes.map(({ length }) => length))).toBeLessThanOrEqual(64 * 1024);
  },
);

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
  const reader = world.open({ after: 0 });
  const comments: number[] = [];
  for (const passedMs of [10_999, 1, 3000]) {
    await world.beat(passedMs);
    comments.push(commentsOf(reader));
  }
  // One from its beginning.
  expect(comments).toEqual([1, 2, 2]);
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

test('who has left is not ended any more', async () => {
  const world = await broadcasting();
  const reader = world.open();
  reader.line.destroy();
  await world.until(() => world.push.size === 0);
  world.push.end(reader.subscriber);
  await turns();
  expect(reader.subscriber.closeReason).toBeUndefined();
  expect(world.push.counters.closed).toMatchObject({ reader: 1, shutdown: 0 });
});

test('PUSH-59 a connection whose bytes have not left is given nothing more, and goes on in order when they have', async () => {
  const world = await broadcasting();
  const reader = await heldUp(world);
  const heldBytes = reader.line.writableLength;
  for (let value = 2; value <= 20; value += 1) {
    await world.log.append([upsert(value, value)]);
    await turns(1);
    expect(reader.line.writableLength).toBe(heldBytes);
  }
  expect(world.push.counters.catchingUp + world.push.counters.live).toBe(0);
  world.push.tick();
  expect(world.push.counters).toMatchObject({ catchingUp: 1, live: 0, queueBytes: world.commits.bytesAfter(1) });
  reader.line.release();
  await world.arrived([reader], 20);
  await expectHistories(world, [reader], 20);
  expect(reader.events()).toHaveLength(20);
});

test.each([
  ['the next commit', async (world: PushWorld) => void (await world.log.append([upsert(1, 2)]))],
  ['the next heartbeat', async (world: PushWorld) => world.push.tick()],
])('PUSH-61 a reader who hangs up and takes no more is cut soon after %s', async (_name, next) => {
  const world = await broadcasting();
  const reader = await heldUp(world);
  // As a socket of HTTP/1 ends whose other end is closed.
  reader.line.end();
  await next(world);
  await turns();
  await world.beat(1999);
  expect(world.push.size).toBe(1);
  await world.beat(1);
  expect(world.push.size).toBe(0);
  expect(world.push.counters.closed).toMatchObject({ reader: 1, slow: 0, shutdown: 0 });
});

test.each([
  ['as many bytes as the limit', 0, false],
  ['one byte more', -1, true],
  ['more than is remembered', 0, true, 1],
])(
  'PUSH-9, PUSH-60 a reader who is %s behind, by a limit of %d beside it, gets the newest state: %s',
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

test('PUSH-66 while those who catch up hold as much as they may, nothing is read for others, and then it is', async () => {
  const world = await broadcasting({ limitReplayBytes: 200_000, limitFrameBytes: 1 });
  for (let value = 1; value <= 3; value += 1) await world.log.append([upsert(1, value, 'x'.repeat(200_000))]);
  const read = vi.spyOn(world.log, 'read');
  const readMembers = vi.spyOn(world.log, 'readMembers');
  const first = world.open({ after: 1 });
  first.line.hold();
  await world.until(() => first.subscriber.stalledSinceMs > 0);
  expect(world.replays.isFull).toBe(true);
  const reads = read.mock.calls.length;
  const others = [world.open({ after: 0 }), world.open({ isState: true })];
  await turns();
  expect([read.mock.calls.length, readMembers.mock.calls.length]).toEqual([reads, 0]);
  first.line.release();
  await world.arrived([first, ...others], 3);
  expect(world.replays.isFull).toBe(false);
});

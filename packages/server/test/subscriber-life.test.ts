import { seededBytes } from '@ldes-live/test-support/properties';
import { expect, test, vi } from 'vitest';
import type { KeptLine } from './kept-lines.ts';
import {
  broadcasting,
  expectHistories,
  following,
  heldUp,
  type LineOptions,
  type OpenLine,
  type PushWorld,
  turns,
} from './push-lines.ts';
import { EPOCH, upsert } from './test-server.ts';

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
  const [held, told] = [world.open(), world.open()];
  for (const { line } of [held, told]) line.hold();
  await world.log.append([upsert(1, 2)]);
  await world.arrived(all, 2);
  // Said again, as to a worker with its streams, it is no change.
  world.turnSources({ kind: 'ok' });
  world.turnSources(FAILING);
  await world.until(() => all.every((line) => line.content().includes(SAID)));
  const late = world.open({ encoding: 'gzip' });
  expect(late.content()).toContain(SAID);
  // It has caught up while they fail.
  told.line.release();
  await world.until(() => told.content().includes(SAID));
  world.turnSources({ kind: 'ok' });
  await world.until(() => all.every((line) => line.content().includes(RECOVERED)));
  world.turnSources({ kind: 'ok' });
  expect(world.open().content()).not.toContain('event: status');
  held.line.release();
  await world.log.append([upsert(1, 3)]);
  await world.arrived([...all, told, late, held], 3);
  for (const line of [...all, told, late]) {
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
  // So long it takes to write it.
  vi.spyOn(line.line, 'write').mockImplementation(() => {
    world.time.nowMs += 5;
    return true;
  });
  await world.log.append([upsert(1, 1), upsert(2, 1)]);
  await world.until(() => world.push.counters.commits === 1);
  const said = { level: 'debug', stream: 'vehicles', cursor: `${EPOCH}-2`, members: 2, subscribers: 1 };
  expect(named(world.lines, 'commit')).toEqual([{ ...said, event: 'commit', startMs: 0, sweepMs: 5 }]);
});

test('`fan-out failed` says of a fault who was cut', async () => {
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

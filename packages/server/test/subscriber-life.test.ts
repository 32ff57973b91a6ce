import { expect, test, vi } from 'vitest';
import type { KeptLine } from './kept-lines.ts';
import { broadcasting, type OpenLine, settled } from './push-lines.ts';
import { EPOCH, entityOf, upsert } from './test-server.ts';

const SINCE_MS = Date.UTC(2026, 2, 1, 12);
const FAILING = { kind: 'failing', sinceMs: SINCE_MS } as const;
const SAID = 'event: status\ndata: {"source":"failing","since":"2026-03-01T12:00:00.000Z"}\n\n';
const RECOVERED = 'event: status\ndata: {"source":"ok"}\n\n';

const turns = async (count = 20) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};
const isAt = (lines: readonly OpenLine[], sequence: number) => () =>
  lines.every((line) => line.events().at(-1)?.id === `${EPOCH}-${sequence}`);
const named = (lines: readonly KeptLine[], event: string) => lines.filter((line) => line.event === event);

test('PUSH-65 each reader is told once when the sources fail and when they recover, and no id moves', async () => {
  const world = await broadcasting();
  const query = `entity=${encodeURIComponent(entityOf(1))}`;
  const grouped = [world.open({ encoding: 'gzip' }), world.open({ encoding: 'gzip', isChunked: true })];
  await world.log.append([upsert(1, 1)]);
  await settled(world.push, isAt(grouped, 1));
  expect(grouped.map(({ subscriber }) => subscriber.inGroup)).toEqual([true, true]);
  const others = [
    world.open(),
    world.open({ isChunked: true }),
    world.open({ encoding: 'gzip' }),
    world.open({ query }),
  ];
  const all = [...grouped, ...others];
  const held = world.open();
  held.line.hold();
  await world.log.append([upsert(1, 2)]);
  await settled(world.push, isAt(all, 2));
  world.turnSources(FAILING);
  await settled(world.push, () => all.every((line) => line.content().includes(SAID)));
  const late = world.open({ encoding: 'gzip' });
  expect(late.content()).toContain(SAID);
  world.turnSources({ kind: 'ok' });
  await settled(world.push, () => all.every((line) => line.content().includes(RECOVERED)));
  expect(world.open().content()).not.toContain('event: status');
  held.line.release();
  await world.log.append([upsert(1, 3)]);
  await settled(world.push, isAt([...all, late, held], 3));
  for (const line of [...all, late]) {
    expect(line.content().split(SAID)).toHaveLength(2);
    expect(line.content().split(RECOVERED)).toHaveLength(2);
  }
  // It was not there to be told of the failure, and has what stands now.
  expect([held.content().includes(SAID), held.content().includes(RECOVERED)]).toEqual([false, true]);
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
  await settled(world.push, () => world.push.counters.commits === 1);
  await world.log.append([upsert(1, 2)]);
  await settled(world.push, () => world.push.counters.commits === 2);
  reader.line.release();
  await settled(world.push, isAt([reader], 2));
  await turns();
  world.time.nowMs += 500;
  world.push.end(reader.subscriber);
  await settled(world.push, () => world.push.size === 1);
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
  await settled(world.push, isAt([line], 2));
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
  await settled(world.push, () => world.push.size === 0);
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
    world.time.nowMs += 1001;
    world.push.tick(3000);
    await turns();
    return named(world.lines, 'subscribers cut').map(({ count }) => count);
  };
  expect(await cutMore()).toEqual([2]);
  expect(await cutMore()).toEqual([2]);
  expect(await cutMore()).toEqual([2]);
  world.time.nowMs += 60_000;
  world.push.tick(3000);
  expect(
    named(world.lines, 'subscribers cut').map(({ level, stream, reason, count }) => [level, stream, reason, count]),
  ).toEqual([
    ['warn', 'vehicles', 'slow', 2],
    ['warn', 'vehicles', 'slow', 4],
  ]);
});

test('`positions failed` is said where entities cannot be looked for, and a reader of a place is sent more', async () => {
  const world = await broadcasting();
  await world.log.append([upsert(1, 1)]);
  const { readMembers } = world.log;
  world.log.readMembers = () => Promise.reject(new Error('disk'));
  const line = world.open({ query: 'bbox=0,0,1,1' });
  await settled(world.push, () => named(world.lines, 'positions failed').length > 0);
  expect(named(world.lines, 'positions failed')).toMatchObject([{ level: 'warn', err: { message: 'disk' } }]);
  world.log.readMembers = readMembers;
  await world.log.append([upsert(1, 2)]);
  await settled(world.push, isAt([line], 2));
});

test('PUSH-66 while those who catch up hold as much as they may, nothing is read for others, and then it is', async () => {
  const world = await broadcasting({ limitReplayBytes: 200_000, limitFrameBytes: 1 });
  for (let value = 1; value <= 3; value += 1) await world.log.append([upsert(1, value, 'x'.repeat(200_000))]);
  const read = vi.spyOn(world.log, 'read');
  const readMembers = vi.spyOn(world.log, 'readMembers');
  const first = world.open({ after: 1 });
  first.line.hold();
  await settled(world.push, () => first.subscriber.stalledSinceMs > 0);
  expect(world.replays.isFull).toBe(true);
  const reads = read.mock.calls.length;
  const others = [world.open({ after: 0 }), world.open({ isState: true })];
  await turns();
  expect([read.mock.calls.length, readMembers.mock.calls.length]).toEqual([reads, 0]);
  first.line.release();
  await settled(world.push, isAt([first, ...others], 3));
  expect(world.replays.isFull).toBe(false);
});

/* Readers of event streams: bytes that are cut anywhere, each delivery once and in order, states, sums of processes. */
import { createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { constants, deflateRawSync } from 'node:zlib';
import { eventually } from '@ldes-live/test-support/eventually';
import { listen } from '@ldes-live/test-support/net';
import { expect, onTestFinished, test } from 'vitest';
import { Histogram } from '../src/histogram.ts';
import { blockFields, EventBlocks, noSequence, SequenceCheck } from '../src/load/event-stream.ts';
import { PushCounts, type PushReport, sumPushReports } from '../src/load/push-counts.ts';
import { openPushReaders, type PushPlan } from '../src/load/push-reader.ts';
import { findStamp, monotonicMicros, publishOnSchedule, readStamp, stamp, until } from '../src/timing.ts';

const event = (id: string, micros: number) => `event: update\nid: ${id}\ndata: {"at":"${stamp(micros)}"}\n\n`;
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const STREAM = Buffer.from(['retry: 1500\n\n:\n\n', event('e-1', 17), event('e-2', 123_456_789)].map(chunk).join(''));
const FOUND = [
  { retry: '1500' },
  {},
  { event: 'update', id: 'e-1', micros: 17 },
  { event: 'update', id: 'e-2', micros: 123_456_789 },
];

/** What is found in a stream that comes in pieces, all in the same memory. */
function foundIn(pieces: readonly Buffer[]) {
  const blocks = new EventBlocks();
  const shared = Buffer.alloc(STREAM.length);
  const found: object[] = [];
  for (const piece of pieces) {
    piece.copy(shared);
    blocks.feed(shared.subarray(0, piece.length), (bytes, start, end) => {
      const at = findStamp(bytes, start, end);
      found.push({ ...blockFields(bytes, start, end), ...(at >= 0 && { micros: readStamp(bytes, at) }) });
    });
  }
  return found;
}

test('blocks are found with their fields and stamps, wherever the stream is cut', () => {
  for (let cut = 0; cut <= STREAM.length; cut += 1) {
    expect(foundIn([STREAM.subarray(0, cut), STREAM.subarray(cut)]), `cut at ${cut}`).toEqual(FOUND);
  }
  expect(foundIn([...STREAM].map((byte) => Buffer.from([byte])))).toEqual(FOUND);
});

/** What is counted of events of a stream in which each commit has three members; and where the reader stands then. */
function followed(
  events: readonly (readonly [event: string, id?: string | undefined, text?: string])[],
  begin?: string,
) {
  const stats = noSequence();
  const sequences = new SequenceCheck(3, stats);
  if (begin) sequences.id = begin;
  const ids = events.map(([name, id, text = '']) => {
    const bytes = Buffer.from(text);
    sequences.take({ event: name, ...(id !== undefined && { id }) }, bytes, 0, bytes.length);
    return sequences.id;
  });
  return { stats, ids };
}

const members = (count: number, micros: number) => stamp(micros).repeat(count);
const CONFLATED = ['conflated', undefined, 'data: {"from":"e-3","to":"e-30"}'] as const;

test('commits that are left out are lost, and those that come again are duplicates', () => {
  const ids = ['e-3', 'e-12', 'e-12', 'e-15'].map((id) => ['update', id] as const);
  const { stats } = followed([...ids, ['gap', 'e-15']], 'e-0');
  expect(stats).toEqual({ ...noSequence(), lost: 2, duplicates: 1, gaps: 1 });
});

test('a state that has the newest of every entity stands for the commits that it replaces', () => {
  const state = [
    ['update', undefined, members(2, 30)],
    ['update', 'e-30', members(1, 30)],
  ] as const;
  const { stats, ids } = followed([['update', 'e-3'], CONFLATED, ...state, ['update', 'e-33', members(3, 33)]]);
  expect(ids).toEqual(['e-3', 'e-3', 'e-3', 'e-30', 'e-33']);
  expect(stats).toEqual({ ...noSequence(), conflations: 1 });
});

test.each([members(2, 30), members(4, 30), members(2, 30) + members(1, 27)])(
  'a state that lacks an entity, has one twice, or an old version, is wrong: %s',
  (text) => expect(followed([CONFLATED, ['update', 'e-30', text]]).stats.wrongStates).toBe(1),
);

test('what several processes found is added up as if they were one', () => {
  const reportOf = (cpuMicros: number, ...arrivals: (readonly [stamp: number, now: number])[]) => {
    const counts = new PushCounts();
    counts.watch(3, { startMicros: 100, intervalMicros: 100, count: 2 });
    for (const [reader, [micros, now]] of arrivals.entries()) counts.arrived(micros, now, reader);
    const effort = { cpuMicros, wallMicros: cpuMicros * 10, maxLagMicros: cpuMicros, processes: 1 };
    return { ...counts.take(), lastIds: { 'e-1': 1 }, effort };
  };
  const sum = sumPushReports([reportOf(7, [100, 130], [100, 150], [200, 260]), reportOf(5, [100, 110])]);
  const effort = { cpuMicros: 12, wallMicros: 70, maxLagMicros: 7, processes: 2 };
  expect(sum).toMatchObject({ effort, lastIds: { 'e-1': 2 }, lost: 8, stats: { events: 4 } });
  expect(sum.updates).toEqual([
    { stampMicros: 100, firstMicros: 110, lastMicros: 150, events: 3 },
    { stampMicros: 200, firstMicros: 260, lastMicros: 260, events: 1 },
  ]);
  expect(new Histogram(sum.delay)).toMatchObject({ total: 4, maxMicros: 60 });
});

type Send = (sockets: readonly Socket[], micros: number, index: number) => unknown;

/** What two readers found of some updates, of which a server sent them what a test says when each was due. */
async function found(send: Send, count: number, events: number, zipped: Partial<PushPlan> = {}) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: ${zipped.encoding}\r\n\r\n`));
  });
  const port = await listen(server);
  const address = { ports: [port], path: '/{reader}', localAddress: '127.0.0.1' };
  // Its readers are not the first of all.
  const plan = { readers: 2, firstReader: 40, encoding: 'identity', decoded: 0 } as const;
  const follow = await openPushReaders({ ...plan, ...address, ...zipped });
  onTestFinished(() => {
    follow({ order: 'stop' });
    server.close();
  });
  const schedule = { startMicros: monotonicMicros() + 20_000, intervalMicros: 50_000, count };
  follow({ order: 'watch', schedule });
  await publishOnSchedule(schedule, async (micros, index) => send(sockets, micros, index));
  await eventually(() => expect(follow({ order: 'stats' })).toMatchObject({ events }));
  const { lost, stats, updates } = follow({ order: 'report' }) as PushReport;
  const { doubled, disordered } = stats;
  return { lost, doubled, disordered, firstMs: updates.map((one) => (one.firstMicros - one.stampMicros) / 1000) };
}

test('a lost and a doubled delivery are found, though they make up for each other, and one out of order', async () => {
  let before = '';
  const send: Send = ([one, other], micros, index) => {
    const text = event('e', micros);
    if (index === 1) one?.write(text + text + before);
    other?.write(text);
    before = text;
  };
  expect(await found(send, 3, 6)).toMatchObject({ lost: 1, doubled: 1, disordered: 1 });
});

test('what a publisher owes while it stalls is late from when it was due, each update by itself', async () => {
  const send: Send = async (sockets, micros, index) => {
    if (index === 1) await until(micros + 300_000);
    for (const socket of sockets) socket.write(event('e', micros));
  };
  const { firstMs, ...counts } = await found(send, 4, 8);
  expect(counts).toEqual({ lost: 0, doubled: 0, disordered: 0 });
  for (const [index, ms] of [0, 300, 250, 200].entries()) expect(firstMs[index]).toBeGreaterThanOrEqual(ms);
});

test('a compressed stream is decoded by some readers, however its chunks are cut', async () => {
  const chunked = (bytes: Buffer) =>
    Buffer.concat([`${bytes.length.toString(16)}\r\n`, bytes, '\r\n'].map((part) => Buffer.from(part)));
  const header = chunked(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]));
  const send: Send = async ([one], micros, index) => {
    // Blocks that end on a byte, and do not end the stream.
    const block = chunked(deflateRawSync(event('e', micros), { finishFlush: constants.Z_SYNC_FLUSH }));
    const bytes = index === 0 ? Buffer.concat([header, block]) : block;
    one?.write(bytes.subarray(0, 12 * index + 5));
    // A late update waits for the rest of the one before it.
    await delay(5);
    one?.write(bytes.subarray(12 * index + 5));
  };
  const zipped = { encoding: 'gzip', firstReader: 0, decoded: 1 } as const;
  expect(await found(send, 3, 3, zipped)).toMatchObject({ lost: 0, doubled: 0 });
});

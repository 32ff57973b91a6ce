/* Readers of event streams: bytes that are cut anywhere, each delivery once and in order, states, sums of processes. */
import type { ServerResponse } from 'node:http';
import { eventually } from '@ldes-live/test-support/eventually';
import { httpServer } from '@ldes-live/test-support/net';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { blockFields } from '../src/load/block-fields.ts';
import { ChunkedBody } from '../src/load/chunked-body.ts';
import { EventBlocks } from '../src/load/event-blocks.ts';
import { LoadState } from '../src/load/load-state.ts';
import { mergeReports } from '../src/load/merge-reports.ts';
import { openAll } from '../src/load/open-all.ts';
import { PushReader } from '../src/load/push-reader.ts';
import { addSequences, emptySequenceTally, SequenceCheck } from '../src/load/sequence-check.ts';
import { SeriesCounts } from '../src/load/series-counts.ts';
import { findStamp, readStamp, stamp } from '../src/load/stamp.ts';

const event = (id: string, micros: number) => `event: update\nid: ${id}\ndata: {"at":"${stamp(micros)}"}\n\n`;
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const STREAM = Buffer.from(['retry: 1500\n\n:\n\n', event('e-1', 17), event('e-2', 123_456_789)].map(chunk).join(''));
const FOUND = [
  { retryMs: 1500 },
  {},
  { event: 'update', id: 'e-1', micros: 17 },
  { event: 'update', id: 'e-2', micros: 123_456_789 },
];

/** What is told of a stream that comes in pieces, all in the same memory. */
function told(pieces: readonly Buffer[]) {
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
    expect(told([STREAM.subarray(0, cut), STREAM.subarray(cut)]), `cut at ${cut}`).toEqual(FOUND);
  }
  expect(told([...STREAM].map((byte) => Buffer.from([byte])))).toEqual(FOUND);
});

test('the content of chunks is found however the body is cut', () => {
  const content = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { minLength: 1 });
  check(
    fc.property(content, fc.integer({ min: 1, max: 50 }), (chunks, pieceBytes) => {
      const body = Buffer.concat(
        chunks.flatMap((chunk) => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
      );
      const reader = new ChunkedBody();
      const parts: Buffer[] = [];
      for (let at = 0; at < body.length; at += pieceBytes) {
        parts.push(...reader.feed(body.subarray(at, at + pieceBytes)));
      }
      expect(Buffer.concat(parts)).toEqual(Buffer.concat(chunks));
    }),
  );
});

/** What is told of events of a stream in which each commit has three members; and where the reader stands then. */
function followed(
  events: readonly (readonly [event: string, id?: string | undefined, text?: string])[],
  begin?: string,
) {
  const tally = emptySequenceTally();
  const sequences = new SequenceCheck(3, () => tally);
  if (begin) sequences.begin(begin);
  const ids = events.map(([event, id, text = '']) => {
    const bytes = Buffer.from(text);
    sequences.take({ event, ...(id !== undefined && { id }) }, bytes, 0, bytes.length);
    return sequences.id;
  });
  return { tally, ids };
}

const members = (count: number, micros: number) => stamp(micros).repeat(count);
const CONFLATED = ['conflated', undefined, 'data: {"from":"e-3","to":"e-30"}'] as const;

test('commits that are left out are lost, and those that come again are told', () => {
  const { tally } = followed(
    [
      ['update', 'e-3'],
      ['update', 'e-12'],
      ['update', 'e-12'],
      ['update', 'e-15'],
    ],
    'e-0',
  );
  expect(tally).toEqual({ ...emptySequenceTally(), lost: 2, duplicates: 1 });
});

test('a state that has the newest of every entity stands for the commits that it replaces', () => {
  const state = [
    ['update', undefined, members(2, 30)],
    ['update', 'e-30', members(1, 30)],
  ] as const;
  const { tally, ids } = followed([['update', 'e-3'], CONFLATED, ...state, ['update', 'e-33', members(3, 33)]]);
  expect(ids).toEqual(['e-3', 'e-3', 'e-3', 'e-30', 'e-33']);
  expect(tally).toEqual({ ...emptySequenceTally(), conflations: 1 });
});

test.each([
  ['lacks an entity', members(2, 30)],
  ['has an entity twice', members(4, 30)],
  ['has an old version', members(2, 30) + members(1, 27)],
])('a state that %s is wrong', (_, text) => {
  expect(followed([CONFLATED, ['update', 'e-30', text]]).tally.wrongStates).toBe(1);
});

const SERIES = { startMicros: 1000, intervalMicros: 10, count: 3 };
const stampOf = (index: number) => SERIES.startMicros + index * SERIES.intervalMicros;
const ALL = [0, 1].flatMap((reader) => [0, 1, 2].map((index) => [reader, index] as const));

test.each([
  ['once to each reader', ALL, 0, 0],
  ['once to each, backwards', ALL.toReversed(), 0, 0],
  // It does not stand for the one that another never gets.
  ['twice to one reader and never to another', [...ALL.slice(0, -1), [0, 1] as const], 1, 1],
  ['thrice to one reader', [...ALL, [0, 0] as const, [0, 0] as const], 0, 2],
])('what comes %s is told as such', (_, deliveries, lost, doubled) => {
  const counts = new SeriesCounts(2, SERIES);
  for (const [reader, index] of deliveries) counts.note(reader, stampOf(index));
  expect(counts.tally()).toEqual({ lost, doubled });
});

test('a lost and a doubled delivery are reported as such, though they make up for each other', async ({
  onTestFinished,
}) => {
  const streams: ServerResponse[] = [];
  const server = await httpServer((_request, response) => {
    response.writeHead(200).write(':\n\n');
    streams.push(response);
  });
  onTestFinished(() => server.close());
  // Its readers are not the first of all.
  const common = { headers: {}, localAddress: '127.0.0.1', opening: 1, comesBack: false, path: '/' };
  const plan = { ...common, readers: 2, firstReader: 40, port: Number(new URL(server.url).port) };
  const state = new LoadState();
  state.series = new SeriesCounts(2, SERIES);
  const readers = [40, 41].map((number) => new PushReader(number, plan, state));
  await openAll(readers, 1);
  for (const index of [0, 1, 1]) streams[0]?.write(`data: ${stamp(stampOf(index))}\n\n`);
  for (const index of [0, 1, 2]) streams[1]?.write(`data: ${stamp(stampOf(index))}\n\n`);
  await eventually(() => expect(state.tally.events).toBe(6));
  expect(state.tally.doubled).toBe(1);
  const report = { ...state.take(), lastIds: {}, cpuMicros: 1, wallMicros: 1, longestLoopLagMicros: 1 };
  expect(report.series).toEqual({ lost: 1, doubled: 1 });
  expect(mergeReports([report, report]).series).toEqual({ lost: 2, doubled: 2 });
  for (const reader of readers) reader.stop();
});

function reportOf(arrivals: readonly (readonly [stamp: number, now: number])[], cpuMicros: number) {
  const state = new LoadState();
  for (const [stamp, now] of arrivals) state.arrived(stamp, now);
  const costs = { cpuMicros, wallMicros: cpuMicros * 10, longestLoopLagMicros: cpuMicros };
  return { ...state.take(), lastIds: { 'e-1': 1 }, ...costs };
}

test('what several processes found is added up as if they were one', () => {
  const [one, other] = [
    [
      [100, 130],
      [100, 150],
      [200, 260],
    ],
    [[100, 110]],
  ] as const;
  const merged = mergeReports([reportOf(one, 7), reportOf(other, 5)]);
  expect(merged).toMatchObject({ cpuMicros: 12, wallMicros: 70, longestLoopLagMicros: 7, lastIds: { 'e-1': 2 } });
  expect([merged.tally.events, merged.latency.max]).toEqual([4, 60]);
  expect(merged.arrivals).toEqual([
    { stamp: 100, first: 110, last: 150, events: 3 },
    { stamp: 200, first: 260, last: 260, events: 1 },
  ]);
  const sequences = { lost: 1, duplicates: 2, gaps: 3, conflations: 4, wrongStates: 5 };
  const twice = { lost: 2, duplicates: 4, gaps: 6, conflations: 8, wrongStates: 10 };
  expect(addSequences([sequences, sequences])).toEqual(twice);
});

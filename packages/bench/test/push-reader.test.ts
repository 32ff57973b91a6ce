import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@ldes-live/test-support/eventually';
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { blockFields } from '../src/load/block-fields.ts';
import { ChunkedBody } from '../src/load/chunked-body.ts';
import { EventBlocks } from '../src/load/event-blocks.ts';
import type { LoadReport } from '../src/load/load-messages.ts';
import { LoadState } from '../src/load/load-state.ts';
import { mergeReports } from '../src/load/merge-reports.ts';
import { openAll } from '../src/load/open-all.ts';
import { PushReader } from '../src/load/push-reader.ts';
import { addSequences, emptySequenceTally, SequenceCheck } from '../src/load/sequence-check.ts';
import { SeriesCounts } from '../src/load/series-counts.ts';
import { findStamp, readStamp, stamp } from '../src/load/stamp.ts';

const event = (id: string, micros: number) => `event: update\nid: ${id}\ndata: {"at":"${stamp(micros)}"}\n\n`;
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

/** What is told of a stream that comes in some pieces. */
function told(pieces: readonly Buffer[]) {
  const blocks = new EventBlocks();
  const found: object[] = [];
  for (const piece of pieces) {
    blocks.feed(piece, (bytes, start, end) => {
      const at = findStamp(bytes, start, end);
      found.push({ ...blockFields(bytes, start, end), ...(at >= 0 && { micros: readStamp(bytes, at) }) });
    });
  }
  return found;
}

const STREAM = Buffer.from(
  [chunk('retry: 1500\n\n:\n\n'), chunk(event('e-1', 17)), chunk(event('e-2', 123_456_789))].join(''),
);
const FOUND = [
  { retryMs: 1500 },
  {},
  { event: 'update', id: 'e-1', micros: 17 },
  { event: 'update', id: 'e-2', micros: 123_456_789 },
];

test('blocks are found with their fields and stamps, wherever the stream is cut in two', () => {
  for (let cut = 0; cut <= STREAM.length; cut += 1) {
    expect(told([STREAM.subarray(0, cut), STREAM.subarray(cut)]), `cut at ${cut}`).toEqual(FOUND);
  }
});

test('bytes that are used again for the next piece do no harm', () => {
  const shared = Buffer.alloc(7);
  const blocks = new EventBlocks();
  const ids: (string | undefined)[] = [];
  for (let at = 0; at < STREAM.length; at += shared.length) {
    const length = STREAM.copy(shared, 0, at, at + shared.length);
    blocks.feed(shared.subarray(0, length), (bytes, start, end) => ids.push(blockFields(bytes, start, end).id));
  }
  expect(ids).toEqual([undefined, undefined, 'e-1', 'e-2']);
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
      for (let at = 0; at < body.length; at += pieceBytes)
        parts.push(...reader.feed(body.subarray(at, at + pieceBytes)));
      expect(Buffer.concat(parts)).toEqual(Buffer.concat(chunks));
    }),
  );
});

const STEP = 3;

function follow() {
  const tally = emptySequenceTally();
  const check = new SequenceCheck(STEP, () => tally);
  const take = (event: string, id: string | undefined, text = '') => {
    const bytes = Buffer.from(text);
    check.take({ event, ...(id !== undefined && { id }) }, bytes, 0, bytes.length);
  };
  return { tally, check, take };
}

const members = (count: number, micros: number) => stamp(micros).repeat(count);

test('commits that are left out are lost, and those that come again are told', () => {
  const { tally, check, take } = follow();
  check.begin('e-0');
  for (const id of ['e-3', 'e-12', 'e-12', 'e-15']) take('update', id);
  expect(tally).toEqual({ ...emptySequenceTally(), lost: 2, duplicates: 1 });
});

test('a state that has the newest of every entity stands for the commits that it replaces', () => {
  const { tally, check, take } = follow();
  take('update', 'e-3');
  take('conflated', undefined, 'data: {"from":"e-3","to":"e-30"}');
  take('update', undefined, members(2, 30));
  expect(check.id).toBe('e-3');
  take('update', 'e-30', members(1, 30));
  take('update', 'e-33', members(3, 33));
  expect(tally).toEqual({ ...emptySequenceTally(), conflations: 1 });
});

test.each([
  ['lacks an entity', members(2, 30)],
  ['has an entity twice', members(4, 30)],
  ['has an old version', members(2, 30) + members(1, 27)],
])('a state that %s is wrong', (_, text) => {
  const { tally, take } = follow();
  take('conflated', undefined, 'data: {"from":"e-3","to":"e-30"}');
  take('update', 'e-30', text);
  expect(tally.wrongStates).toBe(1);
});

test('tallies are added up by their fields', () => {
  const one = { lost: 1, duplicates: 2, gaps: 3, conflations: 4, wrongStates: 5 };
  expect(addSequences([one, one])).toEqual({ lost: 2, duplicates: 4, gaps: 6, conflations: 8, wrongStates: 10 });
});

const series = { startMicros: 1000, intervalMicros: 10, count: 3 };
const stampOf = (index: number) => series.startMicros + index * series.intervalMicros;

function counted(deliveries: readonly (readonly [reader: number, index: number])[]) {
  const counts = new SeriesCounts(2, series);
  for (const [reader, index] of deliveries) counts.note(reader, stampOf(index));
  return counts.tally();
}

const ALL = [0, 1].flatMap((reader) => [0, 1, 2].map((index) => [reader, index] as const));

test('what comes once to each reader is neither lost nor doubled, in whatever order', () => {
  expect(counted(ALL)).toEqual({ lost: 0, doubled: 0 });
  expect(counted(ALL.toReversed())).toEqual({ lost: 0, doubled: 0 });
});

test('an update that one reader gets twice does not stand for one that another never gets', () => {
  const oneLost = ALL.filter(([reader, index]) => !(reader === 1 && index === 2));
  expect(counted([...oneLost, [0, 1]])).toEqual({ lost: 1, doubled: 1 });
  expect(counted([...ALL, [0, 0], [0, 0]])).toEqual({ lost: 0, doubled: 2 });
});

const SERIES = { startMicros: 1000, intervalMicros: 100, count: 3 };
const READERS = 2;

test('a lost and a doubled delivery are reported as such, though they make up for each other', async () => {
  const streams: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    response.writeHead(200).write(':\n\n');
    streams.push(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const common = { headers: {}, localAddress: '127.0.0.1', opening: 1, comesBack: false };
  // Its readers are not the first of all.
  const plan = { ...common, readers: READERS, firstReader: 40, port, path: '/' };
  const state = new LoadState();
  state.series = new SeriesCounts(READERS, SERIES);
  const readers = Array.from({ length: READERS }, (_, index) => new PushReader(40 + index, plan, state));
  await openAll(readers, 1);
  const sent = [
    [0, 1, 1],
    [0, 1, 2],
  ];
  sent.forEach((updates, reader) => {
    for (const update of updates) {
      streams[reader]?.write(`data: ${stamp(SERIES.startMicros + update * SERIES.intervalMicros)}\n\n`);
    }
  });
  await eventually(() => expect(state.tally.events).toBe(READERS * SERIES.count));
  expect(state.tally.doubled).toBe(1);
  const told = { ...state.take(), lastIds: {}, cpuMicros: 1, wallMicros: 1, longestLoopLagMicros: 1 };
  expect(told.series).toEqual({ lost: 1, doubled: 1 });
  expect(mergeReports([told, told]).series).toEqual({ lost: 2, doubled: 2 });
  for (const reader of readers) reader.stop();
  server.close();
});

function reportOf(arrivals: readonly (readonly [stamp: number, now: number])[], cpuMicros: number): LoadReport {
  const state = new LoadState();
  for (const [stamp, now] of arrivals) state.arrived(stamp, now);
  return {
    ...state.take(),
    lastIds: { 'e-1': 1 },
    cpuMicros,
    wallMicros: cpuMicros * 10,
    longestLoopLagMicros: cpuMicros,
  };
}

test('what several processes found is added up as if they were one', () => {
  const merged = mergeReports([
    reportOf(
      [
        [100, 130],
        [100, 150],
        [200, 260],
      ],
      7,
    ),
    reportOf([[100, 110]], 5),
  ]);
  expect(merged.tally.events).toBe(4);
  expect(merged.arrivals).toEqual([
    { stamp: 100, first: 110, last: 150, events: 3 },
    { stamp: 200, first: 260, last: 260, events: 1 },
  ]);
  expect(merged.latency.max).toBe(60);
  expect(merged.lastIds).toEqual({ 'e-1': 2 });
  expect([merged.cpuMicros, merged.wallMicros, merged.longestLoopLagMicros]).toEqual([12, 70, 7]);
});

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@ldes-live/test-support/eventually';
import { expect, test } from 'vitest';
import { LoadState } from '../../src/load/load-state.ts';
import { mergeReports } from '../../src/load/merge-reports.ts';
import { openAll } from '../../src/load/open-all.ts';
import { PushReader } from '../../src/load/push-reader.ts';
import { SeriesCounts } from '../../src/load/series-counts.ts';
import { stamp } from '../../src/load/stamp.ts';

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

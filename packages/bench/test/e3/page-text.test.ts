import { expect, test } from 'vitest';
import type { BrowserRun } from '../../src/e3/measure-browser.ts';
import { pageText } from '../../src/e3/page-text.ts';
import type { Transport } from '../../src/e3/transport.ts';
import { LATENCY } from './made-runs.ts';

/** Both pages of a transport at one rate, in two repeats; rows that were behind are of the table, in the first. */
function pagesOf(transport: Transport, offeredPerSecond: number, behind: number): BrowserRun[] {
  return (['table', 'chart'] as const).flatMap((page) =>
    [0, 1].map((repeat) => ({
      page,
      transport,
      batch: offeredPerSecond / 20,
      repeat,
      offeredPerSecond,
      rowsPerSecond: offeredPerSecond,
      rows: offeredPerSecond,
      lost: 0,
      behind: page === 'table' && repeat === 0 ? behind : 0,
      doubled: 0,
      draws: 8,
      longestGapMs: 217,
      p50Micros: 100,
      p99Micros: 1000,
      latency: LATENCY,
      serverShare: 0.1,
      problems: [],
    })),
  );
}

test('pages that fell behind are named, with the rate, beside those that had every row', () => {
  const runs = [
    ...pagesOf('websocket', 20_000, 0),
    ...pagesOf('websocket', 5000, 0),
    ...pagesOf('sse', 5000, 0),
    ...pagesOf('ldes-live', 5000, 250),
    ...pagesOf('ldes-live', 20_000, 1000),
  ];
  expect(pageText(runs)).toEqual([
    'To somebody who looks at a page, drawn five times a second, WebSocket and plain SSE bring far more rows than can be read: every row was there in time at 5,000 and 20,000 rows a second.',
    'Pages fell behind, in so many of their repeats: ldes-live at 5,000 rows a second (table 1 of 2) and at 20,000 rows a second (table 1 of 2).',
  ]);
});

test('where all had every row, or none, nothing is said of the others', () => {
  expect(pageText(pagesOf('sse', 5000, 0))).toEqual([expect.stringContaining('plain SSE brings far more rows')]);
  expect(pageText(pagesOf('sse', 5000, 1))).toEqual([expect.stringMatching(/^Pages fell behind.*plain SSE at 5,000/)]);
  expect(pageText([])).toEqual([]);
});

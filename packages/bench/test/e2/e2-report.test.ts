import { expect, test } from 'vitest';
import { planE2 } from '../../src/e2/e2-plan.ts';
import { findE2 } from '../../src/e2/e2-report.ts';
import type { WayRun } from '../../src/e2/judge-run.ts';
import type { Report } from '../../src/report/report.ts';
import { runOf, usersReport } from './run-of.ts';

const PLAN = planE2({ quick: false, only: [] });

function found(runs: readonly WayRun[]) {
  return findE2(PLAN, runs);
}

/** A row of the table with such a column, by its first cell. */
function rowOf({ sections }: Pick<Report, 'sections'>, column: string, name: string) {
  const table = sections.flatMap(({ tables = [] }) => tables).find(({ columns }) => columns.includes(column));
  const row = table?.rows.find(([first]) => first === name);
  return Object.fromEntries((table?.columns ?? []).map((title, index) => [title, row?.[index]]));
}

const RUNS = [
  runOf('polling-500', usersReport([200, 300], { receivedBytes: 1600, sentBytes: 400, sent: 4 }), 4000),
  runOf('websocket', usersReport([1, 1], { receivedBytes: 300, sentBytes: 100 }), 2000),
  runOf('polling-500', usersReport([100, 200], { receivedBytes: 2400, sentBytes: 400, sent: 6 }), 9000),
  runOf('websocket', usersReport([2, 2], { receivedBytes: 200, sentBytes: 200 }), 3000),
];

test('figures are those of a job, beside the published ones', () => {
  const report = found(RUNS);
  expect(rowOf(report, 'published: received', 'polling every 500 ms')).toMatchObject({
    received: { median: 1000, min: 800, max: 1200, repeats: 2 },
    sent: { median: 200 },
    'requests and messages': { median: 2.5 },
    'published: received': 951,
    'published: sent': 703,
    'published: / WebSocket': 1654 / 288,
  });
  expect(rowOf(report, 'published: all jobs, s', 'polling every 500 ms')).toMatchObject({
    'for a job, ms': { median: 3.25 },
    'for all jobs, s': { median: 0.0065 },
    'published: all jobs, s': '3.29',
    'published: / WebSocket': '4.84',
  });
});

test('both readings of what is published in two ways are shown', () => {
  const report = found([runOf('polling-250', usersReport([1]))]);
  expect(rowOf(report, 'published: all jobs, s', 'polling every 250 ms')).toMatchObject({
    'published: all jobs, s': '13.8 as printed, 1.38 by its nanoseconds',
    'published: / WebSocket': '20.3 as printed, 2.03 by its nanoseconds',
  });
});

test('a ratio is that of two runs of one repeat', () => {
  expect(found(RUNS).ratios).toEqual({
    'bytes of polling every 500 ms / WebSocket': { median: 6, min: 5, max: 7, repeats: 2 },
    'cpu of polling every 500 ms / WebSocket': { median: 2.5, min: 2, max: 3, repeats: 2 },
  });
});

test('ours stand beside polling too, and the two pollings beside each other', () => {
  const runs = [
    runOf('polling-500', usersReport([200], { receivedBytes: 100 })),
    runOf('polling-250', usersReport([100], { receivedBytes: 200 })),
    runOf('live-1', usersReport([5], { receivedBytes: 300 })),
  ];
  const { ratios } = found(runs);
  expect(ratios['bytes of ldes-live, MAL 1 s / polling every 500 ms']?.median).toBe(3);
  expect(ratios['median delay of polling every 500 ms / polling every 250 ms']?.median).toBeCloseTo(2, 1);
});

test('the claims of the publication are answered', () => {
  const text = found(RUNS)
    .sections.flatMap((section) => section.text)
    .join('\n');
  expect(text).toContain('Here he waits, on average, with an interval of 500 ms 200 ms, 40 % of it');
  expect(text).toContain('Polling every 500 ms costs 6 times the bytes of WebSocket; published were 5.74 times.');
  expect(text).toContain('Here it costs 2.50 times.');
});

test('what half an interval is of is told only by jobs of two intervals and more', () => {
  const runs = [runOf('polling-500', usersReport([300])), runOf('polling-250', usersReport([100]))];
  const textOf = (longestMs: number) => findE2({ ...PLAN, longestMs }, runs).sections[0]?.text.join('\n');
  expect(textOf(1000)).toMatch(/interval of 500 ms.*interval of 250 ms/);
  expect(textOf(999)).not.toContain('interval of 500 ms');
  expect(textOf(999)).toContain('interval of 250 ms');
  expect(textOf(300)).not.toContain('half an interval');
});

test('lost and doubled notices are warned of', () => {
  const users = usersReport([1, 2, 3]);
  const [first, second] = users.notices as [never, never];
  const { warnings } = found([runOf('websocket', { ...users, notices: [first, first, second] })]);
  expect(warnings).toEqual([
    'WebSocket: jobs that were not noticed within 11 s, or this and the MAL: 1.',
    'WebSocket: notices of what had been noticed: 1.',
  ]);
});

test('delays of users who were busy with themselves are not told', () => {
  const report = found([runOf('websocket', usersReport([7], { longestLoopLagMicros: 300_000 }))]);
  expect(report.warnings).toHaveLength(1);
  expect(report.warnings[0]).toContain('delays of 0 of 1 repeats count');
  expect(rowOf(report, 'p50', 'WebSocket')).toMatchObject({ p50: undefined, jobs: 1, lost: 0 });
  expect(report.histograms).toEqual({});
  expect(report.sections[0]?.figures?.[0]).toMatchObject({ series: [] });
});

test('delays of the other repeats count', () => {
  const busy = runOf('websocket', usersReport([7], { longestLoopLagMicros: 300_000 }));
  const report = found([busy, runOf('websocket', usersReport([3]))]);
  expect(report.warnings[0]).toContain('delays of 1 of 2 repeats count');
  expect(rowOf(report, 'p50', 'WebSocket')).toMatchObject({ p50: { median: expect.closeTo(3, 0) }, jobs: 2 });
  expect(report.histograms.WebSocket?.max).toBe(3000);
});

test('every delay is in the figure and in the histograms', () => {
  const { sections, histograms } = found([runOf('websocket', usersReport([0, 0.5, 3, 3, 9_999_999]))]);
  const [figure] = sections[0]?.figures ?? [];
  const [series] = figure?.kind === 'density' ? figure.series : [];
  expect(series?.edges).toHaveLength((series?.counts.length ?? 0) + 1);
  expect(series?.counts.reduce((sum, count) => sum + count, 0)).toBe(5);
  expect(histograms.WebSocket?.max).toBe(9_999_999_000);
});

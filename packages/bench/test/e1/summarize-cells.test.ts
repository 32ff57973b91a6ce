import { describe, expect, test } from 'vitest';
import { cellOf } from '../../src/e1/summarize-cells.ts';
import { cellRun, latencyOf, summarized } from './made-up-runs.ts';

function only(runs: Parameters<typeof summarized>[0]) {
  return summarized(runs)[0];
}

test('percentiles are those of each repeat, and the histogram is of all', () => {
  const runs = [10, 20, 40].map((ms, repeat) =>
    cellRun({ way: 'sse-live', clients: 1, repeat }, { latency: latencyOf([ms]) }),
  );
  const { latency } = only(runs) ?? {};
  expect(latency?.p99Ms).toMatchObject({ repeats: 3, min: expect.closeTo(10, 0), max: expect.closeTo(40, 0) });
  expect(latency?.p99Ms?.median).toBeCloseTo(20, 0);
  expect(latency?.histogram.counts.filter((_, index) => index % 2 === 1)).toEqual([1, 1, 1]);
});

test('updates that never came are not under 1 s', () => {
  const run = cellRun({ way: 'sse-live', clients: 4 }, { delivered: 2, lost: 2, latency: latencyOf([10, 2000]) });
  expect(only([run])?.latency?.underOneSecond.median).toBe(0.25);
});

test('the latencies of a load that was busy with itself are refused, and its CPU time is not', () => {
  const cell = only([{ ...cellRun({ way: 'sse-live', clients: 100 }), refusal: 'busy' }]);
  expect(cell).toMatchObject({ refusal: 'busy', cpuPerDelivery: { median: 10 } });
  expect(cell?.latency).toBeUndefined();
});

test('repeats that are fair count where another was refused', () => {
  const runs = [
    { ...cellRun({ way: 'sse-live', clients: 100 }, { latency: latencyOf([9000]) }), refusal: 'busy' },
    cellRun({ way: 'sse-live', clients: 100, repeat: 1 }),
  ];
  expect(only(runs)?.latency).toMatchObject({ p99Ms: { repeats: 1, max: expect.closeTo(10, 0) } });
});

test('what could not be run says why', () => {
  const cell = only([{ way: 'sse-live', clients: 100, repeat: 0, failure: '3 of 100 connections are open' }]);
  expect(cell).toMatchObject({ repeats: 0, failure: '3 of 100 connections are open' });
  expect(cell?.cpuShare).toBeUndefined();
});

test('what is lost and doubled is added up', () => {
  const runs = [0, 1].map((repeat) => cellRun({ way: 'sse-live', clients: 10, repeat }, { lost: 2, doubled: 1 }));
  expect(only(runs)).toMatchObject({ lost: 4, doubled: 2 });
});

test('CPU time is a share of a core by the time from one update to the next', () => {
  const run = cellRun({ way: 'polling-live', clients: 100 }, { updates: 2, serverCpuMicros: 1_000_000 });
  expect(only([run])?.cpuShare?.median).toBeCloseTo(0.1);
});

test('requests are counted for each update and client', () => {
  const run = cellRun({ way: 'polling-live', clients: 100 }, { requests: 210, updates: 2, expected: 200 });
  expect(only([run])?.requestsPerUpdateAndClient?.median).toBeCloseTo(1.05);
});

describe('the MAL is missed', () => {
  test('by updates that came later', () => {
    const run = cellRun({ way: 'mal-5', clients: 4 }, { latency: latencyOf([10, 20, 4000, 5100]) });
    expect(only([run])?.latency?.malMissed?.median).toBe(0.25);
  });

  test('by updates that were passed by, when each had to come', () => {
    const run = cellRun({ way: 'mal-5', clients: 4 }, { delivered: 3, skipped: 1, latency: latencyOf([10, 10, 10]) });
    expect(only([run])?.latency?.malMissed?.median).toBe(0.25);
  });

  test('not by these, when updates follow each other sooner than the MAL', () => {
    const measured = { updates: 10, delivered: 3, skipped: 1, intervalMs: 1000, latency: latencyOf([10, 10, 10]) };
    expect(only([cellRun({ way: 'mal-5', clients: 4 }, measured)])?.latency?.malMissed?.median).toBe(0);
  });
});

test('a cell is found by its way and clients', () => {
  const cells = summarized([100, 1000].map((clients) => cellRun({ way: 'sse-live', clients })));
  expect(cellOf(cells, 'sse-live', 1000)?.clients).toBe(1000);
  expect(cellOf(cells, 'sse-express', 1000)).toBeUndefined();
});

describe('percentiles are of all updates due', () => {
  const cell = (lost: number, skipped: number) =>
    only([
      cellRun(
        { way: 'sse-live', clients: 1000 },
        {
          lost,
          skipped,
          delivered: 1000 - lost - skipped,
          latency: latencyOf(Array.from({ length: 1000 - lost - skipped }, () => 10)),
        },
      ),
    ])?.latency;

  test('so that the 99th is not known with more than 1 % lost or skipped', () => {
    expect(cell(5, 5)?.p99Ms?.median).toBeCloseTo(10, 0);
    expect(cell(6, 5)).not.toHaveProperty('p99Ms');
    expect(cell(6, 5)?.p50Ms?.median).toBeCloseTo(10, 0);
  });

  test('and the median not with more than half', () => {
    expect(cell(500, 0)?.p50Ms?.median).toBeCloseTo(10, 0);
    expect(cell(501, 0)).not.toHaveProperty('p50Ms');
  });

  test('and none of a run in which nothing came', () => {
    const latency = cell(1000, 0);
    expect(latency).toMatchObject({ underOneSecond: { median: 0 } });
    expect(latency).not.toHaveProperty('longestMs');
  });
});

test('what was lost missed the MAL', () => {
  const run = cellRun({ way: 'mal-5', clients: 4 }, { delivered: 3, lost: 1, latency: latencyOf([10, 10, 10]) });
  expect(only([run])?.latency?.malMissed?.median).toBe(0.25);
});

test('what may still come within the MAL did not miss it', () => {
  const missed = (lost: number) =>
    only([
      cellRun(
        { way: 'mal-5', clients: 4 },
        { updates: 10, expected: 40, delivered: 40 - lost, lost, intervalMs: 2500, latency: latencyOf([10]) },
      ),
    ])?.latency?.malMissed?.median;
  const late = (lost: number) => (40 - lost - 1) / 40;
  expect(missed(8)).toBeCloseTo(late(8));
  expect(missed(9)).toBeCloseTo(late(9) + 1 / 40);
});

test('nothing is known of a MAL that lasts as long as all that was measured', () => {
  const missed = (updates: number) =>
    only([cellRun({ way: 'mal-5', clients: 4 }, { updates, expected: 4 * updates, delivered: 0, intervalMs: 2500 })])
      ?.latency?.malMissed;
  expect(missed(2)).toBeUndefined();
  expect(missed(3)).toBeDefined();
});

test('CPU time beside readers in C is not that of the share of a core', () => {
  const cell = only([cellRun({ way: 'sse-live', clients: 100 }, { leanCpuMicros: 4 })]);
  expect(cell).toMatchObject({ cpuPerDelivery: { median: 10 }, leanCpuPerDelivery: { median: 4 } });
});

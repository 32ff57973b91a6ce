/* The arithmetic of figures: spreads, ratios of one round, what is refused, and what is served by the clock. */
import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { type CellRun, cpuPerDelivery, type Measured } from '../src/e1/cell-run.ts';
import { compareSpreads, slopeRange } from '../src/e1/compare-spreads.ts';
import { evenlyServedPerSecond } from '../src/e1/evenly-served.ts';
import { fairP99Ms, pairRatios, servedShare } from '../src/e1/pair-ratios.ts';
import { summarizeCells } from '../src/e1/summarize-cells.ts';
import { waysOf } from '../src/e1/ways.ts';
import { LatencyHistogram } from '../src/load/latency-histogram.ts';
import { MAX_LAG_OF_DELAY, MAX_LOOP_LAG_MICROS, saturation } from '../src/load/saturation.ts';
import { spread } from '../src/spread.ts';

const EVERY_MS = 5000;

function latencyOf(milliseconds: readonly number[]) {
  const histogram = new LatencyHistogram();
  for (const one of milliseconds) histogram.note(one * 1000);
  return histogram.toSparse();
}

const times = <T>(count: number, of: T): T[] => Array.from({ length: count }, () => of);

/** A run in which all went well, but for what is given. */
function cellRun(way: string, clients: number, measured: Partial<Measured> = {}, repeat = 0): CellRun {
  const all = {
    updates: 1,
    intervalMs: EVERY_MS,
    expected: clients,
    delivered: clients,
    skipped: 0,
    lost: 0,
    doubled: 0,
  };
  const costs = { wallMicros: EVERY_MS * 1000, serverCpuMicros: clients * 10, bytes: clients * 5200 };
  const load = { loadShare: 0.1, loadLagMs: 1 };
  return { way, clients, repeat, measured: { ...all, latency: latencyOf([10]), ...costs, ...load, ...measured } };
}

const summary = (...runs: CellRun[]) => summarizeCells(runs, waysOf([5]), [runs[0]?.clients ?? 0], EVERY_MS)[0];

const PAIR = { over: 'sse-live', under: 'sse-express', clients: 100 };
const express = cellRun('sse-express', 100);

test('a ratio is that of two runs of one repeat, and delays of a load that was busy with itself make none', () => {
  const run = (way: string, repeat: number, micros: number) =>
    cellRun(way, 100, { serverCpuMicros: 100 * micros }, repeat);
  const runs = [run('sse-live', 0, 10), run('sse-express', 0, 50), run('sse-live', 1, 20), run('sse-express', 1, 200)];
  const ratio = { median: expect.closeTo(0.15), min: 0.1, max: 0.2, repeats: 2 };
  expect(pairRatios(runs, PAIR, cpuPerDelivery)).toEqual(ratio);
  const busy = [{ ...run('sse-live', 0, 10), refusal: 'busy' }, express];
  expect(pairRatios(busy, PAIR, fairP99Ms)).toBeUndefined();
});

test('a 99th percentile that is not known, and the CPU time of a server that left clients without, make none', () => {
  const late = (lost: number) => cellRun('sse-live', 100, { lost, latency: latencyOf(times(100 - lost, 20)) });
  expect(pairRatios([late(1), express], PAIR, fairP99Ms)?.median).toBeCloseTo(2, 1);
  expect(pairRatios([late(2), express], PAIR, fairP99Ms)).toBeUndefined();
  const short = (lost: number) => [cellRun('sse-live', 100, { lost, delivered: 100 - lost }), express];
  const ratio = (lost: number) => pairRatios(short(lost), PAIR, (measured) => servedShare(measured, 5000))?.median;
  expect([ratio(1), ratio(2)]).toEqual([expect.closeTo(1), undefined]);
});

test('percentiles are those of each repeat, and the histogram is of all', () => {
  const runs = [10, 20, 40].map((ms, repeat) => cellRun('sse-live', 1, { latency: latencyOf([ms]) }, repeat));
  const { latency } = summary(...runs) ?? {};
  expect(latency?.p99Ms).toMatchObject({ repeats: 3, min: expect.closeTo(10, 0), max: expect.closeTo(40, 0) });
  expect(latency?.p99Ms?.median).toBeCloseTo(20, 0);
  expect(latency?.histogram.counts.filter((_, index) => index % 2 === 1)).toEqual([1, 1, 1]);
});

test('updates that never came are not under 1 s, and missed the MAL as those did that came later', () => {
  const lost = cellRun('sse-live', 4, { delivered: 2, lost: 2, latency: latencyOf([10, 2000]) });
  expect(summary(lost)?.latency?.underOneSecond.median).toBe(0.25);
  const missed = (measured: Partial<Measured>) => summary(cellRun('mal-5', 4, measured))?.latency?.malMissed?.median;
  expect(missed({ latency: latencyOf([10, 20, 4000, 5100]) })).toBe(0.25);
  expect(missed({ delivered: 3, lost: 1, latency: latencyOf([10, 10, 10]) })).toBe(0.25);
});

test('percentiles are of all updates due: the 99th is not known with more than 1 % lost or skipped', () => {
  const cell = (lost: number, skipped: number) => {
    const delivered = 1000 - lost - skipped;
    const latency = latencyOf(times(delivered, 10));
    return summary(cellRun('sse-live', 1000, { lost, skipped, delivered, latency }))?.latency;
  };
  expect(cell(5, 5)?.p99Ms?.median).toBeCloseTo(10, 0);
  expect(cell(6, 5)).not.toHaveProperty('p99Ms');
  expect(cell(6, 5)?.p50Ms?.median).toBeCloseTo(10, 0);
});

test('the latencies of a load that was busy with itself are refused, and its CPU time is not', () => {
  const cell = summary({ ...cellRun('sse-live', 100), refusal: 'busy' });
  expect(cell).toMatchObject({ refusal: 'busy', cpuPerDelivery: { median: 10 } });
  expect(cell?.latency).toBeUndefined();
});

test('figures are apart only where the ranges of their repeats do not touch', () => {
  expect(compareSpreads({ min: 1, max: 2 }, { min: 2.1, max: 3 })).toBe('less');
  expect(compareSpreads({ min: 1, max: 2 }, { min: 2, max: 3 })).toBe('undecided');
  expect(compareSpreads({ min: 3.1, max: 4 }, { min: 2, max: 3 })).toBe('more');
});

test('a slope has the range that those of its points leave it', () => {
  const slope = slopeRange([
    { x: 0, y: spread([0, 1, 2]) },
    { x: 10, y: spread([9, 11, 13]) },
  ]);
  expect(slope).toMatchObject({ median: expect.closeTo(1), min: expect.closeTo(0.7), max: expect.closeTo(1.3) });
});

const tenSeconds = 10_000_000;

test.each([
  ['even', times(10, 100), tenSeconds, 100],
  ['even in half a second', times(10, 100), 500_000, 2000],
  // Nine tenths take 10 ms a request, one 40 ms: 13 ms on average.
  ['slow in one tenth', [25, ...times(9, 100)], tenSeconds, 1000 / 13],
  ['without an answer in the first tenths', [0, 0, 300, ...times(7, 100)], tenSeconds, 100],
  ['without an answer in the last tenths', [...times(7, 100), 300, 0, 0], tenSeconds, 100],
])('what is served is %s: by the time that as many requests take', (_, servedInTenths, wallMicros, perSecond) => {
  expect(evenlyServedPerSecond({ servedInTenths, wallMicros })).toBeCloseTo(perSecond);
});

test('what is served evenly is never more than the average, and no less than the slowest stretch', () => {
  check(
    fc.property(fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 10, maxLength: 10 }), (servedInTenths) => {
      const perSecond = evenlyServedPerSecond({ servedInTenths, wallMicros: tenSeconds });
      const average = servedInTenths.reduce((sum, served) => sum + served, 0) / 10;
      expect(perSecond).toBeLessThanOrEqual(average * (1 + 1e-9));
      expect(perSecond).toBeGreaterThanOrEqual(Math.min(...servedInTenths) * (1 - 1e-9));
    }),
  );
});

// A lag that is short beside the delay that is told is borne.
const borne = { p99Micros: 4_000_000, longestLoopLagMicros: MAX_LAG_OF_DELAY * 4_000_000 };

test.each([
  [{}, undefined],
  [{ cpuMicros: 800_000, longestLoopLagMicros: MAX_LOOP_LAG_MICROS }, undefined],
  [{ cpuMicros: 810_000 }, /^the load took 81 % of a core, more than 80 %$/],
  [{ cpuMicros: 950_000, processes: 2 }, /the 2 processes of the load took 95 %/],
  [{ longestLoopLagMicros: 350_000 }, /did not come to read for 350 ms/],
  [borne, undefined],
  [{ ...borne, longestLoopLagMicros: borne.longestLoopLagMicros + 1000 }, /801 ms/],
])('a load that had %j was busy with itself: %s', (found, says) => {
  const load = { cpuMicros: 100_000, wallMicros: 1_000_000, longestLoopLagMicros: 5000, processes: 1, ...found };
  expect(saturation(load)).toEqual(says && expect.stringMatching(says));
});

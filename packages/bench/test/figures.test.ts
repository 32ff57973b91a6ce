import { check, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { readCpuCounts, withheldShare } from '../src/cpu-counts.ts';
import { cpuPerDelivery } from '../src/e1/cell-run.ts';
import { compareSpreads, slopeRange } from '../src/e1/compare-spreads.ts';
import { evenlyServedPerSecond } from '../src/e1/evenly-served.ts';
import { fairP99Ms, pairRatios, servedShare } from '../src/e1/pair-ratios.ts';
import { MAX_LAG_OF_DELAY, MAX_LOOP_LAG_MICROS, saturation } from '../src/load/saturation.ts';
import { spread } from '../src/spread.ts';
import { cellRun, latencyOf } from './made-up-runs.ts';

test('a spread has the middle, the least and the greatest of what was measured', () => {
  expect(spread([3, 1, 2])).toEqual({ median: 2, min: 1, max: 3, repeats: 3 });
  expect(spread([4, 1, 2, 3])).toEqual({ median: 2.5, min: 1, max: 4, repeats: 4 });
  expect(spread([7])).toEqual({ median: 7, min: 7, max: 7, repeats: 1 });
});

const PAIR = { over: 'sse-live', under: 'sse-express', clients: 100 };

function run(way: string, repeat: number, micros: number) {
  return cellRun({ way, clients: 100, repeat }, { serverCpuMicros: 100 * micros });
}

test('a ratio is that of two runs of one repeat', () => {
  const runs = [run('sse-live', 0, 10), run('sse-express', 0, 50), run('sse-live', 1, 20), run('sse-express', 1, 200)];
  expect(pairRatios(runs, PAIR, cpuPerDelivery)).toEqual({
    median: expect.closeTo(0.15),
    min: 0.1,
    max: 0.2,
    repeats: 2,
  });
});

test('delays of a load that was busy with itself make none', () => {
  const runs = [{ ...run('sse-live', 0, 10), refusal: 'busy' }, run('sse-express', 0, 10)];
  expect(pairRatios(runs, PAIR, fairP99Ms)).toBeUndefined();
});

test('a 99th percentile that is not known makes none', () => {
  const pair = (lost: number) => [
    cellRun(
      { way: 'sse-live', clients: 100 },
      { lost, latency: latencyOf(Array.from({ length: 100 - lost }, () => 20)) },
    ),
    cellRun({ way: 'sse-express', clients: 100 }),
  ];
  expect(pairRatios(pair(1), PAIR, fairP99Ms)?.median).toBeCloseTo(2, 1);
  expect(pairRatios(pair(2), PAIR, fairP99Ms)).toBeUndefined();
});

test('the CPU time of a server that left clients without makes none', () => {
  const pair = (lost: number) => [
    cellRun({ way: 'sse-live', clients: 100 }, { lost, delivered: 100 - lost }),
    cellRun({ way: 'sse-express', clients: 100 }),
  ];
  const ratio = (lost: number) => pairRatios(pair(lost), PAIR, (measured) => servedShare(measured, 5000))?.median;
  expect(ratio(1)).toBeCloseTo(1);
  expect(ratio(2)).toBeUndefined();
});

test('figures are apart only where the ranges of their repeats do not touch', () => {
  expect(compareSpreads({ min: 1, max: 2 }, { min: 2.1, max: 3 })).toBe('less');
  expect(compareSpreads({ min: 1, max: 2 }, { min: 2, max: 3 })).toBe('undecided');
  expect(compareSpreads({ min: 3.1, max: 4 }, { min: 2, max: 3 })).toBe('more');
});

test('a slope has the range that those of its points leave it', () => {
  const { median, min, max } = slopeRange([
    { x: 0, y: spread([0, 1, 2]) },
    { x: 10, y: spread([9, 11, 13]) },
  ]);
  expect([median, min, max]).toEqual([expect.closeTo(1), expect.closeTo(0.7), expect.closeTo(1.3)]);
});

const tenSeconds = 10_000_000;
const steady = [100, 100, 100, 100, 100, 100, 100, 100, 100, 100];

test('what is served evenly is served as much by the clock', () => {
  expect(evenlyServedPerSecond({ servedInTenths: steady, wallMicros: tenSeconds })).toBeCloseTo(100);
  expect(evenlyServedPerSecond({ servedInTenths: steady, wallMicros: 500_000 })).toBeCloseTo(2000);
});

test('a slow tenth counts by the time that as many requests take in it', () => {
  // Nine tenths take 10 ms a request, one 40 ms: 13 ms on average.
  const servedInTenths = [25, ...steady.slice(1)];
  expect(evenlyServedPerSecond({ servedInTenths, wallMicros: tenSeconds })).toBeCloseTo(1000 / 13);
});

test('tenths without an answer are one with the next, and at the end with the one before', () => {
  const [before, after] = [
    [0, 0, 300, ...steady.slice(3)],
    [...steady.slice(3), 300, 0, 0],
  ];
  expect(evenlyServedPerSecond({ servedInTenths: before, wallMicros: tenSeconds })).toBeCloseTo(100);
  expect(evenlyServedPerSecond({ servedInTenths: after, wallMicros: tenSeconds })).toBeCloseTo(100);
});

test('it is never more than the average, and no less than the slowest stretch', () => {
  check(
    fc.property(fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 10, maxLength: 10 }), (servedInTenths) => {
      const perSecond = evenlyServedPerSecond({ servedInTenths, wallMicros: tenSeconds });
      const average = servedInTenths.reduce((sum, served) => sum + served, 0) / 10;
      expect(perSecond).toBeLessThanOrEqual(average * (1 + 1e-9));
      expect(perSecond).toBeGreaterThanOrEqual(Math.min(...servedInTenths) * (1 - 1e-9));
    }),
  );
});

test('what was wanted is all but idleness, and what was withheld is a part of it', () => {
  const stat = 'cpu  100 1 50 9000 800 2 3 40 0 0\ncpu0 50 0 25 4500 400 1 1 20 0 0\n';
  expect(readCpuCounts(stat)).toEqual({ wanted: 196, withheld: 40 });
});

test.each(['', 'intr 5', 'cpu  1 2 3'])('"%s" tells nothing', (stat) => {
  expect(readCpuCounts(stat)).toBeUndefined();
});

test('the share is that of the time between', () => {
  expect(withheldShare({ wanted: 100, withheld: 50 }, { wanted: 200, withheld: 60 })).toBe(0.1);
  expect(withheldShare({ wanted: 100, withheld: 50 }, { wanted: 100, withheld: 50 })).toBe(0);
});

const idle = { cpuMicros: 100_000, wallMicros: 1_000_000, longestLoopLagMicros: 5000, processes: 1 };

test('a load that had time left is not what was measured', () => {
  expect(saturation(idle)).toBeUndefined();
  expect(saturation({ ...idle, cpuMicros: 800_000, longestLoopLagMicros: MAX_LOOP_LAG_MICROS })).toBeUndefined();
});

test('a load that took most of its core, or did not come to read, says so', () => {
  expect(saturation({ ...idle, cpuMicros: 810_000 })).toBe('the load took 81 % of a core, more than 80 %');
  expect(saturation({ ...idle, cpuMicros: 950_000, processes: 2 })).toContain('the 2 processes of the load took 95 %');
  expect(saturation({ ...idle, longestLoopLagMicros: 350_000 })).toContain('did not come to read for 350 ms');
});

test('a lag that is short beside the delay that is told is borne, one a little longer is not', () => {
  const p99Micros = 4_000_000;
  const longestLoopLagMicros = MAX_LAG_OF_DELAY * p99Micros;
  expect(saturation({ ...idle, longestLoopLagMicros, p99Micros })).toBeUndefined();
  expect(saturation({ ...idle, longestLoopLagMicros: longestLoopLagMicros + 1000, p99Micros })).toContain('801 ms');
});

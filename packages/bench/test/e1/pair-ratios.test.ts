import { expect, test } from 'vitest';
import { cpuPerDelivery } from '../../src/e1/cell-run.ts';
import { fairP99Ms, pairRatios, servedShare } from '../../src/e1/pair-ratios.ts';
import { cellRun, latencyOf } from './made-up-runs.ts';

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

test('a repeat without its pair is left out', () => {
  const runs = [run('sse-live', 0, 10), run('sse-live', 1, 20), run('sse-express', 1, 40)];
  expect(pairRatios(runs, PAIR, cpuPerDelivery)).toMatchObject({ median: 0.5, repeats: 1 });
});

test('there is none without a pair', () => {
  expect(pairRatios([run('sse-live', 0, 10)], PAIR, cpuPerDelivery)).toBeUndefined();
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

import { expect, test } from 'vitest';
import { lagWarnings, lossWarnings, slowLoadWarnings } from '../../src/e1/e1-report.ts';
import { pushedCounts } from '../../src/e1/measure-sse.ts';
import { cellRun, latencyOf, summarized } from './made-up-runs.ts';

test('cells of which more than 1 % was lost or skipped are named', () => {
  const warnings = (lost: number) =>
    lossWarnings(summarized([cellRun({ way: 'sse-live', clients: 1000 }, { lost, skipped: 5 })]));
  expect(warnings(5)).toEqual([]);
  expect(warnings(6)).toEqual([expect.stringContaining('SSE, ldes-live, 1,000 clients (1.10 %)')]);
});

test('cells beside whose delay the load was away for long are named', () => {
  const warnings = (loadLagMs: number) =>
    lagWarnings(summarized([cellRun({ way: 'sse-live', clients: 100 }, { loadLagMs, latency: latencyOf([100]) })]));
  expect(warnings(9.9)).toEqual([]);
  expect(warnings(10.1)).toEqual([expect.stringContaining('SSE, ldes-live, 100 clients: the load')]);
});

test('cells whose load takes longer for an update than the server are named', () => {
  const warnings = (loadShare: number, way = 'sse-c') =>
    slowLoadWarnings(
      summarized([cellRun({ way, clients: 1000 }, { loadShare, wallMicros: 100_000, serverCpuMicros: 8000 })]),
    );
  expect(warnings(0.079)).toEqual([]);
  expect(warnings(0.081)).toEqual([expect.stringMatching(/SSE, C loop, 1,000 clients: 8\.10 µs .* 8 of the server/)]);
  // Who polls is not all told at once.
  expect(warnings(0.081, 'polling-live')).toEqual([]);
});

test('what came twice to one reader does not hide what another never had', () => {
  expect(pushedCounts(10, { lost: 1, doubled: 1 })).toEqual({
    expected: 10,
    delivered: 9,
    skipped: 0,
    lost: 1,
    doubled: 1,
  });
  expect(() => pushedCounts(10, undefined)).toThrow('did not count');
});

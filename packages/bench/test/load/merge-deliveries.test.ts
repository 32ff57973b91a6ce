import { expect, test } from 'vitest';
import type { PeerRun } from '../../src/fanout/measure-peers.ts';
import { LatencyHistogram } from '../../src/load/latency-histogram.ts';
import { mergeDeliveries } from '../../src/load/merge-deliveries.ts';
import { emptySequenceTally } from '../../src/load/sequence-check.ts';

function runOf(latencies: readonly number[], serverCpuMicros: number): PeerRun {
  const latency = new LatencyHistogram();
  for (const one of latencies) latency.note(one);
  return {
    updates: 1,
    expected: latencies.length,
    events: latencies.length,
    lost: 1,
    doubled: 2,
    longestLoopLagMicros: 5,
    bytesPerDelivery: 10,
    serverCpuMicros,
    loadCpuMicros: 1,
    loadShare: 0.25,
    p50Ms: 0,
    p99Ms: 0,
    longestMs: 0,
    spreadMs: serverCpuMicros,
    histogram: latency.toSparse(),
    sequence: { ...emptySequenceTally(), lost: 1 },
  };
}

test('percentiles are those of all deliveries, and costs those of the average delivery', () => {
  const merged = mergeDeliveries([runOf([1000, 1000, 1000], 4), runOf([200_000], 8)]);
  expect(merged.p50Ms).toBeCloseTo(1, 1);
  expect(merged.longestMs).toBe(200);
  expect(merged).toMatchObject({
    events: 4,
    expected: 4,
    lost: 2,
    doubled: 4,
    serverCpuMicros: 5,
    loadShare: 0.5,
    spreadMs: 8,
  });
  expect(merged.sequence.lost).toBe(2);
  expect(merged.residentBytesPerConnection).toBeUndefined();
});

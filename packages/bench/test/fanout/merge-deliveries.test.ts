import { expect, test } from 'vitest';
import { LatencyHistogram } from '../../src/fanout/latency-histogram.ts';
import type { PeerRun } from '../../src/fanout/measure-peers.ts';
import { mergeDeliveries } from '../../src/fanout/merge-deliveries.ts';
import { emptySequenceTally } from '../../src/fanout/sequence-check.ts';

function runOf(latencies: readonly number[], serverCpuMicros: number): PeerRun {
  const latency = new LatencyHistogram();
  for (const one of latencies) latency.note(one);
  return {
    updates: 1,
    expected: latencies.length,
    events: latencies.length,
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
  expect(merged).toMatchObject({ events: 4, expected: 4, serverCpuMicros: 5, loadShare: 0.5, spreadMs: 8 });
  expect(merged.sequence.lost).toBe(2);
  expect(merged.residentBytesPerConnection).toBeUndefined();
});

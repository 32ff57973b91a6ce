import type { PeerRun } from '../fanout/measure-peers.ts';
import { LatencyHistogram } from './latency-histogram.ts';
import { addSequences } from './sequence-check.ts';

/** What servers did that shared the clients, as if they were one; at least one. */
export function mergeDeliveries(runs: readonly PeerRun[]): PeerRun {
  const latency = new LatencyHistogram();
  for (const { histogram } of runs) latency.add(histogram);
  const sum = (figure: (run: PeerRun) => number) => runs.reduce((total, run) => total + figure(run), 0);
  const events = sum((run) => run.events);
  const perEvent = (figure: (run: PeerRun) => number) => sum((run) => figure(run) * run.events) / events;
  const resident = runs.every(({ residentBytesPerConnection }) => residentBytesPerConnection !== undefined);
  return {
    updates: (runs[0] as PeerRun).updates,
    expected: sum((run) => run.expected),
    events,
    lost: sum((run) => run.lost),
    doubled: sum((run) => run.doubled),
    bytesPerDelivery: perEvent((run) => run.bytesPerDelivery),
    serverCpuMicros: perEvent((run) => run.serverCpuMicros),
    loadCpuMicros: perEvent((run) => run.loadCpuMicros),
    loadShare: sum((run) => run.loadShare),
    longestLoopLagMicros: Math.max(...runs.map((run) => run.longestLoopLagMicros)),
    p50Ms: latency.percentile(0.5) / 1000,
    p99Ms: latency.percentile(0.99) / 1000,
    longestMs: latency.max / 1000,
    spreadMs: Math.max(...runs.map((run) => run.spreadMs)),
    histogram: latency.toSparse(),
    sequence: addSequences(runs.map(({ sequence }) => sequence)),
    ...(resident && { residentBytesPerConnection: perEvent((run) => run.residentBytesPerConnection ?? 0) }),
  };
}

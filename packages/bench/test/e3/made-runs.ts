import type { FixedRun } from '../../src/e3/measure-fixed.ts';
import type { MostRun, Step } from '../../src/e3/measure-most.ts';
import type { Transport } from '../../src/e3/transport.ts';

/** A histogram of thirteen delays. */
export const LATENCY = { max: 500, counts: [10, 3] };

/** A step of 10 connections that was kept up with, but for what is said otherwise. */
export function step(transport: Transport, level: number, rowsPerSecond: number, more: Partial<Step> = {}): Step {
  return {
    transport,
    level,
    connections: 10,
    batch: level,
    intervalMs: 1,
    offeredPerSecond: level * 10_000,
    rowsPerSecond,
    rows: rowsPerSecond,
    lost: 0,
    behind: 0,
    doubled: 0,
    bytesPerRow: 130,
    p50Micros: 100,
    p99Micros: 1000,
    serverShare: 0.3,
    clientShare: 0.9,
    serverCpuMicros: 300_000,
    clientCpuMicros: 900_000,
    isKeptUp: true,
    ...more,
  };
}

/** A run that kept up with half of the most rows that came. */
export function run(transport: Transport, repeat: number, rowsPerSecond: number): MostRun {
  const best = { ...step(transport, 10, rowsPerSecond / 2), latency: LATENCY };
  const { latency: _, ...first } = best;
  return { transport, repeat, steps: [first, step(transport, 20, rowsPerSecond, { isKeptUp: false })], best };
}

/** A run of test II, 100 batches of 50 rows a second, that kept up with so many connections; with none at 0. */
export function connectionsRun(transport: Transport, repeat: number, kept: number, clientShare = 0.2): MostRun {
  const at = (level: number, isKeptUp: boolean) =>
    step(transport, level, level * 5000, { connections: level, batch: 50, intervalMs: 10, clientShare, isKeptUp });
  const failed = at(kept + 1, false);
  if (kept === 0) return { transport, repeat, steps: [failed] };
  const best = at(kept, true);
  return { transport, repeat, steps: [best, failed], best: { ...best, latency: LATENCY } };
}

/** A run of test III: 20 batches a second of as many rows as make 100,000 at all connections. */
export function fixedRun(transport: Transport, connections: number, more: Partial<FixedRun> = {}): FixedRun {
  const { level: _, ...common } = step(transport, 0, 100_000);
  const shape = { connections, batch: 5000 / connections, intervalMs: 50, offeredPerSecond: 100_000 };
  return { ...common, ...shape, latency: LATENCY, repeat: 0, ...more };
}

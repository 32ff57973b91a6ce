import type { CellRun, Measured } from '../src/e1/cell-run.ts';
import type { RequestRound } from '../src/e1/request-loop.ts';
import { type CellSummary, summarizeCells } from '../src/e1/summarize-cells.ts';
import { waysOf } from '../src/e1/ways.ts';
import { type LatencyCounts, LatencyHistogram } from '../src/load/latency-histogram.ts';

const EVERY_MS = 5000;

/** A histogram of these latencies, milliseconds. */
export function latencyOf(milliseconds: readonly number[]): LatencyCounts {
  const histogram = new LatencyHistogram();
  for (const one of milliseconds) histogram.note(one * 1000);
  return histogram.toSparse();
}

/** A run in which all went well, but for what is given. */
export function cellRun(
  run: Omit<CellRun, 'repeat' | 'measured'> & { readonly repeat?: number },
  measured: Partial<Measured> = {},
): CellRun {
  const { clients } = run;
  return {
    repeat: 0,
    ...run,
    measured: {
      updates: 1,
      intervalMs: EVERY_MS,
      expected: clients,
      delivered: clients,
      skipped: 0,
      lost: 0,
      doubled: 0,
      latency: latencyOf([10]),
      wallMicros: EVERY_MS * 1000,
      serverCpuMicros: clients * 10,
      bytes: clients * 5200,
      loadShare: 0.1,
      loadLagMs: 1,
      ...measured,
    },
  };
}

/** The summaries of runs. */
export function summarized(runs: readonly CellRun[]): readonly CellSummary[] {
  const sizes = [...new Set(runs.map(({ clients }) => clients))].sort((left, right) => left - right);
  return summarizeCells(runs, waysOf([5]), sizes, EVERY_MS);
}

/** A round of requests of a load that was not busy with itself, one second long. */
export function round(asked: number, served: number, responseMs = 1): RequestRound {
  return {
    asked,
    served,
    late: 0,
    failed: 0,
    cpuMicros: 300_000,
    wallMicros: 1_000_000,
    longestLoopLagMicros: 1000,
    servedInTenths: Array.from({ length: 10 }, () => served / 10),
    responseTime: latencyOf([responseMs]),
    processes: 1,
  };
}

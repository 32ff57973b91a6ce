import { LatencyHistogram } from '../load/latency-histogram.ts';
import { type Spread, spread } from '../spread.ts';
import type { JobWay } from './job-way.ts';
import type { WayRun } from './judge-run.ts';

/** What the repeats of a way came to. */
export interface WaySummary {
  readonly way: JobWay;
  /** One of each repeat, in their order. */
  readonly runs: readonly WayRun[];
  /** Bytes of a job. */
  readonly receivedBytes: Spread;
  readonly sentBytes: Spread;
  /** Requests and messages of a job. */
  readonly sent: Spread;
  /** CPU time of the server, for a job and for all of them. */
  readonly cpuMsPerJob: Spread;
  readonly cpuSeconds: Spread;
  /** Absent where they are those of the users' process, or where nobody noticed anything. */
  readonly delays?: DelaySummary;
  /** All repeats together. */
  readonly histogram: LatencyHistogram;
}

/** From completion to notice, milliseconds. */
interface DelaySummary {
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  readonly longestMs: Spread;
  readonly meanMs: Spread;
}

/** Sums up the runs of a way, of which there is one at least. */
export function summarizeWay(way: JobWay, runs: readonly WayRun[]): WaySummary {
  const of = (figure: (run: WayRun) => number) => spread(runs.map(figure));
  const histogram = new LatencyHistogram();
  for (const run of runs) histogram.add(histogramOf(run).toSparse());
  const isMeasured = runs.every(({ saturated, delaysMicros }) => saturated === undefined && delaysMicros.length > 0);
  return {
    way,
    runs,
    receivedBytes: of(({ receivedBytes, jobs }) => receivedBytes / jobs),
    sentBytes: of(({ sentBytes, jobs }) => sentBytes / jobs),
    sent: of(({ sent, jobs }) => sent / jobs),
    cpuMsPerJob: of(({ serverCpuMicros, jobs }) => serverCpuMicros / 1000 / jobs),
    cpuSeconds: of(({ serverCpuMicros }) => serverCpuMicros / 1e6),
    ...(isMeasured && { delays: summarizeDelays(runs) }),
    histogram,
  };
}

/**
 * A figure of one way in parts of that of another one, of runs of one repeat each time.
 *
 * @returns undefined where nothing can be compared
 */
export function ratioOf(
  of: WaySummary | undefined,
  beside: WaySummary | undefined,
  figure: (run: WayRun) => number,
): Spread | undefined {
  const ratios = (of?.runs ?? []).flatMap((run, repeat) => {
    const other = beside?.runs[repeat];
    return other && figure(other) > 0 ? [figure(run) / figure(other)] : [];
  });
  return ratios.length > 0 ? spread(ratios) : undefined;
}

/** Bytes of all jobs, both directions. */
export function bytesOf({ receivedBytes, sentBytes }: WayRun): number {
  return receivedBytes + sentBytes;
}

export function cpuOf({ serverCpuMicros }: WayRun): number {
  return serverCpuMicros;
}

/** The median delay, microseconds. */
export function medianDelayOf(run: WayRun): number {
  return histogramOf(run).percentile(0.5);
}

function summarizeDelays(runs: readonly WayRun[]): DelaySummary {
  const histograms = runs.map(histogramOf);
  const ms = (figure: (histogram: LatencyHistogram) => number) =>
    spread(histograms.map((histogram) => figure(histogram) / 1000));
  return {
    p50Ms: ms((histogram) => histogram.percentile(0.5)),
    p99Ms: ms((histogram) => histogram.percentile(0.99)),
    longestMs: ms(({ max }) => max),
    meanMs: spread(
      runs.map(
        ({ delaysMicros }) => delaysMicros.reduce((sum, micros) => sum + micros, 0) / delaysMicros.length / 1000,
      ),
    ),
  };
}

function histogramOf({ delaysMicros }: WayRun): LatencyHistogram {
  const histogram = new LatencyHistogram();
  for (const micros of delaysMicros) histogram.note(micros);
  return histogram;
}

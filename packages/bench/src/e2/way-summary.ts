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
  /** The runs whose delays are those of the way: not of the users' process, and of notices. */
  readonly timed: readonly WayRun[];
  /** Of those; absent where there are none. */
  readonly delays?: DelaySummary;
  /** Of all of those together. */
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
  const timed = runs.filter(isTimed);
  for (const run of timed) histogram.add(histogramOf(run).toSparse());
  return {
    way,
    runs,
    receivedBytes: of(({ receivedBytes, jobs }) => receivedBytes / jobs),
    sentBytes: of(({ sentBytes, jobs }) => sentBytes / jobs),
    sent: of(({ sent, jobs }) => sent / jobs),
    cpuMsPerJob: of(({ serverCpuMicros, jobs }) => serverCpuMicros / 1000 / jobs),
    cpuSeconds: of(({ serverCpuMicros }) => serverCpuMicros / 1e6),
    timed,
    ...(timed.length > 0 && { delays: summarizeDelays(timed) }),
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
  figure: (run: WayRun) => number | undefined,
): Spread | undefined {
  const ratios = (of?.runs ?? []).flatMap((run, repeat) => {
    const other = beside?.runs[repeat];
    const [over, under] = [figure(run), other && figure(other)];
    return over !== undefined && under ? [over / under] : [];
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

/** The median delay, microseconds; `undefined` where it is not that of the way. */
export function medianDelayOf(run: WayRun): number | undefined {
  return isTimed(run) ? histogramOf(run).percentile(0.5) : undefined;
}

/** Whether delays are those of the way, and of all its jobs: one that was never noticed would be the latest of them. */
function isTimed({ saturated, lost, delaysMicros }: WayRun): boolean {
  return saturated === undefined && lost === 0 && delaysMicros.length > 0;
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

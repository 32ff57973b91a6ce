import { type LatencyCounts, LatencyHistogram, latencyBuckets } from '../load/latency-histogram.ts';

/** How many of all values a histogram counted are below a limit, microseconds. */
export function countBelow(latency: LatencyCounts, limitMicros: number): number {
  return latencyBuckets(latency).reduce((sum, { greatest, count }) => sum + (greatest < limitMicros ? count : 0), 0);
}

/** A percentile of what a histogram counted, milliseconds. */
export function percentileMs(latency: LatencyCounts, share: number): number {
  const histogram = new LatencyHistogram();
  histogram.add(latency);
  return histogram.percentile(share) / 1000;
}

/** What of a run its percentiles are of: what came, and how many updates never did. */
export interface Arrived {
  readonly latency: LatencyCounts;
  readonly lost: number;
  readonly skipped: number;
}

/**
 * A percentile of all updates that were due, milliseconds: what was lost or skipped is later than all that came, so that it is
 * `undefined` where the percentile is one of these.
 */
export function duePercentileMs(share: number, { latency, lost, skipped }: Arrived): number | undefined {
  const buckets = latencyBuckets(latency);
  const came = buckets.reduce((sum, { count }) => sum + count, 0);
  const rank = Math.ceil((came + lost + skipped) * share);
  let seen = 0;
  for (const { greatest, count } of buckets) {
    seen += count;
    if (seen >= rank) return Math.min(latency.max, greatest) / 1000;
  }
  return undefined;
}

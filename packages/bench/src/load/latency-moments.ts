import { type LatencyCounts, latencyBuckets } from './latency-histogram.ts';

/** Mean and standard deviation of what a histogram counted, microseconds; of nothing both are 0. */
export interface LatencyMoments {
  readonly mean: number;
  /** Of the values themselves: the root of the mean square of their distances from the mean. */
  readonly standardDeviation: number;
}

/** The moments of a histogram, each value taken for the middle of its counter: within 0.5 % of it. */
export function latencyMoments(latency: LatencyCounts): LatencyMoments {
  const buckets = latencyBuckets(latency).map(({ least, greatest, count }) => ({
    value: (least + greatest) / 2,
    count,
  }));
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return { mean: 0, standardDeviation: 0 };
  const mean = buckets.reduce((sum, { value, count }) => sum + value * count, 0) / total;
  const squares = buckets.reduce((sum, { value, count }) => sum + (value - mean) ** 2 * count, 0);
  return { mean, standardDeviation: Math.sqrt(squares / total) };
}

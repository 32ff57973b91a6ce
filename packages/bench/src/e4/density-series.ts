import { type LatencyCounts, latencyBuckets } from '../load/latency-histogram.ts';
import type { DensitySeries } from '../report/figure.ts';

const BINS_PER_DECADE = 20;
/** Where the first bin begins, milliseconds: what is less is counted in it. */
const FIRST_MS = 0.1;

/** A histogram in bins of equal width on a logarithmic axis of milliseconds. */
export function densitySeries(name: string, latency: LatencyCounts): DensitySeries {
  const counts: number[] = [];
  for (const { least, greatest, count } of latencyBuckets(latency)) {
    const bin = Math.max(0, Math.floor(Math.log10((least + greatest) / 2000 / FIRST_MS) * BINS_PER_DECADE));
    while (counts.length <= bin) counts.push(0);
    counts[bin] = (counts[bin] as number) + count;
  }
  const edges = Array.from({ length: counts.length + 1 }, (_, bin) => FIRST_MS * 10 ** (bin / BINS_PER_DECADE));
  return { name, edges, counts };
}

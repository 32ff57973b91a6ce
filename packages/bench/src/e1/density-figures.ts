import { type LatencyCounts, latencyBuckets } from '../load/latency-histogram.ts';
import type { DensityFigure, DensitySeries } from '../report/figure.ts';
import { numberText } from '../report/number-text.ts';
import { MOST_MISSING } from './cell-run.ts';
import type { CellSummary } from './summarize-cells.ts';

const BINS_PER_DECADE = 15;
const MICROS_PER_MS = 1000;

/**
 * How late updates were, a line for each number of clients.
 *
 * @param wayId - of the way whose cells are drawn
 */
export function densityFigure(
  cells: readonly CellSummary[],
  wayId: string,
  { id, title }: { readonly id: string; readonly title: string },
): DensityFigure | undefined {
  const series = cells.flatMap((cell) =>
    cell.way.id === wayId && cell.latency && cell.latency.histogram.counts.length > 0
      ? [densitySeries(seriesName(cell), cell.latency.histogram)]
      : [],
  );
  if (series.length === 0) return undefined;
  return {
    kind: 'density',
    id,
    title,
    x: { label: 'Latency on the client, ms', scale: 'log' },
    y: { label: 'Density, for each factor of ten' },
    series,
  };
}

/** With how much came, where that is not nearly all: a line has the same area whatever is missing from it. */
function seriesName({ clients, missingShare }: CellSummary): string {
  const missing = missingShare?.median ?? 0;
  const came = missing > MOST_MISSING ? ` (${numberText(Math.round((1 - missing) * 100))} % came)` : '';
  return `${clients.toLocaleString('en-GB')} clients${came}`;
}

/** A histogram in bins that are as wide as each other on a logarithmic axis; what a counter spans, its bins share. */
function densitySeries(name: string, latency: LatencyCounts): DensitySeries {
  const buckets = latencyBuckets(latency);
  const [least, greatest] = [buckets[0]?.least ?? 0, buckets.at(-1)?.greatest ?? 0];
  const bin = (micros: number) => Math.floor(Math.log10(Math.max(1, micros) / MICROS_PER_MS) * BINS_PER_DECADE);
  const [first, last] = [bin(least), bin(greatest)];
  const counts = new Array<number>(last - first + 1).fill(0);
  for (const bucket of buckets) {
    const middle = Math.sqrt(Math.max(1, bucket.least) * Math.max(1, bucket.greatest));
    const index = Math.min(last, Math.max(first, bin(middle))) - first;
    counts[index] = (counts[index] ?? 0) + bucket.count;
  }
  const edges = Array.from({ length: counts.length + 1 }, (_, index) => 10 ** ((first + index) / BINS_PER_DECADE));
  return { name, edges, counts };
}

import type { DensityFigure } from '../report/figure.ts';
import type { WaySummary } from './way-summary.ts';

const LEAST_MS = 0.1;
const BINS_PER_DECADE = 12;
const DECADES = 6;

/** How the delays of all ways are distributed, on an axis that shows a millisecond and ten seconds. */
export function delayFigure(summaries: readonly WaySummary[]): DensityFigure {
  const edges = Array.from(
    { length: BINS_PER_DECADE * DECADES + 1 },
    (_, index) => LEAST_MS * 10 ** (index / BINS_PER_DECADE),
  );
  return {
    id: 'e2-delay',
    title: 'Delay from completion to notice',
    kind: 'density',
    x: { label: 'delay, ms', scale: 'log' },
    y: { label: 'density, for each factor of ten' },
    series: summaries.flatMap(({ way, timed, delays }) =>
      delays ? [{ name: way.label, edges, counts: countsOf(timed.flatMap(({ delaysMicros }) => delaysMicros)) }] : [],
    ),
  };
}

/** What is below or above the axis counts as at its end. */
function countsOf(delaysMicros: readonly number[]): readonly number[] {
  const counts = Array.from({ length: BINS_PER_DECADE * DECADES }, () => 0);
  for (const micros of delaysMicros) {
    const bin = Math.floor(Math.log10(Math.max(micros, 1) / 1000 / LEAST_MS) * BINS_PER_DECADE);
    const within = Math.min(Math.max(bin, 0), counts.length - 1);
    counts[within] = (counts[within] as number) + 1;
  }
  return counts;
}

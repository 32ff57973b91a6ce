import type { Axis, DensitySeries } from './figure.ts';
import { isShown } from './figure-scale.ts';

/** A point of a line, in units of the axes. */
export type PlotPoint = readonly [x: number, y: number];

/** More have no room to be seen one by one: neighbours are then taken together. */
const MOST_BINS = 150;
/** Fewer are drawn as the steps that they are. */
const FEWEST_FOR_LINE = 12;
const EQUAL = 1e-6;

interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/**
 * The line of a histogram over an axis, with an area of 1 below it as it is drawn: on a logarithmic axis, a density for
 * each factor of ten. Many bins of equal width are joined at their middles, others are steps. What the axis cannot show, such
 * as a bin that begins at 0 on a logarithmic one, is left out, and missing in the area.
 *
 * @returns no points where nothing was counted
 */
export function densityLine({ edges, counts }: DensitySeries, axis: Axis): readonly PlotPoint[] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const bins = trimmed(binsOf(edges, counts, axis));
  if (total === 0 || bins.length === 0) return [];
  const widthOf = ({ from, to }: Bin) => (axis.scale === 'log' ? Math.log10(to) - Math.log10(from) : to - from);
  const isEven = areEqual(bins.map(widthOf));
  const seen = isEven ? merged(bins, axis) : bins;
  const heights = seen.map((bin) => bin.count / total / widthOf(bin));
  const filled = seen.filter(({ count }) => count > 0).length;
  return isEven && filled >= FEWEST_FOR_LINE ? joined(seen, heights, axis) : stepped(seen, heights);
}

function binsOf(edges: readonly number[], counts: readonly number[], axis: Axis): readonly Bin[] {
  return counts
    .map((count, index) => ({ from: edges[index] as number, to: edges[index + 1] as number, count }))
    .filter(({ from, to }) => isShown(axis, from) && isShown(axis, to) && to > from);
}

/** Without what is empty at both ends. */
function trimmed(bins: readonly Bin[]): readonly Bin[] {
  const first = bins.findIndex(({ count }) => count > 0);
  return first < 0 ? [] : bins.slice(first, bins.findLastIndex(({ count }) => count > 0) + 1);
}

function areEqual(widths: readonly number[]): boolean {
  const greatest = Math.max(...widths);
  return greatest - Math.min(...widths) <= EQUAL * greatest;
}

/** Neighbours taken together, the last of them with empty bins where there are too few. */
function merged(bins: readonly Bin[], { scale }: Axis): readonly Bin[] {
  const together = Math.ceil(bins.length / MOST_BINS);
  return Array.from({ length: Math.ceil(bins.length / together) }, (_, index): Bin => {
    const group = bins.slice(index * together, (index + 1) * together);
    const { from, to } = group[0] as Bin;
    const end = scale === 'log' ? from * (to / from) ** together : from + (to - from) * together;
    return { from, to: end, count: group.reduce((sum, { count }) => sum + count, 0) };
  });
}

function stepped(bins: readonly Bin[], heights: readonly number[]): readonly PlotPoint[] {
  const steps = bins.flatMap(({ from, to }, index): PlotPoint[] => {
    const height = heights[index] as number;
    return [
      [from, height],
      [to, height],
    ];
  });
  return [[(bins[0] as Bin).from, 0], ...steps, [(bins.at(-1) as Bin).to, 0]];
}

/** From middle to middle, and level in the outer halves of the first and the last bin: the area of the steps. */
function joined(bins: readonly Bin[], heights: readonly number[], { scale }: Axis): readonly PlotPoint[] {
  const middles = bins.map(({ from, to }) => (scale === 'log' ? Math.sqrt(from * to) : (from + to) / 2));
  const { from } = bins[0] as Bin;
  const { to } = bins.at(-1) as Bin;
  return [
    [from, 0],
    [from, heights[0] as number],
    ...middles.map((middle, index): PlotPoint => [middle, heights[index] as number]),
    [to, heights.at(-1) as number],
    [to, 0],
  ];
}

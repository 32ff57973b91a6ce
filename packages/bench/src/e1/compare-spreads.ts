import type { Spread } from '../spread.ts';

/** How a figure is to another: `undecided` where the ranges of their repeats overlap. */
export type Comparison = 'less' | 'more' | 'undecided';

type Range = Pick<Spread, 'min' | 'max'>;

/** How a figure is to another by all of their repeats. */
export function compareSpreads(left: Range, right: Range): Comparison {
  if (left.max < right.min) return 'less';
  return left.min > right.max ? 'more' : 'undecided';
}

/** Likewise, where a figure that is not known, since too much was lost or skipped, is more than any that is. */
export function compareDelays(left: Range | undefined, right: Range | undefined): Comparison {
  if (left && right) return compareSpreads(left, right);
  if (!left && !right) return 'undecided';
  return left ? 'less' : 'more';
}

/** A point of a line, with the range of its repeats. */
export interface RangePoint {
  readonly x: number;
  readonly y: Spread;
}

/**
 * How steep the straight line is that is nearest to all points by least squares: through the medians, and the least and the most
 * that it can be within their ranges.
 *
 * @param points - of at least two x
 */
export function slopeRange(points: readonly RangePoint[]): Pick<Spread, 'median' | 'min' | 'max'> {
  const middle = points.reduce((sum, { x }) => sum + x, 0) / points.length;
  const square = points.reduce((sum, { x }) => sum + (x - middle) ** 2, 0);
  const slope = (below: keyof Range | 'median', above: keyof Range | 'median') =>
    points.reduce((sum, { x, y }) => sum + ((x - middle) / square) * y[x < middle ? below : above], 0);
  return { median: slope('median', 'median'), min: slope('max', 'min'), max: slope('min', 'max') };
}

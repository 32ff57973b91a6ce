import type { TimeWindowOptions } from '../view-options.ts';

/** Where time windows lie: the window `k`, any integer, opens at `originMs + k * stepMs` and is `rangeMs` long. */
export interface WindowGrid {
  readonly rangeMs: number;
  readonly stepMs: number;
  readonly originMs: number;
}

/**
 * The windows that options ask for, to the millisecond.
 *
 * @param malMs - the MAL in milliseconds: the default of `step`, at most `range`
 */
export function windowGrid(options: TimeWindowOptions, malMs: number): WindowGrid {
  const { range, step = Math.min(malMs / 1000, range), originMs = 0 } = options;
  return { rangeMs: wholeMs(range), stepMs: wholeMs(step), originMs };
}

/** When a window opens: the first instant in it, epoch milliseconds. */
export function openOf(grid: WindowGrid, index: number): number {
  return grid.originMs + index * grid.stepMs;
}

/** When a window closes: the first instant after it, epoch milliseconds. */
export function closeOf(grid: WindowGrid, index: number): number {
  return openOf(grid, index) + grid.rangeMs;
}

/** The first window that closes after an instant: of those that the instant lies in, the first, if there are any. */
export function firstClosingAfter(grid: WindowGrid, instantMs: number): number {
  return Math.floor((instantMs - grid.originMs - grid.rangeMs) / grid.stepMs) + 1;
}

/** The last window that is open at an instant or was before. */
export function lastOpenedBy(grid: WindowGrid, instantMs: number): number {
  return Math.floor((instantMs - grid.originMs) / grid.stepMs);
}

function wholeMs(seconds: number): number {
  return Math.max(1, Math.round(seconds * 1000));
}

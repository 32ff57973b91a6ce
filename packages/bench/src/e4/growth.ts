/** At which rates to look for the largest one that is kept: a grid on which each doubling has as many steps. */
export interface GrowthPlan {
  /** The first rate that is tried, a second. */
  readonly firstRate: number;
  /** No rate above it is tried, a second. */
  readonly limitRate: number;
  /** Steps of the grid for each doubling: a power of 2. */
  readonly stepsPerDoubling: number;
}

/** A rate that was tried, by its place on the grid, and whether it was kept. */
export interface GrowthStep {
  readonly place: number;
  readonly isKept: boolean;
}

/** The rate at a place of the grid, a second: one whose interval is whole microseconds. */
export function rateAt({ firstRate, stepsPerDoubling }: GrowthPlan, place: number): number {
  return 1e6 / Math.round(1e6 / (firstRate * 2 ** (place / stepsPerDoubling)));
}

/** How often the first rate is halved while it is not kept. */
const HALVINGS = 3;

/**
 * The place of the grid to try next; `undefined` when the largest rate that is kept is known to a step of the grid, or even
 * an eighth of the first one was not.
 *
 * Rates double until one is not kept, or halve until one is; then it is half-way between the two.
 */
export function nextPlace(plan: GrowthPlan, steps: readonly GrowthStep[]): number | undefined {
  const { stepsPerDoubling, limitRate } = plan;
  if (steps.length === 0) return 0;
  const kept = largestKept(steps);
  const failed = leastFailed(steps);
  if (kept === undefined) return failed > -HALVINGS * stepsPerDoubling ? failed - stepsPerDoubling : undefined;
  if (failed === Number.POSITIVE_INFINITY) {
    const doubled = kept + stepsPerDoubling;
    return rateAt(plan, doubled) <= limitRate ? doubled : undefined;
  }
  return failed - kept > 1 ? Math.floor((kept + failed) / 2) : undefined;
}

/** The place of the largest rate that was kept below all that were not; `undefined` where none was. */
export function largestKept(steps: readonly GrowthStep[]): number | undefined {
  const failed = leastFailed(steps);
  const kept = steps.filter(({ place, isKept }) => isKept && place < failed).map(({ place }) => place);
  return kept.length === 0 ? undefined : Math.max(...kept);
}

function leastFailed(steps: readonly GrowthStep[]): number {
  return Math.min(...steps.filter(({ isKept }) => !isKept).map(({ place }) => place));
}

import type { Schedule } from './schedule.ts';

/**
 * When the next update comes, seen from one instant: `predicted` at an instant to come, `overdue` when
 * that instant has passed, `unknown` when there is nothing to predict from.
 */
export type NextUpdate =
  | { readonly state: 'predicted'; readonly atMs: number }
  | { readonly state: 'overdue' }
  | { readonly state: 'unknown' };

/**
 * Predicts the next update.
 *
 * @param nowMs - the present, epoch milliseconds on the schedule's clock
 * @see specs/mal.md MAL-1
 */
export function nextUpdate(schedule: Schedule, nowMs: number): NextUpdate {
  if (schedule.kind === 'unknown') return { state: 'unknown' };
  // Not the next multiple of the interval: a late update may come at any moment, and a header that
  // reached past it would hide it.
  return schedule.nextMs > nowMs ? { state: 'predicted', atMs: schedule.nextMs } : { state: 'overdue' };
}

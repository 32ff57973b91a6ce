import { judgeRound, type Round } from './round.ts';

/** Between which rates repeats do not agree, a second: what differs there is noise, and no limit. */
export interface UnsteadyLimit {
  /** The least that was not kept. */
  readonly leastFailed: number;
  /** The greatest that was kept, which is above it. */
  readonly greatestKept: number;
}

/**
 * Whether some repeat kept a higher rate than another one, or itself, did not keep.
 *
 * @param rounds - of all repeats
 * @returns `undefined` where every rate that was kept is below, or the same as, all that were not
 */
export function unsteadyLimitOf(rounds: readonly Round[]): UnsteadyLimit | undefined {
  const ratesOf = (isKept: boolean) =>
    rounds.filter((round) => (judgeRound(round) === 'kept') === isKept).map(({ perSecond }) => perSecond);
  const [leastFailed, greatestKept] = [Math.min(...ratesOf(false)), Math.max(...ratesOf(true))];
  return greatestKept > leastFailed ? { leastFailed, greatestKept } : undefined;
}

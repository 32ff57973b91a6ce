import { groupUpdates, type Update } from './group-updates.ts';
import { middle, middleDeviation } from './middle.ts';
import { regularIntervals, withoutMisses } from './regular-intervals.ts';
import { usualIntervalMs } from './usual-interval.ts';

/** How many of the last commits a rhythm is learned from at most. */
export const LEARNED_COMMITS = 64;

/** The least share of the updates of a regular stream that come no earlier than was learned from those before. */
export const LEARNED_SHARE = 0.95;

/** The rhythm in which a stream has been updated of late. */
export interface Rhythm {
  /** Time between two updates, milliseconds: the usual one nearest to `medianMs`, which stays from update to update. */
  readonly intervalMs: number;
  /** The middle one of the intervals, updates that were missed filled in, milliseconds. */
  readonly medianMs: number;
  /** By how much the middle one of them differs from that (MAD), milliseconds. */
  readonly spreadMs: number;
  /** How soon after the start of an update the next one may start, milliseconds: a low estimate. */
  readonly soonestMs: number;
  /** For how long after its start an update may get further commits, milliseconds; 0 where none did. */
  readonly burstMs: number;
  /** When the last update started, epoch milliseconds. */
  readonly updateMs: number;
  /** When the last commit was, epoch milliseconds. */
  readonly commitMs: number;
}

/** How many of the newest intervals {@link Rhythm.soonestMs} stays below: an update that comes early counts at once. */
const NEWEST_INTERVALS = 8;
/** Of how many intervals one may be shorter, if it is none of the newest: one early update is no rule for ever. */
const INTERVALS_OF_AN_EXCEPTION = 24;
/** By how much of the spread the next interval may be shorter than any before. */
const MARGIN_SPREADS = 0.5;
/** By how much longer than any before the next update may take. */
const BURST_MARGIN = 1.5;

/**
 * Learns the rhythm of a stream from the times of its last commits; `undefined` where they are too few or
 * irregular. Pure.
 *
 * @param commitTimesMs - publication times, epoch milliseconds, ascending; the last {@link LEARNED_COMMITS} count
 * @see specs/mal.md MAL-25 to MAL-28
 */
export function learnRhythm(commitTimesMs: readonly number[]): Rhythm | undefined {
  const updates = groupUpdates(commitTimesMs.slice(-LEARNED_COMMITS));
  const intervals = regularIntervals(
    updates.slice(1).map(({ startMs }, index) => startMs - (updates[index] as Update).startMs),
  );
  if (intervals.length === 0) return undefined;
  const { startMs: updateMs, endMs: commitMs } = updates.at(-1) as Update;
  const filled = withoutMisses(intervals);
  const medianMs = middle(filled);
  const spreadMs = middleDeviation(filled);
  const soonestMs = Math.floor(shortest(intervals) - MARGIN_SPREADS * spreadMs);
  const burstMs = Math.ceil(BURST_MARGIN * Math.max(...updates.map(({ startMs, endMs }) => endMs - startMs)));
  // Where the next update may start before this one has ended, nothing can be told apart.
  if (soonestMs <= burstMs) return undefined;
  return { intervalMs: usualIntervalMs(medianMs), medianMs, spreadMs, soonestMs, burstMs, updateMs, commitMs };
}

/** The shortest interval, but for one old exception. */
function shortest(intervalsMs: readonly number[]): number {
  const ascending = [...intervalsMs].sort((left, right) => left - right);
  const exceptions = intervalsMs.length >= INTERVALS_OF_AN_EXCEPTION ? 1 : 0;
  return Math.min(ascending[exceptions] as number, ...intervalsMs.slice(-NEWEST_INTERVALS));
}

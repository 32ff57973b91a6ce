import { learnRhythm, type Rhythm } from './learn-rhythm.ts';
import type { Schedule } from './schedule.ts';

/**
 * Learns from the last commits of a stream when the next update comes: at a low estimate, so that what is kept until
 * then hides no update that comes a little early. Pure.
 *
 * @param commitTimesMs - publication times, epoch milliseconds, ascending; the last `LEARNED_COMMITS` count
 * @param nowMs - the present, epoch milliseconds on the same clock
 * @see specs/mal.md MAL-25 to MAL-30
 * @example
 * ```ts
 * const minutes = Array.from({ length: 20 }, (_, minute) => minute * 60_000);
 * learnSchedule(minutes, 19 * 60_000); // { kind: 'interval', intervalMs: 60_000, nextMs: 1_200_000 }
 * ```
 */
export function learnSchedule(commitTimesMs: readonly number[], nowMs: number): Schedule {
  return scheduleOfRhythm(learnRhythm(commitTimesMs), nowMs);
}

/**
 * The schedule that follows from a rhythm that was learned. Pure.
 *
 * @param nowMs - the present, epoch milliseconds
 * @see specs/mal.md MAL-29, MAL-30
 */
export function scheduleOfRhythm(rhythm: Rhythm | undefined, nowMs: number): Schedule {
  if (!rhythm) return { kind: 'unknown' };
  const { intervalMs, updateMs, commitMs, soonestMs, burstMs } = rhythm;
  // A commit to come says that a clock was set back: how far off the next one is by this clock, nothing tells.
  if (nowMs < commitMs) return { kind: 'interval', intervalMs, nextMs: nowMs };
  // An update that may get further commits is due already, as it were: a later instant would hide them.
  const isComplete = nowMs >= updateMs + burstMs;
  return { kind: 'interval', intervalMs, nextMs: isComplete ? updateMs + soonestMs : commitMs };
}

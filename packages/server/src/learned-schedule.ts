import { LEARNED_COMMITS, learnRhythm, type Rhythm, type Schedule, scheduleOfRhythm } from '@ldes-live/latency';
import type { ReadableLog } from '@ldes-live/log';
import { lastCommitTimes } from './last-commit-times.ts';

/** A schedule that is learned from a log, for a stream whose sources tell none. */
export interface LearnedSchedule {
  /** When the next update is expected, as of now; it is learned anew after each commit, when it is next asked for. */
  readonly schedule: () => Schedule;
  /** Learns no more. */
  close(): void;
}

/**
 * Learns the schedule of a stream from its log alone, so that every server over the same log states the same, and a
 * server that starts again goes on as before; but for commits that retention erased meanwhile, which only a server that
 * saw them remembers.
 *
 * @param clock - epoch milliseconds
 * @throws {@link StreamError} those of `ReadableLog.read` and `ReadableLog.subscribe`
 * @see specs/mal.md MAL-25, MAL-32
 */
export async function startLearnedSchedule(log: ReadableLog, clock: () => number): Promise<LearnedSchedule> {
  let timesMs: number[] = [];
  let rhythm: Rhythm | undefined;
  let isLearned = false;
  const end = log.subscribe(({ time }) => {
    timesMs.push(Date.parse(time));
    // Cut seldom, so that a commit costs no copy of the others.
    if (timesMs.length >= 2 * LEARNED_COMMITS) timesMs = timesMs.slice(-LEARNED_COMMITS);
    isLearned = false;
  });
  try {
    const stored = await lastCommitTimes(log, LEARNED_COMMITS);
    // Commits that came meanwhile may have been read too; times strictly increase from commit to commit.
    timesMs = [...stored, ...timesMs.filter((timeMs) => timeMs > (stored.at(-1) ?? Number.NEGATIVE_INFINITY))];
  } catch (error) {
    end();
    throw error;
  }
  return {
    schedule: () => {
      if (!isLearned) rhythm = learnRhythm(timesMs);
      isLearned = true;
      return scheduleOfRhythm(rhythm, clock());
    },
    close: end,
  };
}

import { LEARNED_COMMITS, type Schedule, ScheduleEstimator } from '@ldes-live/latency';
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
  const estimator = new ScheduleEstimator();
  const end = log.subscribe(({ time }) => estimator.add(Date.parse(time)));
  try {
    // Commits that came meanwhile may have been read too; times strictly increase from commit to commit.
    estimator.seed(await lastCommitTimes(log, LEARNED_COMMITS));
  } catch (error) {
    end();
    throw error;
  }
  return { schedule: () => estimator.schedule(clock()), close: end };
}

import { seededRandom } from '../seeded-random.ts';

/**
 * How long each job of each user takes, milliseconds: whole numbers from 0 to the longest, the same for the same seed, so
 * that every way has the same jobs.
 *
 * @param longestMs - that a job may take
 */
export function jobDurations(
  { users, jobs, longestMs }: { readonly users: number; readonly jobs: number; readonly longestMs: number },
  seed: number,
): readonly (readonly number[])[] {
  const random = seededRandom(seed);
  return Array.from({ length: users }, () => Array.from({ length: jobs }, () => Math.round(random() * longestMs)));
}

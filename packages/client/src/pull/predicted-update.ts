import type { DocumentHead } from '../http/document.ts';

/** What expiry is rounded to, milliseconds. */
const EXPIRY_STEP_MS = 1_000;
/** How many intervals away an update may be. */
const DUE_INTERVALS = 1.5;
/** How far away an update may be where nothing else tells how long a document is good for, milliseconds: an hour. */
const LONGEST_PREDICTION_MS = 3_600_000;
/** How long after it was asked for a document may have been made, milliseconds. */
const LONGEST_READ_MS = 1_000;

/**
 * When a document predicts the next update, epoch milliseconds by our clock: no later than what the header says without
 * any clock, so that a wrong `Date` puts no request off for long.
 *
 * @see specs/mal.md MAL-44, MAL-81
 */
export function predictedMs(
  { nextUpdateMs, sentMs, maxAgeMs }: DocumentHead,
  clockOffsetMs: number,
  intervalMs: number | undefined,
): number | undefined {
  if (nextUpdateMs === undefined) return undefined;
  // `max-age` is rounded down, and counted from when the document was made.
  const keptMs = maxAgeMs === undefined ? Number.POSITIVE_INFINITY : maxAgeMs + EXPIRY_STEP_MS;
  const dueMs = intervalMs === undefined ? Number.POSITIVE_INFINITY : intervalMs * DUE_INTERVALS;
  const toldMs = Math.min(keptMs, dueMs);
  const awayMs = Number.isFinite(toldMs) ? toldMs : LONGEST_PREDICTION_MS;
  return Math.min(nextUpdateMs - clockOffsetMs, sentMs + awayMs + LONGEST_READ_MS);
}

/**
 * How much older than its request a document may be, milliseconds. A cache that replays header fields keeps its age to
 * itself: it is as old as it may be kept at most.
 *
 * @see specs/mal.md MAL-50
 */
export function hiddenAgeMs({ ageMs, maxAgeMs = 0 }: DocumentHead): number {
  // Expiry is in whole seconds, and a cache may round it up.
  return ageMs > 0 ? ageMs : maxAgeMs + Math.min(maxAgeMs, EXPIRY_STEP_MS);
}

/** What the time between two requests of a polling client follows from. */
export interface PollRoom {
  /** The maximum acceptable latency, milliseconds, above 0. */
  readonly malMs: number;
  /** How long a read may take, from the request to the last byte processed, milliseconds. */
  readonly readMs: number;
  /**
   * How much older than the request an answer may be without a prediction to tell, milliseconds: its `Age`, or how
   * long a cache on the way may replay a document with the header fields it came with.
   *
   * @defaultValue 0
   */
  readonly hiddenAgeMs?: number;
}

/** Two requests of one client are never planned closer than this, milliseconds. */
export const MIN_POLL_GAP_MS = 100;

/** Periods are whole multiples of this share of the MAL. */
const PERIOD_STEP = 1 / 16;

/**
 * The longest time between two requests that a MAL allows, in milliseconds: what it leaves beside a read, never
 * below {@link MIN_POLL_GAP_MS}. Pure.
 *
 * It is rounded down to a sixteenth of the MAL, so that it stays while reads take now a little longer, now a little
 * shorter: clients that share a MAL share a period too, and the instants they have chosen stay apart.
 *
 * @see specs/mal.md MAL-41
 */
export function pollPeriodMs({ malMs, readMs, hiddenAgeMs = 0 }: PollRoom): number {
  const slackMs = malMs - readMs - hiddenAgeMs;
  const stepMs = malMs * PERIOD_STEP;
  // Less than a step is not rounded away: a bound that can be kept comes before a period that stays.
  const roundedMs = slackMs < stepMs ? slackMs : Math.floor(slackMs / stepMs) * stepMs;
  return Math.max(MIN_POLL_GAP_MS, roundedMs);
}

const POLLS_OF_A_RESTART = 3;

/** What is known of the times that a feed states. */
export interface HeaderClock {
  /** The time of the last poll that counted, epoch milliseconds; absent when none stated one. */
  readonly newestMs?: number;
  /** The polls since then whose times were before it, as long as they increase among themselves. */
  readonly back?: { readonly polls: number; readonly lastMs: number };
}

/** Whether a poll counts by its time, and what is known afterwards. */
export interface HeaderClockVerdict {
  readonly counts: boolean;
  readonly clock: HeaderClock;
}

/**
 * Judges the time that a feed states of itself. Pure.
 *
 * A time before that of the last poll that counted is what a machine that lags behind says, so the newer
 * state is kept. When three polls in a row say so and their own times increase, the
 * producer has set its clock back. A poll without a time always counts.
 *
 * @see specs/gtfs-realtime.md GTFS-40
 */
export function judgeHeaderTime(clock: HeaderClock, headerMs: number | undefined): HeaderClockVerdict {
  const { newestMs, back } = clock;
  if (headerMs === undefined) return { counts: true, clock: newestMs === undefined ? {} : { newestMs } };
  if (newestMs === undefined || headerMs >= newestMs) return { counts: true, clock: { newestMs: headerMs } };
  // The same time again says nothing: a feed may well be polled twice within one of its seconds.
  if (back?.lastMs === headerMs) return { counts: false, clock };
  const polls = back && headerMs > back.lastMs ? back.polls + 1 : 1;
  return polls >= POLLS_OF_A_RESTART
    ? { counts: true, clock: { newestMs: headerMs } }
    : { counts: false, clock: { newestMs, back: { polls, lastMs: headerMs } } };
}

/** What is known of a push connection when it is asked whether it still brings what is published. */
export interface DoubtCircumstances {
  /** The predicted next update, epoch milliseconds; absent where nothing is predicted. */
  readonly nextUpdateMs?: number;
  /** The stream's update interval, milliseconds, if known. */
  readonly intervalMs?: number;
  /** The maximum acceptable latency, milliseconds, above 0. */
  readonly malMs: number;
  /** How late updates have come lately, milliseconds. */
  readonly deliveryMs: number;
  /**
   * When the stream was last heard of, epoch milliseconds: an event, or the answer to a check. A heartbeat does not
   * count: it shows that the line is open, not that what is published gets onto it.
   */
  readonly heardAtMs: number;
  /**
   * The client's place among all others, in [0, 1), so that not all check at once.
   *
   * @defaultValue 0
   */
  readonly phase?: number;
  /**
   * How many checks in a row have found nothing: each doubles the patience.
   *
   * @defaultValue 0
   */
  readonly vainChecks?: number;
}

/**
 * How late an update is before it is missed, as a share of the interval.
 *
 * Only streams whose intervals deviate by a quarter at most are predicted at all (MAL-26), and predicted low (MAL-29):
 * an update that is half an interval late is later than nearly all. Less, and every source that is a little late
 * would make its push clients poll.
 */
export const DOUBT_SHARE = 1 / 2;

/** The patience is doubled at most so often: in vain, a connection is checked every 17 to 33 intervals in the end. */
export const MOST_DOUBT_DOUBLINGS = 5;

/**
 * When a push connection that should have brought an update deserves to be checked by one request, whole
 * epoch milliseconds; `undefined` where nothing is due. Pure.
 *
 * No sooner than the MAL after the update was due: what has not come by then has broken the promise or was not
 * published, and only the other way can tell which. And no sooner than an interval after the stream was last heard
 * of, so that there is one check an interval at most, whatever is predicted.
 *
 * @see specs/mal.md MAL-36
 */
export function doubtAtMs(circumstances: DoubtCircumstances): number | undefined {
  const { nextUpdateMs, malMs, deliveryMs, heardAtMs, phase = 0, vainChecks = 0 } = circumstances;
  // What was heard after the update was due has answered for it.
  if (nextUpdateMs === undefined || nextUpdateMs <= heardAtMs) return undefined;
  const intervalMs = circumstances.intervalMs ?? nextUpdateMs - heardAtMs;
  const patienceMs = Math.max(malMs, intervalMs * DOUBT_SHARE) * 2 ** Math.min(vainChecks, MOST_DOUBT_DOUBLINGS);
  // Up to a whole millisecond, as timers count: a sum of fractions may round to just below the interval.
  return Math.ceil(Math.max(nextUpdateMs + deliveryMs + patienceMs * (1 + phase), heardAtMs + intervalMs));
}

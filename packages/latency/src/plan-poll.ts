/** What is known when a client has read everything there was and plans its next request. */
export interface PollCircumstances {
  /** When the state that was read was current at the origin, epoch milliseconds. */
  readonly readAtMs: number;
  /** The predicted next update; absent when it is unknown or overdue. Same clock as `readAtMs`. */
  readonly nextUpdateMs?: number;
  /** The stream's update interval, milliseconds, if known. */
  readonly intervalMs?: number;
  /** The maximum acceptable latency, milliseconds, above 0. */
  readonly malMs: number;
  /** How long a read may take, from the request to the last byte processed, milliseconds. */
  readonly readMs: number;
  /** This client's place among all others, in [0, 1): fixed for its life, so that clients do not clump. */
  readonly phase: number;
}

/** A planned request. */
export interface PollPlan {
  /** When to ask, epoch milliseconds on the clock of `readAtMs`. */
  readonly atMs: number;
  /** How late the oldest update that this request can find may be when it has been read, milliseconds. */
  readonly lagBoundMs: number;
}

/** Two requests of one client are never planned closer than this, milliseconds. */
export const MIN_POLL_GAP_MS = 100;

/**
 * Plans the next request of a polling client: as late as its MAL allows, at a phase of its own.
 *
 * An update that nobody has read cannot be older than the predicted one, so the request may wait for the
 * prediction and then for the slack that the MAL leaves. Requests are spread over the last interval of
 * that slack: with a slack shorter than the interval, each update is asked for once; with a longer one,
 * several updates are read at once. The peak of N clients is N / min(slack, interval) requests a second.
 *
 * @see specs/mal.md MAL-8
 */
export function planPoll(circumstances: PollCircumstances): PollPlan {
  const { readAtMs, nextUpdateMs, intervalMs, malMs, readMs, phase } = circumstances;
  const slackMs = Math.max(0, malMs - readMs);
  // Nothing newer than what was read can be older than this instant.
  const oldestMs = Math.max(readAtMs, nextUpdateMs ?? readAtMs);
  const spreadMs = nextUpdateMs === undefined ? slackMs * UNPREDICTED_SPREAD : Math.min(slackMs, intervalMs ?? slackMs);
  const atMs = Math.max(oldestMs + slackMs - spreadMs + phase * spreadMs, readAtMs + MIN_POLL_GAP_MS);
  return { atMs, lagBoundMs: atMs - oldestMs + readMs };
}

// Without a prediction every client asks about once per MAL, from an instant of its own: there is no
// common expiry to spread around, only the same rhythm to leave.
const UNPREDICTED_SPREAD = 0.25;

// When a polling client asks next: as late as its MAL allows, at a phase of its own (specs/mal.md).
// Pure; times are milliseconds, and instants epoch milliseconds on one clock.
//
//   period = MAL - read time - hidden age, rounded down to a sixteenth of the MAL
//   period < interval:  once for each update, at predicted + phase * period
//   else:               at instants (phase + n) * period, which depend on nobody's start: no stampede after an outage
//
//   planPoll({ malMs: 4000, readMs: 400, readAtMs: 100_000, nextUpdateMs: 103_000, intervalMs: 5000, phase: 0.5 })
//   -> { atMs: 104_750, lagBoundMs: 2150 }     the period is 3500 ms: 14 sixteenths of the MAL

interface PollBudget {
  /** The maximum acceptable latency, above 0. */
  readonly malMs: number;
  /** How long a read may take, from the request to the last byte processed. */
  readonly readMs: number;
  /**
   * How much older than the request an answer may be without a prediction to tell: its `Age`, or how long a cache on
   * the way may replay a document with the header fields it came with. 0 where absent.
   */
  readonly hiddenAgeMs?: number;
}

/** What is known when a client has read everything there was and plans its next request. */
export interface PollOptions extends PollBudget {
  /** When what was read was asked for. It was current then, but for `hiddenAgeMs`. */
  readonly readAtMs: number;
  /**
   * The next update as what was read predicts it; absent when it is unknown or overdue. It may have passed, where a
   * cache keeps what has expired. What passed before the copy can have been made, by `hiddenAgeMs`, predicts nothing.
   */
  readonly nextUpdateMs?: number | undefined;
  /** The stream's update interval, if known. */
  readonly intervalMs?: number | undefined;
  /** Where this client is among all others, in [0, 1): fixed for its life, so that clients do not clump. */
  readonly phase: number;
}

export interface PollPlan {
  /** When to ask. */
  readonly atMs: number;
  /** How late the oldest update that this request can find may be when it has been read. */
  readonly lagBoundMs: number;
}

/**
 * Plans the next request of a polling client (MAL-8, MAL-81).
 * An update that nobody has read cannot be older than the predicted one: the request waits for that, and then for a
 * part of the period. Where nothing is predicted, or the period is no shorter than the interval, instants depend on
 * neither start nor reads. So many clients ask evenly over time, even after an outage that ended for all at once.
 */
export function planPoll(options: PollOptions): PollPlan {
  const { malMs, readMs, readAtMs, intervalMs = Number.POSITIVE_INFINITY, phase } = options;
  const { nextUpdateMs = Number.NEGATIVE_INFINITY, hiddenAgeMs: copyAgeMs = 0 } = options;
  const isPredicted = nextUpdateMs > readAtMs - copyAgeMs;
  // Whatever its age, a copy that predicts an update holds all that came before it.
  const hiddenAgeMs = isPredicted ? 0 : copyAgeMs;
  const oldestUnreadMs = isPredicted ? nextUpdateMs : readAtMs;
  const periodMs = pollPeriodMs({ malMs, readMs, hiddenAgeMs });
  const minMs = readAtMs + MIN_POLL_GAP_MS;
  const phasedMs =
    oldestUnreadMs > readAtMs && periodMs < intervalMs
      ? oldestUnreadMs + phase * periodMs
      : nextOfLattice(Math.max(oldestUnreadMs, minMs), periodMs, phase);
  // A phased instant so soon after the last request that it has to be passed over must not cost the MAL.
  const atMs = Math.max(minMs, Math.min(phasedMs, oldestUnreadMs + periodMs));
  return { atMs, lagBoundMs: atMs - oldestUnreadMs + hiddenAgeMs + readMs };
}

function nextOfLattice(fromMs: number, periodMs: number, phase: number): number {
  const count = Math.ceil(fromMs / periodMs - phase);
  return Math.max(fromMs, (phase + count) * periodMs);
}

/** Two requests of one client are never planned closer than this. */
export const MIN_POLL_GAP_MS = 100;

// Periods are multiples of this share of the MAL, so that they stay while reads take a little longer or shorter:
// clients that share a MAL share a period too, and the instants they have chosen stay apart.
const PERIOD_STEP = 1 / 16;

/** The longest time between two requests that a MAL allows. */
export function pollPeriodMs({ malMs, readMs, hiddenAgeMs = 0 }: PollBudget): number {
  const slackMs = malMs - readMs - hiddenAgeMs;
  const stepMs = malMs * PERIOD_STEP;
  // Less than a step is not rounded away: a bound that can be met comes before a period that stays.
  const roundedMs = slackMs < stepMs ? slackMs : Math.floor(slackMs / stepMs) * stepMs;
  return Math.max(MIN_POLL_GAP_MS, roundedMs);
}

/** The smallest lag bound that polling can meet, whatever the MAL (MAL-37). */
export function pullLagBound({ readMs, hiddenAgeMs = 0 }: Omit<PollBudget, 'malMs'>): number {
  return MIN_POLL_GAP_MS + readMs + hiddenAgeMs;
}

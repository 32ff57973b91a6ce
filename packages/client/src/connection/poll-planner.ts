import {
  MIN_POLL_GAP_MS,
  type PollPlan,
  planPoll,
  pullLagBound,
  quantile,
  type SampleWindow,
  withSample,
} from '@ldes-live/latency';
import type { DocumentHead } from '../http/document.ts';

/** The share of the MAL that is kept back for timers and servers that are a little late. */
const SAFETY_SHARE = 0.1;
/**
 * The most of the MAL that a read counts for when a request is planned. The clients of a server that has become slow would
 * else ask it the more often, the slower it is.
 */
export const LONGEST_READ_SHARE = 0.5;
/** The most that is kept back, milliseconds. */
const LONGEST_SAFETY_MS = 1_000;

/**
 * Which of the last reads count: not the very slowest of them. One slow answer, as when a server is just overwhelmed, would
 * else have all its clients ask more often for a long time.
 */
const READ_QUANTILE = 0.95;

/** The newest document that was read, and what it is planned by. */
interface Basis {
  readonly head: DocumentHead;
  readonly statedIntervalMs: number | undefined;
  readonly clockOffsetMs: number;
}

/** Plans the requests of those who follow a stream by pull from what their reads have shown. */
export class PollPlanner {
  /** The plan in force; `undefined` before the first. */
  plan: PollPlan | undefined;
  readonly #phase: number;
  #malMs = Number.POSITIVE_INFINITY;
  #reads: SampleWindow = [];
  #learnedIntervalMs: number | undefined;
  #lastNextUpdateMs: number | undefined;
  #basis: Basis | undefined;
  #distanceMs = 0;

  /** @param phase - the client's place among all others, in [0, 1) */
  constructor(phase: number) {
    this.#phase = phase;
  }

  /** The head of the newest document that was planned by. */
  get newest(): DocumentHead | undefined {
    return this.#basis?.head;
  }

  /**
   * When the planned poll is due, epoch milliseconds; `undefined` before the first plan. It is no further from now than it was
   * from what it was planned by: a clock that was set back in between says nothing of it.
   */
  dueMs(nowMs: number): number | undefined {
    return this.plan && Math.min(this.plan.atMs, nowMs + this.#distanceMs);
  }

  /** How long a read takes at most, but for a few, milliseconds. */
  get readMs(): number {
    return quantile(this.#reads, READ_QUANTILE, 0);
  }

  /** The MAL to plan for, milliseconds: what is planned already is planned anew. */
  set malMs(malMs: number) {
    this.#malMs = malMs;
    if (this.#basis) this.plan = this.#planFrom(this.#basis);
  }

  /** Takes note of how long a document took from its request to its last member, milliseconds. */
  measured(readMs: number): void {
    this.#reads = withSample(this.#reads, readMs);
  }

  /** Adopts a plan that was made elsewhere, now. A planner that does so plans by no documents. */
  planned(plan: PollPlan, nowMs: number): void {
    this.plan = plan;
    this.#distanceMs = plan.atMs - nowMs;
  }

  /**
   * Plans the next poll after the newest document has been read. One that was asked for before it tells nothing of now: a
   * follower may have been through with it late.
   *
   * @param statedIntervalMs - the stream's update interval as its root states it
   * @param clockOffsetMs - the server's clock minus ours
   * @returns the head of the newest document
   * @see specs/mal.md MAL-84
   */
  planAfter(head: DocumentHead, statedIntervalMs: number | undefined, clockOffsetMs: number): DocumentHead {
    if (this.#basis && head.number < this.#basis.head.number) return this.#basis.head;
    this.#learnInterval(head.nextUpdateMs);
    this.#basis = { head, statedIntervalMs, clockOffsetMs };
    this.plan = this.#planFrom(this.#basis);
    return head;
  }

  // The interval between updates and the next of them, where they are known.
  #updates({ head, statedIntervalMs, clockOffsetMs }: Basis) {
    const intervalMs = statedIntervalMs ?? this.#learnedIntervalMs;
    const nextUpdateMs = predictedMs(head, clockOffsetMs, intervalMs);
    return {
      ...(intervalMs === undefined ? {} : { intervalMs }),
      ...(nextUpdateMs === undefined ? {} : { nextUpdateMs }),
    };
  }

  #planFrom(basis: Basis): PollPlan {
    const { head } = basis;
    const { plannedMs, beyondMs } = this.#readShare();
    const plan = planPoll({
      readAtMs: head.sentMs,
      hiddenAgeMs: hiddenAgeMs(head),
      ...this.#updates(basis),
      malMs: this.#malMs,
      readMs: plannedMs,
      phase: this.#phase,
    });
    this.#distanceMs = plan.atMs - head.sentMs;
    return { ...plan, lagBoundMs: plan.lagBoundMs + beyondMs };
  }

  /** The least lag bound that polling can keep, milliseconds; `undefined` before anything was read. */
  get leastBoundMs(): number | undefined {
    const basis = this.#basis;
    if (!basis) return undefined;
    const { plannedMs, beyondMs } = this.#readShare();
    const { sentMs } = basis.head;
    const { nextUpdateMs = Number.NEGATIVE_INFINITY } = this.#updates(basis);
    // Nothing is hidden that was to come later.
    const hiddenMs = Math.max(0, Math.min(sentMs - nextUpdateMs, hiddenAgeMs(basis.head)));
    const leastMs = pullLagBound({ readMs: plannedMs, hiddenAgeMs: hiddenMs });
    return beyondMs === 0 ? leastMs : this.#malMs + beyondMs;
  }

  // How long a read takes, with a margin: as much of it as requests are planned by, and the rest.
  #readShare(): { readonly plannedMs: number; readonly beyondMs: number } {
    const malMs = this.#malMs;
    const safeMs = this.readMs + Math.min(malMs * SAFETY_SHARE, LONGEST_SAFETY_MS);
    const plannedMs = Math.min(safeMs, malMs * LONGEST_READ_SHARE);
    return { plannedMs, beyondMs: safeMs - plannedMs };
  }

  // Polls may skip updates, so the shortest distance between predictions comes nearest to the interval.
  #learnInterval(nextUpdateMs: number | undefined): void {
    if (nextUpdateMs === undefined) return;
    const distanceMs = nextUpdateMs - (this.#lastNextUpdateMs ?? nextUpdateMs);
    this.#lastNextUpdateMs = nextUpdateMs;
    // Nor is that an interval which no prediction may be away.
    if (distanceMs >= MIN_POLL_GAP_MS && distanceMs <= LONGEST_INTERVAL_MS) {
      this.#learnedIntervalMs = Math.min(distanceMs, this.#learnedIntervalMs ?? distanceMs);
    }
  }
}

/** What expiry is rounded to, milliseconds. */
const EXPIRY_STEP_MS = 1_000;
/** How many intervals away an update may be. */
const DUE_INTERVALS = 1.5;
/** How far away an update may be of a stream whose interval is not known, milliseconds: an hour. */
const LONGEST_PREDICTION_MS = 3_600_000;
/** The same where the interval is known, however long that is: a day. What is predicted for later without one is no prediction. */
const LONGEST_INTERVAL_MS = 86_400_000;
/** How long after it was asked for a document may have been made, milliseconds. */
const LONGEST_READ_MS = 1_000;

/**
 * When a document predicts the next update, epoch milliseconds by our clock: no later than what the header says without
 * any clock, so that a wrong `Date` puts no request off for long. `undefined` where it predicts none that can be meant.
 *
 * @see specs/mal.md MAL-44, MAL-81
 */
export function predictedMs(
  {
    nextUpdateMs,
    sentMs,
    maxAgeMs = Number.POSITIVE_INFINITY,
  }: Pick<DocumentHead, 'nextUpdateMs' | 'sentMs' | 'maxAgeMs'>,
  clockOffsetMs: number,
  intervalMs: number | undefined,
): number | undefined {
  if (nextUpdateMs === undefined) return undefined;
  const statedMs = nextUpdateMs - clockOffsetMs;
  // `max-age` is rounded down, and counted from when the document was made.
  const dueMs = (intervalMs ?? Number.POSITIVE_INFINITY) * DUE_INTERVALS;
  const toldMs = Math.min(maxAgeMs + EXPIRY_STEP_MS, dueMs);
  const isMeant = intervalMs !== undefined || Math.min(statedMs - sentMs, toldMs) <= LONGEST_INTERVAL_MS;
  if (!isMeant) return undefined;
  const longestMs = intervalMs === undefined ? LONGEST_PREDICTION_MS : LONGEST_INTERVAL_MS;
  return Math.min(statedMs, sentMs + Math.min(toldMs, longestMs) + LONGEST_READ_MS);
}

/**
 * How much older than its request a document may be, milliseconds. A cache that replays header fields keeps its age to
 * itself: it is as old as it may be kept at most.
 *
 * @see specs/mal.md MAL-50
 */
export function hiddenAgeMs({ ageMs, maxAgeMs = 0 }: Pick<DocumentHead, 'ageMs' | 'maxAgeMs'>): number {
  // Expiry is in whole seconds, and a cache may round it up.
  return ageMs > 0 ? ageMs : maxAgeMs + Math.min(maxAgeMs, EXPIRY_STEP_MS);
}

/*
 * When a follower polls next, by what its reads have shown: how long they take, and when the next update is due.
 *
 * planAfter({ sentMs: 100_000, nextUpdateMs: 103_000, ... }, 5_000, 0) -> plan { atMs: 104_750, lagBoundMs: 2_150 }
 */
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

// What is reserved for timers and servers that are a little late: a share of the MAL, up to so many milliseconds.
const SAFETY_SHARE = 0.1;
const MAX_SAFETY_MS = 1_000;
// The clients of a server that has become slow would else ask it the more often, the slower it is.
const MAX_READ_SHARE = 0.5;
// Not the very slowest reads: one slow answer would else have all clients of a server ask more often for a long time.
const READ_QUANTILE = 0.95;

/**
 * For how long what a read or a delivery took counts, milliseconds. A follower that is pushed reads nothing more:
 * that its last read was slow must not keep it from polling for good.
 */
export const RECENT_MS = 300_000;

/**
 * How long a read is taken to last, with a margin: `plannedMs` is what requests are planned by, `beyondMs` the rest, both
 * milliseconds.
 */
export function readShare(readMs: number, malMs: number): { readonly plannedMs: number; readonly beyondMs: number } {
  const safeMs = readMs + Math.min(malMs * SAFETY_SHARE, MAX_SAFETY_MS);
  const plannedMs = Math.min(safeMs, malMs * MAX_READ_SHARE);
  return { plannedMs, beyondMs: safeMs - plannedMs };
}

/** The newest document that was read, and what it is planned by. */
interface Basis {
  readonly head: DocumentHead;
  readonly statedIntervalMs: number | undefined;
  readonly clockOffsetMs: number;
}

export class PollPlanner {
  /** The plan in force; `undefined` before the first. */
  plan: PollPlan | undefined;
  readonly #phase: number;
  #malMs = Number.POSITIVE_INFINITY;
  readonly #clock: () => number;
  #reads: SampleWindow = [];
  #readAtMs = Number.NEGATIVE_INFINITY;
  #learnedIntervalMs: number | undefined;
  #lastNextUpdateMs: number | undefined;
  #basis: Basis | undefined;
  #distanceMs = 0;

  /** @param phase - the client's place among all others, in [0, 1) */
  constructor(phase: number, clock: () => number) {
    this.#phase = phase;
    this.#clock = clock;
  }

  get newest(): DocumentHead | undefined {
    return this.#basis?.head;
  }

  /**
   * When the planned poll is due, epoch milliseconds; `undefined` before the first plan. A clock that was set back since does
   * not put it off.
   */
  dueMs(nowMs: number): number | undefined {
    return this.plan && Math.min(this.plan.atMs, nowMs + this.#distanceMs);
  }

  /** How long a read takes at most, but for a few, milliseconds; what it usually takes where none was made for long. */
  get readMs(): number {
    const isOld = this.#clock() - this.#readAtMs > RECENT_MS;
    return quantile(this.#reads, isOld ? 0.5 : READ_QUANTILE, 0);
  }

  /** The MAL to plan for, milliseconds: what is planned already is planned anew. */
  set malMs(malMs: number) {
    this.#malMs = malMs;
    if (this.#basis) this.plan = this.#planFrom(this.#basis);
  }

  /** A document took so long from its request to its last member, milliseconds. */
  measured(readMs: number): void {
    this.#reads = withSample(this.#reads, readMs);
    this.#readAtMs = this.#clock();
  }

  /** Adopts a plan that was made elsewhere. */
  planned(plan: PollPlan, nowMs: number): void {
    this.plan = plan;
    this.#distanceMs = plan.atMs - nowMs;
  }

  /**
   * Plans the next poll after a document has been read, unless a newer one has been, since a follower may be late with it.
   * Returns the head of the newest document.
   */
  planAfter(head: DocumentHead, statedIntervalMs: number | undefined, clockOffsetMs: number): DocumentHead {
    if (this.#basis && head.number < this.#basis.head.number) return this.#basis.head;
    this.#learnInterval(head.nextUpdateMs);
    this.#basis = { head, statedIntervalMs, clockOffsetMs };
    this.plan = this.#planFrom(this.#basis);
    return head;
  }

  #updates({ head, statedIntervalMs, clockOffsetMs }: Basis) {
    const intervalMs = statedIntervalMs ?? this.#learnedIntervalMs;
    return { intervalMs, nextUpdateMs: predictedMs(head, clockOffsetMs, intervalMs) };
  }

  #planFrom(basis: Basis): PollPlan {
    const { head } = basis;
    const { plannedMs, beyondMs } = readShare(this.readMs, this.#malMs);
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

  /** The smallest lag bound that polling can meet, milliseconds; `undefined` before anything was read. */
  get leastBoundMs(): number | undefined {
    const basis = this.#basis;
    if (!basis) return undefined;
    const { plannedMs, beyondMs } = readShare(this.readMs, this.#malMs);
    const { nextUpdateMs = Number.NEGATIVE_INFINITY } = this.#updates(basis);
    // Nothing is hidden that was to come later.
    const hiddenMs = Math.max(0, Math.min(basis.head.sentMs - nextUpdateMs, hiddenAgeMs(basis.head)));
    const leastMs = pullLagBound({ readMs: plannedMs, hiddenAgeMs: hiddenMs });
    // A read that takes more than its share of the MAL is planned as if it took no more.
    return beyondMs > 0 ? Math.max(leastMs, this.#malMs) + beyondMs : leastMs;
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

// What expiry is rounded to.
const EXPIRY_STEP_MS = 1_000;
// How many intervals away an update may be.
const DUE_INTERVALS = 1.5;
// How far away an update may be: an hour without a known interval, else a day. What is later without one is no prediction.
const LONGEST_PREDICTION_MS = 3_600_000;
const LONGEST_INTERVAL_MS = 86_400_000;
// How long after it was asked for a document may have been made.
const LONGEST_READ_MS = 1_000;

/**
 * When a document predicts the next update, epoch milliseconds by our clock; `undefined` where it predicts none that can be
 * meant. It is no later than `max-age` says, so that a wrong `Date` puts no request off for long (MAL-44, MAL-81).
 */
export function predictedMs(
  head: Pick<DocumentHead, 'nextUpdateMs' | 'sentMs' | 'maxAgeMs'>,
  clockOffsetMs: number,
  intervalMs: number | undefined,
): number | undefined {
  const { nextUpdateMs, sentMs, maxAgeMs = Number.POSITIVE_INFINITY } = head;
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
 * itself: it is as old as it may be kept at most (MAL-50).
 */
export function hiddenAgeMs({ ageMs, maxAgeMs = 0 }: Pick<DocumentHead, 'ageMs' | 'maxAgeMs'>): number {
  // Expiry is in whole seconds, and a cache may round it up.
  return ageMs > 0 ? ageMs : maxAgeMs + Math.min(maxAgeMs, EXPIRY_STEP_MS);
}

import { MIN_POLL_GAP_MS, type PollPlan, planPoll, quantile, type SampleWindow, withSample } from '@ldes-live/latency';
import type { DocumentHead } from './read-document.ts';

/** What a {@link PollPlanner} works with. */
export interface PollPlannerOptions {
  /** The maximum acceptable latency, milliseconds. */
  readonly malMs: number;
  /** The client's place among all others, in [0, 1). */
  readonly phase: number;
}

/** The share of the MAL that is kept back for timers and servers that are a little late. */
const SAFETY_SHARE = 0.1;
/** The most that is kept back, milliseconds. */
const LONGEST_SAFETY_MS = 1_000;

/** Plans the requests of a pulling follower from what its reads have shown. */
export class PollPlanner {
  readonly #options: PollPlannerOptions;
  #reads: SampleWindow = [];
  #learnedIntervalMs: number | undefined;
  #lastNextUpdateMs: number | undefined;
  #plan: PollPlan | undefined;
  #currentAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: PollPlannerOptions) {
    this.#options = options;
  }

  /** The plan in force; `undefined` before the first. */
  get plan(): PollPlan | undefined {
    return this.#plan;
  }

  /** The instant up to which nothing published is missing, epoch milliseconds; `-Infinity` before the first read. */
  get currentAtMs(): number {
    return this.#currentAtMs;
  }

  /** How long a read takes at most, as far as is known, milliseconds. */
  get readMs(): number {
    return quantile(this.#reads, 0.99, 0);
  }

  /** Takes note of how long a document took from its request to its last member, milliseconds. */
  measured(readMs: number): void {
    this.#reads = withSample(this.#reads, readMs);
  }

  /** Takes note that nothing published up to an instant is missing, by whatever way it came. */
  current(atMs: number): void {
    this.#currentAtMs = atMs;
  }

  /**
   * Plans the next poll after the newest document has been read.
   *
   * @param statedIntervalMs - the stream's update interval as its root states it
   * @param clockOffsetMs - the server's clock minus ours
   */
  planAfter(head: DocumentHead, statedIntervalMs: number | undefined, clockOffsetMs: number): void {
    const { malMs, phase } = this.#options;
    this.#learnInterval(head.nextUpdateMs);
    const intervalMs = statedIntervalMs ?? this.#learnedIntervalMs;
    const nextUpdateMs = head.nextUpdateMs === undefined ? undefined : head.nextUpdateMs - clockOffsetMs;
    this.#plan = planPoll({
      readAtMs: head.sentMs,
      ...(nextUpdateMs === undefined ? {} : { nextUpdateMs }),
      ...(intervalMs === undefined ? {} : { intervalMs }),
      malMs,
      readMs: this.readMs + Math.min(malMs * SAFETY_SHARE, LONGEST_SAFETY_MS),
      phase,
    });
    this.current(Math.max(head.sentMs - head.ageMs, nextUpdateMs ?? Number.NEGATIVE_INFINITY));
  }

  // Polls may skip updates, so the shortest distance between predictions comes nearest to the interval.
  #learnInterval(nextUpdateMs: number | undefined): void {
    if (nextUpdateMs === undefined) return;
    const distanceMs = nextUpdateMs - (this.#lastNextUpdateMs ?? nextUpdateMs);
    this.#lastNextUpdateMs = nextUpdateMs;
    if (distanceMs >= MIN_POLL_GAP_MS) {
      this.#learnedIntervalMs = Math.min(distanceMs, this.#learnedIntervalMs ?? distanceMs);
    }
  }
}

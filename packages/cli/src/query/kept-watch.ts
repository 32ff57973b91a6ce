import type { LiveQueryStatus } from '@ldes-live/query';

/** How far off the age of an answer may be, as a share of the MAL: so often it is looked up how complete the data are. */
const SLACK_SHARE = 0.1;

/** How late timers may be, milliseconds. */
const TIMER_SLACK_MS = 100;

/** The parts of a status that tell whether the MAL is kept. */
export type AgeStatus = Pick<LiveQueryStatus, 'dataAsOf' | 'lastEvaluationMs'>;

/** Watches how old an answer gets, and for how long it was older than the MAL and the time that it takes to find it. */
export class KeptWatch {
  readonly #malMs: number;
  #lookedMs = Number.POSITIVE_INFINITY;
  #notKeptMs = 0;

  constructor(malMs: number) {
    this.#malMs = malMs;
  }

  /** For how long it was too old, milliseconds. */
  get notKeptMs(): number {
    return this.#notKeptMs;
  }

  /**
   * Looks how old the answer is.
   *
   * @param nowMs - epoch milliseconds
   * @returns whether it is no older than it may be; so too while there is none
   */
  look({ dataAsOf, lastEvaluationMs = 0 }: AgeStatus, nowMs: number): boolean {
    const mostMs = this.#malMs * (1 + SLACK_SHARE) + lastEvaluationMs + TIMER_SLACK_MS;
    const overMs = dataAsOf ? nowMs - dataAsOf.getTime() - mostMs : 0;
    // What it was like between two looks is known as far as it is too old now.
    this.#notKeptMs += Math.max(0, Math.min(overMs, nowMs - this.#lookedMs));
    // While there is no answer, none is too old.
    this.#lookedMs = dataAsOf ? nowMs : Number.POSITIVE_INFINITY;
    return overMs <= 0;
  }
}

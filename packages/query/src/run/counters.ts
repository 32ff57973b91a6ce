import type { Answer, Applied } from '../evaluate/evaluator.ts';
import type { LiveQueryStatus } from '../live-query.ts';
import type { ResultHead } from '../result.ts';
import type { Arrival } from './sources.ts';
import { isOverrun } from './timing.ts';

/** What held when an evaluation began. */
export interface EvaluationStart {
  /** Epoch milliseconds. */
  readonly startMs: number;
  /** Epoch milliseconds. */
  readonly dataAsOfMs: number;
  /** What the sources claim themselves, epoch milliseconds; `undefined` where none does. */
  readonly claimedToMs: number | undefined;
  readonly cursors: readonly (string | undefined)[];
  /** When the oldest change came that it is the first to see, epoch milliseconds; `undefined` where there is none. */
  readonly oldestArrivalMs: number | undefined;
  /** As {@link EvaluationBook.behindMs}. */
  readonly behindMs: number;
}

/** What of a live query's status the evaluations and changes tell. */
type BookedStatus = Omit<LiveQueryStatus, 'sources' | 'dataAsOf'>;

/** Keeps book of changes and evaluations. */
export class EvaluationBook {
  /** When the last evaluation began, epoch milliseconds. */
  lastStartMs: number | undefined;
  /** When the oldest change came that matters and that no evaluation has seen, epoch milliseconds. */
  oldestArrivalMs: number | undefined;
  /** How far the sources were behind before they brought what no evaluation has seen, at most, milliseconds. */
  behindMs = 0;
  /** Up to when the last answer holds all, once it no longer follows the sources, epoch milliseconds. */
  heldAsOfMs: number | undefined;
  readonly #malMs: number;
  #nextSequence = 0;
  #evaluations = 0;
  #skipped = 0;
  #overruns = 0;
  #lateMembers = 0;
  #quads = 0;
  #evaluatedAtMs: number | undefined;
  #lastEvaluationMs: number | undefined;

  constructor(malMs: number) {
    this.#malMs = malMs;
  }

  get hasTold(): boolean {
    return this.#nextSequence > 0;
  }

  get isChanged(): boolean {
    return this.oldestArrivalMs !== undefined;
  }

  get status(): BookedStatus {
    return {
      evaluations: this.#evaluations,
      skipped: this.#skipped,
      overruns: this.#overruns,
      lateMembers: this.#lateMembers,
      quads: this.#quads,
      evaluatedAt: this.#evaluatedAtMs === undefined ? undefined : new Date(this.#evaluatedAtMs),
      lastEvaluationMs: this.#lastEvaluationMs,
    };
  }

  /** Something was applied. */
  counted({ late, quads }: Pick<Applied, 'late' | 'quads'>): void {
    this.#lateMembers += late;
    this.#quads = quads;
  }

  skipped(): void {
    this.#skipped += 1;
  }

  /**
   * A change that matters was applied.
   *
   * @param arrival - when it came, and how far its source was behind before
   * @param asOfMs - up to when all was applied before it; `undefined` where the last answer does not follow what is applied
   */
  changed({ atMs, lagMs }: Pick<Arrival, 'atMs' | 'lagMs'>, asOfMs: number | undefined): void {
    this.behindMs = Math.max(this.behindMs, lagMs);
    if (this.oldestArrivalMs !== undefined) return;
    this.oldestArrivalMs = atMs;
    this.heldAsOfMs = asOfMs ?? this.heldAsOfMs;
  }

  /** An evaluation begins. */
  begun(startMs: number): void {
    this.lastStartMs = startMs;
    this.oldestArrivalMs = undefined;
  }

  /** An evaluation has ended. */
  ended(start: EvaluationStart, { evaluationMs }: Answer, evaluatedAtMs: number): Omit<ResultHead, 'sequence'> {
    const overrun = isOverrun({
      malMs: this.#malMs,
      startMs: start.startMs,
      // What it took to get there counts as well: in another thread the question and its answer are on their way for a while.
      evaluationMs: Math.max(evaluationMs, evaluatedAtMs - start.startMs),
      oldestArrivalMs: start.oldestArrivalMs,
      completeToMs: start.claimedToMs,
      behindMs: start.behindMs,
    });
    this.#evaluations += 1;
    if (overrun) this.#overruns += 1;
    this.#evaluatedAtMs = evaluatedAtMs;
    this.#lastEvaluationMs = evaluationMs;
    const { dataAsOfMs, cursors } = start;
    return { evaluatedAtMs, dataAsOfMs, cursors, evaluationMs, overrun };
  }

  /** A result is told. */
  takeSequence(): number {
    this.#nextSequence += 1;
    return this.#nextSequence - 1;
  }
}

import type { Answer, Applied } from '../evaluate/evaluator.ts';
import type { LiveQueryStatus } from '../live-query.ts';
import type { ResultBase } from '../result.ts';
import type { Arrival } from './sources.ts';
import { type EvaluationRecord, isOverrun } from './timing.ts';

/** What held when an evaluation began. */
export interface EvaluationStart extends Omit<EvaluationRecord, 'malMs' | 'evaluationMs'> {
  /** Epoch milliseconds. */
  readonly dataAsOfMs: number;
  readonly cursors: readonly (string | undefined)[];
}

type Counts = Omit<LiveQueryStatus, 'sources' | 'dataAsOf'>;

/** Counts changes and evaluations, and remembers what the next evaluation has to know of them. */
export class RunCounters {
  /** When the last evaluation began, epoch milliseconds. */
  lastStartMs: number | undefined;
  /** When the oldest change came that matters and that no evaluation has seen, epoch milliseconds. */
  oldestArrivalMs: number | undefined;
  /** How far the sources were behind before they brought what no evaluation has seen, at most, milliseconds. */
  behindMs = 0;
  /** Up to when the last answer holds all, once it no longer follows the sources, epoch milliseconds. */
  heldAsOfMs: number | undefined;
  readonly #malMs: number;
  readonly #counts: { -readonly [Name in keyof Counts]: Counts[Name] } = {
    evaluations: 0,
    skipped: 0,
    overruns: 0,
    lateMembers: 0,
    quads: 0,
    evaluatedAt: undefined,
    lastEvaluationMs: undefined,
  };
  #nextSequence = 0;

  constructor(malMs: number) {
    this.#malMs = malMs;
  }

  get hasTold(): boolean {
    return this.#nextSequence > 0;
  }

  get isChanged(): boolean {
    return this.oldestArrivalMs !== undefined;
  }

  get status(): Counts {
    return { ...this.#counts };
  }

  /** Something was applied. */
  applied({ late, quads }: Pick<Applied, 'late' | 'quads'>): void {
    this.#counts.lateMembers += late;
    this.#counts.quads = quads;
  }

  skipped(): void {
    this.#counts.skipped += 1;
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

  /** An evaluation has ended: what there is to tell of it. */
  ended(start: EvaluationStart, { evaluationMs }: Answer, endMs: number): Omit<ResultBase, 'sequence' | 'window'> {
    // What it took to get there counts as well: in another thread the question and its answer are on their way for a while.
    const tookMs = Math.max(evaluationMs, endMs - start.startMs);
    const overrun = isOverrun({ ...start, malMs: this.#malMs, evaluationMs: tookMs });
    const evaluatedAt = new Date(endMs);
    const counts = this.#counts;
    counts.evaluations += 1;
    if (overrun) counts.overruns += 1;
    counts.evaluatedAt = evaluatedAt;
    counts.lastEvaluationMs = evaluationMs;
    return { evaluatedAt, dataAsOf: new Date(start.dataAsOfMs), cursors: start.cursors, evaluationMs, overrun };
  }

  /** A result is told. */
  takeSequence(): number {
    this.#nextSequence += 1;
    return this.#nextSequence - 1;
  }
}

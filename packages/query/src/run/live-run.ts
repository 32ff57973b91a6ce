import type { Quad } from '@rdfjs/types';
import type { Answer, Evaluator, Explanation, WindowAnswer } from '../evaluate/evaluator.ts';
import type { LiveQueryStatus } from '../live-query.ts';
import type { EvaluationTask, EvaluatorFactory } from '../options.ts';
import { type LiveResult, makeResult, type Row } from '../result.ts';
import type { CommitSource } from '../source.ts';
import { EvaluationBook, type EvaluationStart } from './counters.ts';
import { type Arrival, loadData, SourceSet } from './sources.ts';
import {
  claimsIntervalMs,
  closedToMs,
  evaluationIntervalMs,
  isWorthTakingMore,
  nextEvaluationMs,
  type WindowClock,
  windowWakeMs,
} from './timing.ts';
import { MAX_SLEEP_MS, untilAborted, Wakeup } from './waiting.ts';

/** How long sources and evaluator are waited for when they are to let go, milliseconds. */
const LET_GO_MS = 200;

/** What {@link LiveRun} takes. */
export interface RunParts {
  readonly sources: readonly CommitSource[];
  readonly task: EvaluationTask;
  readonly evaluators: EvaluatorFactory;
  readonly data: Iterable<Quad> | AsyncIterable<Quad> | undefined;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Ends it: its reason is thrown. */
  readonly signal: AbortSignal;
}

/**
 * One reading of a live query: takes in what the sources bring, asks when it is time, and tells what came of it. All of that
 * by turns: nothing is applied while an evaluation is under way or a result is in its reader's hands.
 *
 * @see specs/query.md QUERY-60 to QUERY-69
 */
export class LiveRun {
  readonly #parts: RunParts;
  readonly #wakeup = new Wakeup();
  readonly #book: EvaluationBook;
  #sources: SourceSet | undefined;
  #evaluator: Evaluator | undefined;
  #lettingGo: Promise<void> | undefined;
  /** The result whose whole answer there is. */
  #readable: number | undefined;
  #lastAnswer: readonly Row[] | readonly Quad[] | undefined;
  /** Up to when windows were asked for, by their time. */
  #askedToMs = -Infinity;
  /** The evaluation that is due, and put off for what has come already. */
  #due: { readonly sinceMs: number; taken: number } | undefined;
  /** When the last wait was to end. */
  #wakeMs: number | undefined;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#book = new EvaluationBook(parts.task.malMs);
  }

  /** Once it has begun. */
  get explanation(): Explanation | undefined {
    return this.#evaluator?.explanation;
  }

  get status(): LiveQueryStatus {
    const cursors = this.#sources?.cursors ?? [];
    const sources = this.#parts.sources.map((source, index) => ({
      url: source.url,
      cursor: cursors[index],
      trouble: source.trouble?.(),
    }));
    const asOfMs =
      this.#book.lastStartMs === undefined ? undefined : (this.#book.heldAsOfMs ?? this.#sources?.dataAsOfMs);
    return { ...this.#book.status, dataAsOf: asOfMs === undefined ? undefined : new Date(asOfMs), sources };
  }

  /** All results, until the sources end. */
  async *results(): AsyncGenerator<LiveResult, void, undefined> {
    const { signal } = this.#parts;
    const wake = () => this.#wakeup.notify();
    signal.addEventListener('abort', wake);
    try {
      const [evaluator, sources] = await this.#begin();
      const isWindowed = evaluator.explanation.view === 'time';
      for (;;) {
        await sources.takeIn((source, arrival) => this.#apply(evaluator, source, arrival, isWindowed));
        await sources.hearClaims();
        signal.throwIfAborted();
        if (isWindowed) yield* this.#closeWindows(evaluator, sources);
        else yield* this.#evaluateWhenDue(evaluator, sources);
        signal.throwIfAborted();
        if (sources.hasEnded && !this.#book.isChanged) return;
        await this.#wait(evaluator, sources, isWindowed);
      }
    } finally {
      signal.removeEventListener('abort', wake);
      await this.letGo();
    }
  }

  /** Ends the reading of the sources and lets the evaluator go; waits for that, but not for long. */
  letGo(): Promise<void> {
    this.#lettingGo ??= this.#letGo();
    return this.#lettingGo;
  }

  async #letGo(): Promise<void> {
    // Who leaves off at a result may read it still.
    if (this.#readable !== undefined) this.#lastAnswer = this.#evaluator?.answer();
    const closing = new AbortController();
    const closed = Promise.allSettled([this.#sources?.close(), this.#evaluator?.close()]);
    await Promise.race([closed, this.#parts.sleep(LET_GO_MS, closing.signal).catch(() => undefined)]);
    closing.abort();
  }

  async #begin(): Promise<[Evaluator, SourceSet]> {
    const { sources, task, evaluators, data, clock, signal } = this.#parts;
    signal.throwIfAborted();
    const making = evaluators(task);
    const evaluator = await untilAborted(making, signal).catch((error: unknown) => {
      // It may come yet, and nobody would close it.
      making.then(
        (late) => late.close(),
        () => undefined,
      );
      throw error;
    });
    this.#evaluator = evaluator;
    if (data) await untilAborted(loadData(evaluator, data, signal), signal);
    const { window } = task;
    const time = window.type === 'time' ? (window.time ?? 'published') : 'published';
    this.#sources = new SourceSet({ sources, time, clock, onNews: () => this.#wakeup.notify() });
    this.#sources.ask();
    return [evaluator, this.#sources];
  }

  async #apply(evaluator: Evaluator, source: number, arrival: Arrival, isWindowed: boolean): Promise<void> {
    const asOfMs = this.#sources?.dataAsOfMs ?? 0;
    const applied = await untilAborted(evaluator.apply(source, arrival.event), this.#parts.signal);
    this.#book.counted(applied);
    if (this.#due) this.#due.taken += 1;
    // Windows change by their closing only: that what came waits for it is no delay.
    if (isWindowed || applied.matters) this.#book.changed(arrival, isWindowed ? undefined : asOfMs);
    else this.#book.skipped();
  }

  async *#evaluateWhenDue(evaluator: Evaluator, sources: SourceSet): AsyncGenerator<LiveResult> {
    const dueMs = this.#nextEvaluationMs(evaluator, sources);
    const nowMs = this.#parts.clock();
    if (dueMs === undefined || dueMs > nowMs) return;
    this.#due ??= { sinceMs: nowMs, taken: 0 };
    const { sinceMs, taken } = this.#due;
    if (sources.hasArrivals && isWorthTakingMore(sinceMs, taken, nowMs, this.#parts.task.malMs)) return;
    this.#due = undefined;
    const start = this.#start(sources, this.#book.oldestArrivalMs);
    this.#book.behindMs = 0;
    const answer = await untilAborted(evaluator.evaluate(), this.#parts.signal);
    this.#book.heldAsOfMs = undefined;
    yield* this.#tell(evaluator, start, answer);
  }

  /** Asks all windows that are complete, one after the other. */
  async *#closeWindows(evaluator: Evaluator, sources: SourceSet): AsyncGenerator<LiveResult> {
    const toMs = closedToMs(this.#windowClock(sources));
    // Though none may close: what comes for windows that are past then is late.
    if (toMs > this.#askedToMs) {
      const sinceMs = this.#windowsSinceMs();
      let isTold = false;
      for (;;) {
        const start = this.#start(sources, sinceMs);
        const answer = await untilAborted(evaluator.evaluateWindow(toMs), this.#parts.signal);
        if (!answer) break;
        this.#book.heldAsOfMs = start.dataAsOfMs;
        yield* this.#tell(evaluator, start, answer);
        isTold = true;
      }
      // All that were held up by an outage were told of now.
      if (isTold) this.#book.behindMs = 0;
      this.#askedToMs = toMs;
    }
    this.#book.oldestArrivalMs = undefined;
  }

  /** Since when windows could have been told of, epoch milliseconds: since something came, or a wait was to end. */
  #windowsSinceMs(): number | undefined {
    const { oldestArrivalMs } = this.#book;
    if (this.#wakeMs === undefined || this.#wakeMs > this.#parts.clock()) return oldestArrivalMs;
    return Math.min(this.#wakeMs, oldestArrivalMs ?? Infinity);
  }

  #start(sources: SourceSet, oldestArrivalMs: number | undefined): EvaluationStart {
    const startMs = this.#parts.clock();
    this.#book.begun(startMs);
    const { dataAsOfMs, claimedToMs, cursors } = sources;
    return { startMs, dataAsOfMs, claimedToMs, cursors, oldestArrivalMs, behindMs: this.#book.behindMs };
  }

  async *#tell(
    evaluator: Evaluator,
    start: EvaluationStart,
    answer: Answer | WindowAnswer,
  ): AsyncGenerator<LiveResult> {
    const { explanation } = evaluator;
    const head = this.#book.ended(start, answer, this.#parts.clock());
    if (!answer.isNew && this.#book.hasTold) return;
    const sequence = this.#book.takeSequence();
    const whole = () => (this.#readable === sequence ? (this.#lastAnswer ?? evaluator.answer()) : undefined);
    this.#readable = sequence;
    yield makeResult({ head: { sequence, ...head }, answer, explanation, whole });
    this.#readable = undefined;
  }

  #nextEvaluationMs({ explanation }: Evaluator, sources: SourceSet): number | undefined {
    const { isChanged, lastStartMs } = this.#book;
    const { isVolatile } = explanation;
    const { malMs } = this.#parts.task;
    const nowMs = this.#parts.clock();
    return nextEvaluationMs({ nowMs, malMs, lastStartMs, isChanged, isVolatile, sources: sources.circumstances });
  }

  #windowClock(sources: SourceSet): WindowClock {
    const { malMs, window } = this.#parts.task;
    const { time = 'published', allowedLateness = 0 } = window.type === 'time' ? window : {};
    const allowedLatenessMs = allowedLateness * 1000;
    return { nowMs: this.#parts.clock(), malMs, time, allowedLatenessMs, sources: sources.windowSources };
  }

  /** Waits until something comes, or there is something to do. */
  async #wait(evaluator: Evaluator, sources: SourceSet, isWindowed: boolean): Promise<void> {
    this.#wakeMs = this.#nextWakeMs(evaluator, sources, isWindowed);
    const waitMs = (this.#wakeMs ?? Infinity) - this.#parts.clock();
    if (waitMs <= 0 || sources.hasArrivals) return;
    const waiting = new AbortController();
    if (waitMs < Infinity) {
      // Broken off by this wait alone: whoever aborts the whole notifies.
      this.#parts.sleep(Math.min(waitMs, MAX_SLEEP_MS), waiting.signal).then(
        () => this.#wakeup.notify(),
        () => undefined,
      );
    }
    await this.#wakeup.wait();
    waiting.abort();
  }

  #nextWakeMs(evaluator: Evaluator, sources: SourceSet, isWindowed: boolean): number | undefined {
    const nowMs = this.#parts.clock();
    const intervalMs = evaluationIntervalMs(this.#parts.task.malMs, sources.circumstances);
    const claimsMs = sources.isClaiming
      ? nowMs + Math.min(intervalMs, claimsIntervalMs(this.#parts.task.malMs))
      : Infinity;
    const { nextCloseMs } = evaluator;
    const dueMs = isWindowed
      ? nextCloseMs !== undefined && windowWakeMs(nextCloseMs, this.#windowClock(sources), intervalMs)
      : this.#nextEvaluationMs(evaluator, sources);
    const wakeMs = Math.min(claimsMs, dueMs || Infinity);
    return wakeMs === Infinity ? undefined : wakeMs;
  }
}

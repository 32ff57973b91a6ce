/*
 * One reading of a live query, by turns: nothing is applied while an evaluation is under way or a result is in its reader's
 * hands.
 *
 *   source -> sources.ts (one event at a time) -> evaluator.apply -> due? (timing.ts) -> evaluator.evaluate -> result -> reader
 *     ^                                                                                                              |
 *     +---- wait for news of a source, for the next due instant, or for the next look at what the sources claim <----+
 */
import type { Quad } from '@rdfjs/types';
import type { Answer, Evaluator, Explanation, WindowAnswer } from '../evaluate/evaluator.ts';
import type { LiveQueryStatus } from '../live-query.ts';
import { type EvaluationTask, type EvaluatorFactory, makeEvaluator } from '../options.ts';
import { type LiveResult, makeResult, type Row } from '../result.ts';
import type { CommitSource } from '../source.ts';
import { type EvaluationStart, RunCounters } from './counters.ts';
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
interface RunOptions {
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

/** @see specs/query.md QUERY-60 to QUERY-69 */
export class LiveRun {
  readonly #options: RunOptions;
  readonly #wakeup = new Wakeup();
  readonly #counters: RunCounters;
  readonly #sources: SourceSet;
  readonly #window: Pick<WindowClock, 'malMs' | 'time' | 'allowedLatenessMs'>;
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

  constructor(options: RunOptions) {
    this.#options = options;
    const { sources, task, clock } = options;
    const { malMs, window } = task;
    const { time = 'published', allowedLateness = 0 } = window.type === 'time' ? window : {};
    this.#window = { malMs, time, allowedLatenessMs: allowedLateness * 1000 };
    this.#counters = new RunCounters(malMs);
    this.#sources = new SourceSet({ sources, time, clock, onNews: () => this.#wakeup.notify() });
  }

  /** Once it has begun. */
  get explanation(): Explanation | undefined {
    return this.#evaluator?.explanation;
  }

  get status(): LiveQueryStatus {
    const { lastStartMs, heldAsOfMs = this.#sources.dataAsOfMs, status } = this.#counters;
    const { cursors } = this.#sources;
    const sources = this.#options.sources.map((source, index) => ({
      url: source.url,
      cursor: cursors[index],
      trouble: source.trouble?.(),
    }));
    return { ...status, dataAsOf: lastStartMs === undefined ? undefined : new Date(heldAsOfMs), sources };
  }

  /** All results, until the sources end. */
  async *results(): AsyncGenerator<LiveResult, void, undefined> {
    const { signal } = this.#options;
    const wake = () => this.#wakeup.notify();
    signal.addEventListener('abort', wake);
    try {
      const evaluator = await this.#begin();
      const isWindowed = evaluator.explanation.view === 'time';
      for (;;) {
        await this.#sources.takeIn((source, arrival) => this.#apply(evaluator, source, arrival, isWindowed));
        await this.#sources.hearClaims();
        signal.throwIfAborted();
        if (isWindowed) yield* this.#closeWindows(evaluator);
        else yield* this.#evaluateWhenDue(evaluator);
        signal.throwIfAborted();
        if (this.#sources.hasEnded && !this.#counters.isChanged) return;
        await this.#wait(isWindowed ? this.#nextWindowMs(evaluator) : this.#nextEvaluationMs(evaluator));
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
    const closed = Promise.allSettled([this.#sources.close(), this.#evaluator?.close()]);
    await Promise.race([closed, this.#options.sleep(LET_GO_MS, closing.signal).catch(() => undefined)]);
    closing.abort();
  }

  async #begin(): Promise<Evaluator> {
    const { task, evaluators, data, signal } = this.#options;
    signal.throwIfAborted();
    const making = makeEvaluator(evaluators, task);
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
    this.#sources.ask();
    return evaluator;
  }

  async #apply(evaluator: Evaluator, source: number, arrival: Arrival, isWindowed: boolean): Promise<void> {
    const asOfMs = this.#sources.dataAsOfMs;
    const applied = await untilAborted(evaluator.apply(source, arrival.event), this.#options.signal);
    this.#counters.applied(applied);
    if (this.#due) this.#due.taken += 1;
    // Windows change by their closing only: that what came waits for it is no delay.
    if (isWindowed || applied.matters) this.#counters.changed(arrival, isWindowed ? undefined : asOfMs);
    else this.#counters.skipped();
  }

  async *#evaluateWhenDue(evaluator: Evaluator): AsyncGenerator<LiveResult> {
    const dueMs = this.#nextEvaluationMs(evaluator);
    const nowMs = this.#options.clock();
    if (dueMs === undefined || dueMs > nowMs) return;
    this.#due ??= { sinceMs: nowMs, taken: 0 };
    const { sinceMs, taken } = this.#due;
    if (this.#sources.hasArrivals && isWorthTakingMore(sinceMs, taken, nowMs, this.#window.malMs)) return;
    this.#due = undefined;
    const start = this.#start(this.#counters.oldestArrivalMs);
    this.#counters.behindMs = 0;
    const answer = await untilAborted(evaluator.evaluate(), this.#options.signal);
    this.#counters.heldAsOfMs = undefined;
    yield* this.#emit(evaluator, start, answer);
  }

  /** Asks all windows that are complete, one after the other. */
  async *#closeWindows(evaluator: Evaluator): AsyncGenerator<LiveResult> {
    const toMs = closedToMs(this.#windowClock());
    // Though none may close: what comes for windows that are past then is late.
    if (toMs > this.#askedToMs) {
      const sinceMs = this.#windowsSinceMs();
      let isTold = false;
      for (;;) {
        const start = this.#start(sinceMs);
        const answer = await untilAborted(evaluator.evaluateWindow(toMs), this.#options.signal);
        if (!answer) break;
        this.#counters.heldAsOfMs = start.dataAsOfMs;
        yield* this.#emit(evaluator, start, answer);
        isTold = true;
      }
      // All that were held up by an outage were told of now.
      if (isTold) this.#counters.behindMs = 0;
      this.#askedToMs = toMs;
    }
    this.#counters.oldestArrivalMs = undefined;
  }

  /** Since when windows could have been told of, epoch milliseconds: since something came, or a wait was to end. */
  #windowsSinceMs(): number | undefined {
    const { oldestArrivalMs } = this.#counters;
    if (this.#wakeMs === undefined || this.#wakeMs > this.#options.clock()) return oldestArrivalMs;
    return Math.min(this.#wakeMs, oldestArrivalMs ?? Infinity);
  }

  #start(oldestArrivalMs: number | undefined): EvaluationStart {
    const startMs = this.#options.clock();
    this.#counters.begun(startMs);
    const { dataAsOfMs, claimedToMs: completeToMs, cursors } = this.#sources;
    return { startMs, dataAsOfMs, completeToMs, cursors, oldestArrivalMs, behindMs: this.#counters.behindMs };
  }

  async *#emit(
    evaluator: Evaluator,
    start: EvaluationStart,
    answer: Answer | WindowAnswer,
  ): AsyncGenerator<LiveResult> {
    const head = this.#counters.ended(start, answer, this.#options.clock());
    if (!answer.isNew && this.#counters.hasTold) return;
    const sequence = this.#counters.takeSequence();
    const whole = () => (this.#readable === sequence ? (this.#lastAnswer ?? evaluator.answer()) : undefined);
    this.#readable = sequence;
    yield makeResult({ head: { sequence, ...head }, answer, explanation: evaluator.explanation, whole });
    this.#readable = undefined;
  }

  #nextEvaluationMs({ explanation }: Evaluator): number | undefined {
    const { isChanged, lastStartMs } = this.#counters;
    const { isVolatile } = explanation;
    const nowMs = this.#options.clock();
    const { malMs } = this.#window;
    return nextEvaluationMs({ nowMs, malMs, lastStartMs, isChanged, isVolatile, sources: this.#sources.states });
  }

  /** When to look again whether a window is complete, epoch milliseconds. */
  #nextWindowMs({ nextCloseMs }: Evaluator): number | undefined {
    if (nextCloseMs === undefined) return undefined;
    return windowWakeMs(nextCloseMs, this.#windowClock(), this.#intervalMs());
  }

  #windowClock(): WindowClock {
    return { ...this.#window, nowMs: this.#options.clock(), sources: this.#sources.states };
  }

  #intervalMs(): number {
    return evaluationIntervalMs(this.#window.malMs, this.#sources.states);
  }

  /**
   * Waits until something comes, or there is something to do.
   *
   * @param dueMs - when there is, epoch milliseconds
   */
  async #wait(dueMs = Infinity): Promise<void> {
    const nowMs = this.#options.clock();
    const isClaiming = this.#sources.isClaiming;
    const claimsMs = isClaiming ? nowMs + Math.min(this.#intervalMs(), claimsIntervalMs(this.#window.malMs)) : Infinity;
    const wakeMs = Math.min(claimsMs, dueMs);
    this.#wakeMs = wakeMs === Infinity ? undefined : wakeMs;
    if (wakeMs <= nowMs || this.#sources.hasArrivals) return;
    const waiting = new AbortController();
    if (wakeMs < Infinity) {
      // Broken off by this wait alone: whoever aborts the whole notifies.
      this.#options.sleep(Math.min(wakeMs - nowMs, MAX_SLEEP_MS), waiting.signal).then(
        () => this.#wakeup.notify(),
        () => undefined,
      );
    }
    await this.#wakeup.wait();
    waiting.abort();
  }
}

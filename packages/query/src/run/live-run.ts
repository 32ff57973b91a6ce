/*
 * One reading of a live query, by turns: nothing is applied while an evaluation is under way or a result is in its reader's
 * hands.
 *
 *   source -> sources.ts (one event at a time) -> evaluator.apply -> due? (timing.ts) -> evaluator.evaluate -> result -> reader
 *     ^                                                                                                              |
 *     +---- wait for news of a source, for the next due instant, or for the next look at what the sources claim <----+
 */
import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { Answer, Evaluator, Explanation } from '../evaluate/evaluator.ts';
import type { LiveQuery, LiveQueryStatus } from '../live-query.ts';
import { type EvaluationTask, type LiveQueryOptions, makeEvaluator } from '../options.ts';
import { type LiveResult, makeResult, type ResultBase, type Row } from '../result.ts';
import type { CommitSource } from '../source.ts';
import { type Arrival, loadData, SourceSet } from './sources.ts';
import {
  claimsIntervalMs,
  closedToMs,
  isOverrun,
  isWorthTakingMore,
  nextEvaluationMs,
  type WindowClock,
  windowWakeMs,
} from './timing.ts';
import { MAX_SLEEP_MS, untilAborted, Wakeup } from './waiting.ts';

/** How long to wait for sources and evaluator to close, milliseconds. */
const LET_GO_MS = 200;

interface RunOptions extends Required<Pick<LiveQueryOptions, 'clock' | 'sleep' | 'evaluators'>> {
  readonly sources: readonly CommitSource[];
  readonly task: EvaluationTask;
  readonly data: LiveQueryOptions['data'] | undefined;
  readonly signal: AbortSignal | undefined;
}

/** What held when an evaluation began. */
interface EvaluationStart extends Pick<ResultBase, 'dataAsOf' | 'cursors'> {
  /** Epoch milliseconds. */
  readonly startMs: number;
  /** How long the changes that it is the first to see had waited, or their sources had lagged, milliseconds. */
  readonly waitedMs: number;
}

type Counts = { -readonly [Name in keyof Omit<LiveQueryStatus, 'dataAsOf' | 'sources'>]: LiveQueryStatus[Name] };

/** The reason when the reader has left, which is not an error. */
const LEFT = Symbol('left');

/** @see specs/query.md QUERY-61 to QUERY-66 */
export class LiveRun implements LiveQuery {
  readonly #options: RunOptions;
  readonly #ending = new AbortController();
  readonly #wakeup = new Wakeup();
  readonly #sources: SourceSet;
  readonly #window: Pick<WindowClock, 'malMs' | 'time' | 'allowedLatenessMs'>;
  #isRead = false;
  #explaining: Promise<Explanation> | undefined;
  #evaluator: Evaluator | undefined;
  #isWindowed = false;
  #lettingGo: Promise<void> | undefined;
  readonly #counts: Counts = {
    evaluations: 0,
    skipped: 0,
    overruns: 0,
    lateMembers: 0,
    quads: 0,
    evaluatedAt: undefined,
    lastEvaluationMs: undefined,
  };
  #nextSequence = 0;
  /** The result whose whole answer there is. */
  #readable: number | undefined;
  #lastAnswer: readonly Row[] | readonly Quad[] | undefined;
  /** When the last evaluation began, epoch milliseconds. */
  #lastStartMs: number | undefined;
  /** When the oldest change came that matters and that no evaluation has seen, epoch milliseconds. */
  #oldestArrivalMs: number | undefined;
  /** How far the sources were behind, at most, before they brought what no evaluation has seen, milliseconds. */
  #behindMs = 0;
  /** The `dataAsOf` of the last answer, once it no longer follows the sources. */
  #heldAsOf: Date | undefined;
  /** Windows were asked for up to this instant of their time. */
  #askedToMs = -Infinity;
  /** The evaluation that is due, and waits for what has come already. */
  #due: { readonly sinceMs: number; taken: number } | undefined;
  /** When the last wait was to end. */
  #wakeMs: number | undefined;

  constructor(options: RunOptions) {
    this.#options = options;
    const { sources, task, clock } = options;
    const { malMs, window } = task;
    const { time = 'published', allowedLateness = 0 } = window.type === 'time' ? window : {};
    this.#window = { malMs, time, allowedLatenessMs: allowedLateness * 1000 };
    this.#sources = new SourceSet({ sources, time, clock, onNews: () => this.#wakeup.notify() });
  }

  explain(): Promise<Explanation> {
    this.#explaining ??= this.#explain();
    return this.#explaining;
  }

  async #explain(): Promise<Explanation> {
    if (this.#evaluator) return this.#evaluator.explanation;
    const { evaluators, task } = this.#options;
    // By an evaluator of its own, since a query that is never read holds nothing.
    const evaluator = await makeEvaluator(evaluators, task);
    await evaluator.close();
    return evaluator.explanation;
  }

  get status(): LiveQueryStatus {
    const { cursors, dataAsOf } = this.#sources;
    const sources = this.#options.sources.map((source, index) => ({
      url: source.url,
      cursor: cursors[index],
      trouble: source.trouble?.(),
      ...source.data?.(),
    }));
    const isAnswered = this.#counts.evaluations > 0;
    return { ...this.#counts, dataAsOf: isAnswered ? (this.#heldAsOf ?? dataAsOf) : undefined, sources };
  }

  /**
   * All results, until the sources end. The iterator can be left while a result is waited for, and lets everything go when
   * the signal is aborted, even if nothing is asked of it any more.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<LiveResult> {
    if (this.#isRead) throw errors.ERR_QUERY_BUSY(undefined);
    this.#isRead = true;
    const { signal } = this.#options;
    const results = this.#results();
    const ended = { done: true, value: undefined } as const;
    if (signal?.aborted) this.#abort();
    signal?.addEventListener('abort', this.#abort, { once: true });
    return {
      next: () =>
        results.next().catch((error: unknown) => {
          if (error === LEFT) return ended;
          throw error;
        }),
      return: async () => {
        await this.#end(LEFT);
        // If it waits for the evaluator, it ends by the signal; if it stands at a result, it ends here.
        await results.return().catch(() => undefined);
        return ended;
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  readonly #abort = () => void this.#end(this.#options.signal?.reason);

  #end(reason: unknown): Promise<void> {
    this.#ending.abort(reason);
    this.#wakeup.notify();
    return this.#letGo();
  }

  async *#results(): AsyncGenerator<LiveResult, void, undefined> {
    const { signal } = this.#ending;
    try {
      const evaluator = await this.#begin();
      for (;;) {
        await this.#sources.takeIn((source, arrival) => this.#apply(evaluator, source, arrival));
        await this.#sources.hearClaims();
        signal.throwIfAborted();
        // Read before: if the sources end meanwhile, the last evaluation is still to come.
        const { hasEnded } = this.#sources;
        yield* this.#evaluateWhenDue(evaluator);
        signal.throwIfAborted();
        if (hasEnded && this.#oldestArrivalMs === undefined) return;
        await this.#wait(this.#dueMs(evaluator));
      }
    } finally {
      await this.#letGo();
    }
  }

  /** Ends the sources and the evaluator; waits for that, but not for long. */
  #letGo(): Promise<void> {
    this.#lettingGo ??= this.#close();
    return this.#lettingGo;
  }

  async #close(): Promise<void> {
    this.#options.signal?.removeEventListener('abort', this.#abort);
    // The reader may still read the result that it left at.
    if (this.#readable !== undefined) this.#lastAnswer = this.#evaluator?.answer();
    const closing = new AbortController();
    const closed = Promise.allSettled([this.#sources.close(), this.#evaluator?.close()]);
    await Promise.race([closed, this.#options.sleep(LET_GO_MS, closing.signal).catch(() => undefined)]);
    closing.abort();
  }

  async #begin(): Promise<Evaluator> {
    const { task, evaluators, data } = this.#options;
    const { signal } = this.#ending;
    signal.throwIfAborted();
    const making = makeEvaluator(evaluators, task);
    const evaluator = await untilAborted(making, signal).catch((error: unknown) => {
      // It may still come, and has to be closed.
      making.then(
        (late) => late.close(),
        () => undefined,
      );
      throw error;
    });
    this.#evaluator = evaluator;
    this.#isWindowed = evaluator.explanation.view === 'time';
    if (data) await untilAborted(loadData(evaluator, data, signal), signal);
    this.#sources.ask();
    return evaluator;
  }

  async #apply(evaluator: Evaluator, source: number, { event, atMs, lagMs }: Arrival): Promise<void> {
    const { dataAsOf } = this.#sources;
    const { matters, late, quads } = await untilAborted(evaluator.apply(source, event), this.#ending.signal);
    this.#counts.lateMembers += late;
    this.#counts.quads = quads;
    if (this.#due) this.#due.taken += 1;
    if (!matters && !this.#isWindowed) {
      this.#counts.skipped += 1;
      return;
    }
    this.#behindMs = Math.max(this.#behindMs, lagMs);
    if (this.#oldestArrivalMs !== undefined) return;
    this.#oldestArrivalMs = atMs;
    // The content of a window does not change as events are applied.
    if (!this.#isWindowed) this.#heldAsOf = dataAsOf;
  }

  /** Asks the query if it is due; of time windows, all that are complete. */
  async *#evaluateWhenDue(evaluator: Evaluator): AsyncGenerator<LiveResult> {
    const toMs = this.#isWindowed ? closedToMs(this.#windowClock()) : undefined;
    // Even if none closes: members of windows that are past then are late.
    const isDue = toMs === undefined ? this.#isDue(evaluator) : toMs > this.#askedToMs;
    const sinceMs = toMs === undefined ? this.#oldestArrivalMs : this.#windowsSinceMs();
    // Windows change only as they close: what came is not late because it waits for that.
    if (toMs !== undefined) this.#oldestArrivalMs = undefined;
    if (!isDue) return;
    let isReported = false;
    for (;;) {
      const start = this.#start(sinceMs);
      const answer = await untilAborted(evaluator.evaluate(toMs), this.#ending.signal);
      if (!answer) break;
      this.#heldAsOf = answer.window && start.dataAsOf;
      yield* this.#emit(evaluator, start, answer);
      isReported = true;
      if (!answer.window) break;
    }
    // All that an outage held up is reported now.
    if (isReported) this.#behindMs = 0;
    if (toMs !== undefined) this.#askedToMs = toMs;
  }

  #isDue(evaluator: Evaluator): boolean {
    const nowMs = this.#options.clock();
    const dueMs = this.#dueMs(evaluator);
    if (dueMs === undefined || dueMs > nowMs) return false;
    this.#due ??= { sinceMs: nowMs, taken: 0 };
    const { sinceMs, taken } = this.#due;
    if (this.#sources.hasArrivals && isWorthTakingMore(sinceMs, taken, nowMs, this.#window.malMs)) return false;
    this.#due = undefined;
    return true;
  }

  /** Since when windows could have been reported, epoch milliseconds: since something came, or a wait was to end. */
  #windowsSinceMs(): number | undefined {
    if (this.#wakeMs === undefined || this.#wakeMs > this.#options.clock()) return this.#oldestArrivalMs;
    return Math.min(this.#wakeMs, this.#oldestArrivalMs ?? Infinity);
  }

  /** @param sinceMs - since when there is something to report, epoch milliseconds */
  #start(sinceMs: number | undefined): EvaluationStart {
    const startMs = this.#options.clock();
    this.#lastStartMs = startMs;
    this.#oldestArrivalMs = undefined;
    const { dataAsOf, claimedToMs = startMs, cursors } = this.#sources;
    const waitedMs = Math.max(startMs - (sinceMs ?? startMs), startMs - claimedToMs, this.#behindMs);
    return { startMs, dataAsOf, cursors, waitedMs };
  }

  async *#emit(evaluator: Evaluator, start: EvaluationStart, answer: Answer): AsyncGenerator<LiveResult> {
    const { evaluationMs } = answer;
    const { dataAsOf, cursors } = start;
    const endMs = this.#options.clock();
    // The way to another thread and back counts as well.
    const tookMs = Math.max(evaluationMs, endMs - start.startMs);
    const overrun = isOverrun(this.#window.malMs, tookMs, start.waitedMs);
    const evaluatedAt = new Date(endMs);
    this.#counts.evaluations += 1;
    if (overrun) this.#counts.overruns += 1;
    Object.assign(this.#counts, { evaluatedAt, lastEvaluationMs: evaluationMs });
    if (!answer.isNew && this.#nextSequence > 0) return;
    const sequence = this.#nextSequence;
    this.#nextSequence += 1;
    const head = { sequence, evaluatedAt, dataAsOf, cursors, evaluationMs, overrun };
    const whole = () => (this.#readable === sequence ? (this.#lastAnswer ?? evaluator.answer()) : undefined);
    this.#readable = sequence;
    yield makeResult({ head, answer, explanation: evaluator.explanation, whole });
    this.#readable = undefined;
  }

  /** When to ask the query, or to look whether a window is complete, if nothing comes until then; epoch milliseconds. */
  #dueMs({ explanation: { isVolatile }, nextCloseMs }: Evaluator): number | undefined {
    if (this.#isWindowed) {
      if (nextCloseMs === undefined) return undefined;
      return windowWakeMs(nextCloseMs, this.#windowClock());
    }
    const nowMs = this.#options.clock();
    const { malMs } = this.#window;
    const isChanged = this.#oldestArrivalMs !== undefined;
    const { states: sources } = this.#sources;
    return nextEvaluationMs({ nowMs, malMs, lastStartMs: this.#lastStartMs, isChanged, isVolatile, sources });
  }

  #windowClock(): WindowClock {
    return { ...this.#window, nowMs: this.#options.clock(), sources: this.#sources.states };
  }

  /** Waits until something comes, or until `dueMs`, epoch milliseconds. */
  async #wait(dueMs = Infinity): Promise<void> {
    const nowMs = this.#options.clock();
    const claimsMs = this.#sources.isClaiming ? nowMs + claimsIntervalMs(this.#window.malMs) : Infinity;
    const wakeMs = Math.min(claimsMs, dueMs);
    this.#wakeMs = wakeMs === Infinity ? undefined : wakeMs;
    if (wakeMs <= nowMs || this.#sources.hasArrivals) return;
    const waiting = new AbortController();
    if (wakeMs < Infinity) {
      // Only this wait aborts it: whoever aborts the run notifies.
      this.#options.sleep(Math.min(wakeMs - nowMs, MAX_SLEEP_MS), waiting.signal).then(
        () => this.#wakeup.notify(),
        () => undefined,
      );
    }
    await this.#wakeup.wait();
    waiting.abort();
  }
}

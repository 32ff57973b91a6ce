/* One live query over its view: what its thread does, whichever thread that is.
 *
 * apply(event) -> View -> quads that came and went -> EngineStore, and those that can matter -> pending
 * evaluate()   -> AnswerFinder.find(pending), within its time -> keep -> what the operator reports of it:
 *   { "added": [ { "speed": 31 } ], "removed": [ { "speed": 30 } ], "isNew": true, "strategy": "local", "evaluationMs": 2.1 }
 * All of it goes by turns: nothing is applied while an evaluation is under way.
 */

import type { Quad } from '@rdfjs/types';
import { defaultEngine } from '../engines/comunica.ts';
import type { EngineStore } from '../engines/engine.ts';
import { errors } from '../errors.ts';
import type { EvaluationTask, EvaluatorFactory, QueryLimits, ResultOperator, ViewOptions } from '../options.ts';
import type { PreparedQuery } from '../prepare/prepared-query.ts';
import type { Row } from '../result.ts';
import { MAX_SLEEP_MS } from '../run/waiting.ts';
import type { SourceEvent } from '../source.ts';
import { quadKey } from '../views/quads.ts';
import { createView, type View, type ViewChange } from '../views/view.ts';
import { createFinder } from './answers.ts';
import { defaultLocalBounds, type LocalBounds } from './local-answers.ts';
import { type RowChange, rowsOfChanges } from './rows.ts';

/** Holds the view of one live query and answers it, in this thread or in another one. */
export interface Evaluator {
  /** Which strategy the query gets, and why. */
  readonly explanation: Explanation;
  /** As `View.nextCloseMs`. */
  readonly nextCloseMs?: number | undefined;
  /** Adds quads that hold at all times, before anything is applied; no more than a slice at once. */
  load(quads: readonly Quad[]): Promise<void>;
  /**
   * Applies what a source brought, whole. Never while an evaluation is under way.
   *
   * @returns whether the answer may change by it
   * @throws {@link StreamError} `ERR_VIEW_TOO_LARGE` - the view would hold more than `limitQuads`
   */
  apply(source: number, event: SourceEvent): Promise<Applied>;
  /**
   * Answers over the present view; of time windows, over the next one that closes at an instant or before.
   *
   * @param closedToMs - up to when windows are complete by the time that members are windowed by, epoch milliseconds; for
   *   views of time windows, and no others
   * @returns `undefined` when no window is left to report
   * @throws {@link StreamError} `ERR_QUERY_FAILED`, `ERR_ANSWER_TOO_LARGE`, `ERR_TEXT_TOO_LONG`, `ERR_EVALUATION_TIMEOUT`
   */
  evaluate(closedToMs?: number): Promise<Answer | undefined>;
  /** The whole answer that the last evaluation gave. */
  answer(): readonly Row[] | readonly Quad[];
  close(): Promise<void>;
}

export interface Applied {
  /** Whether a quad came or went that can matter to the query. */
  readonly matters: boolean;
  /** Members that came too late for every window that they belong to. */
  readonly late: number;
  /** Quads in the view. */
  readonly quads: number;
}

/** What changed of the answer; for ASK, the value. */
export interface Answer {
  readonly added: readonly Row[] | readonly Quad[];
  readonly removed: readonly Row[] | readonly Quad[];
  /** Of an ASK query. */
  readonly value?: boolean;
  /** Whether there is anything to report: it is the first, something came or went, or the order changed. */
  readonly isNew: boolean;
  /** How it was found: from the changed entities, or by asking the query again. */
  readonly strategy: 'local' | 'full';
  /** Milliseconds. */
  readonly evaluationMs: number;
  /** The time window that it is over, `[open, close)`, epoch milliseconds; absent for other views. */
  readonly window?: { readonly openMs: number; readonly closeMs: number };
}

/** How a query is answered, for people and programs. */
export interface Explanation extends Pick<PreparedQuery, 'form' | 'variables' | 'isOrdered' | 'isVolatile'> {
  /** `local`: from the changed entities alone. `full`: asked again as a whole. */
  readonly strategy: 'local' | 'full';
  /** Why, in words. */
  readonly reason: string;
  /** Whether changes that cannot matter are told apart, so that the query is not asked again for them. */
  readonly skipsWhatCannotMatter: boolean;
  /** Why not, in words, where it is not so. */
  readonly skipReason?: string;
  readonly engine: string;
  readonly view: ViewOptions['type'];
  /** What of the answers is reported: the operator of the query, or that of its options. */
  readonly output: ResultOperator;
}

/** What tests choose. */
export interface EvaluationChoices {
  /** Asks every query again as a whole. @defaultValue `false` */
  readonly isFullAlways?: boolean;
  /** @defaultValue {@link defaultLocalBounds} */
  readonly bounds?: Partial<LocalBounds>;
}

/** Evaluates in this thread. Whatever else runs in it waits while it does. */
export const evaluateHere: EvaluatorFactory = (task) => createEvaluator(task);

/**
 * @throws {@link StreamError} as `prepareQuery` does, and `ERR_ENGINE_MISSING`
 */
export async function createEvaluator(task: EvaluationTask, choices: EvaluationChoices = {}): Promise<EvaluatorHere> {
  const { sparql, sources, window, malMs, output, limits, engine = defaultEngine } = task;
  // The parser is large, and nobody needs it before there is a query.
  const { prepareQuery } = await import('../prepare/prepared-query.ts');
  const prepared = await prepareQuery(sparql, limits);
  const { form, variables, isOrdered, isVolatile, mattersReason, local, windows, operator } = prepared;
  const plan = choices.isFullAlways || 'reason' in local ? undefined : local;
  const whole = choices.isFullAlways || !('reason' in local) ? 'the caller chose so' : local.reason;
  const reason = plan ? `each solution follows from one entity, ?${plan.root}, and what it links to` : whole;
  const skipReason = mattersReason ?? (isVolatile ? 'the answer changes as time passes' : undefined);
  const explanation: Explanation = {
    skipsWhatCannotMatter: skipReason === undefined,
    ...(skipReason !== undefined && { skipReason }),
    isVolatile,
    view: windows.length > 0 ? 'time' : window.type,
    form,
    variables,
    isOrdered,
    output: operator ?? output,
    strategy: plan ? 'local' : 'full',
    reason,
    engine: engine.name,
  };
  const store = await engine.open();
  const bounds = { ...defaultLocalBounds, ...choices.bounds };
  return new EvaluatorHere({
    prepared,
    explanation,
    view: createView({ window, windows, sources, malMs }),
    store,
    finder: createFinder({ prepared, plan, engine, store, bounds, limits }),
    limits,
    limitChanges: bounds.limitChanges,
  });
}

interface EvaluatorOptions {
  readonly prepared: PreparedQuery;
  readonly explanation: Explanation;
  readonly view: View;
  readonly store: EngineStore;
  readonly finder: ReturnType<typeof createFinder>;
  readonly limits: QueryLimits;
  /** As {@link LocalBounds.limitChanges}. */
  readonly limitChanges: number;
}

type FoundAnswer = Awaited<ReturnType<EvaluatorOptions['finder']['find']>>;

/** The evaluator in this thread. It does one thing after the other, so that no answer is torn. */
export class EvaluatorHere implements Evaluator {
  readonly explanation: Explanation;
  readonly #options: EvaluatorOptions;
  /** Resolves when all that was begun has ended, even if it failed. */
  #last: Promise<unknown> = Promise.resolve();
  /** Changes of the view that the store lacks, since the view has grown too large. */
  #behind: ViewChange[] = [];
  /** Quads that came or went since the last answer, by key, unless they did both; `undefined` where any may have. */
  #pending: Map<string, Quad> | undefined;
  #isFirst = true;
  #isClosed = false;
  #running: AbortController | undefined;

  constructor(options: EvaluatorOptions) {
    this.#options = options;
    this.explanation = options.explanation;
  }

  get nextCloseMs(): number | undefined {
    return this.#options.view.nextCloseMs;
  }

  load(quads: readonly Quad[]): Promise<void> {
    return this.#inTurn(() => {
      this.#take(this.#options.view.load(quads));
    });
  }

  apply(source: number, event: SourceEvent): Promise<Applied> {
    return this.#inTurn(() => {
      const { view } = this.#options;
      const change = view.apply(source, event);
      const matters = this.#take(change);
      return { matters, late: change.late, quads: view.size };
    });
  }

  evaluate(): Promise<Answer>;
  evaluate(closedToMs: number | undefined): Promise<Answer | undefined>;
  evaluate(closedToMs?: number): Promise<Answer | undefined> {
    return this.#inTurn(async () => {
      if (closedToMs === undefined) {
        this.#assertComplete();
        return this.#answer();
      }
      const change = this.#options.view.next?.(closedToMs);
      if (change === undefined) return undefined;
      this.#take(change);
      const { openMs, closeMs, members } = change;
      return { ...(await this.#answer(members)), window: { openMs, closeMs } };
    });
  }

  answer(): readonly Row[] | readonly Quad[] {
    return this.explanation.form === 'ask' ? [] : (this.#options.finder.answer() as readonly Row[] | readonly Quad[]);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#running?.abort(closedError());
    await this.#last;
    this.#options.store.close();
  }

  #inTurn<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    const result = this.#last.then(() => {
      if (this.#isClosed) throw closedError();
      return work();
    });
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** @returns whether a quad came or went that can matter */
  #take(change: ViewChange): boolean {
    this.#behind.push(change);
    this.#assertComplete();
    const changes = this.#behind;
    this.#behind = [];
    const { store, prepared } = this.#options;
    let matters = false;
    const note = (quad: Quad) => {
      if (!prepared.matters(quad)) return;
      matters = true;
      this.#note(quad);
    };
    for (const { added, removed } of changes) {
      for (const quad of removed) {
        store.delete(quad);
        note(quad);
      }
      for (const quad of added) {
        store.add(quad);
        note(quad);
      }
    }
    return matters;
  }

  #assertComplete(): void {
    const { view, limits } = this.#options;
    const quads = view.size + (view.waiting ?? 0);
    if (quads > limits.limitQuads) throw errors.ERR_VIEW_TOO_LARGE({ quads, limitQuads: limits.limitQuads });
  }

  /** A quad comes only when it is not there, and goes only when it is: one that is noted twice is as it was. */
  #note(quad: Quad): void {
    if (this.#pending === undefined) return;
    const key = quadKey(quad);
    if (!this.#pending.delete(key)) this.#pending.set(key, quad);
    if (this.#pending.size > this.#options.limitChanges) this.#pending = undefined;
  }

  /** @param members - of the window that it is the answer of, where it is of one */
  async #answer(members?: number): Promise<Answer> {
    const startMs = performance.now();
    const isFirst = this.#isFirst;
    const isAsked = isFirst || this.#options.prepared.isVolatile || this.#pending?.size !== 0;
    const unasked = { changes: [], isReordered: false, strategy: this.explanation.strategy };
    const { changes, isReordered, strategy } = isAsked ? await this.#find() : unasked;
    const isChanged = isFirst || changes.length > 0 || isReordered;
    const reported = this.#report(changes, isChanged, members === undefined ? isChanged : members > 0);
    return { ...reported, strategy, evaluationMs: performance.now() - startMs };
  }

  /**
   * What the operator reports of the answer that was kept.
   *
   * @param isWholeNew - whether RSTREAM reports the whole answer
   * @see specs/query.md QUERY-106
   */
  #report(
    changes: FoundAnswer['changes'],
    isChanged: boolean,
    isWholeNew: boolean,
  ): Pick<Answer, 'added' | 'removed' | 'value' | 'isNew'> {
    const { form, output } = this.explanation;
    const isNew = output === 'rstream' ? isWholeNew : isChanged;
    if (form === 'ask') return { added: [], removed: [], value: this.#options.finder.answer()[0] === true, isNew };
    const { added, removed } = rowsOfChanges(changes as readonly RowChange[]);
    switch (output) {
      case 'delta':
        return { added, removed, isNew };
      case 'istream':
        return { added, removed: [], isNew: added.length > 0 };
      case 'dstream':
        return { added: [], removed, isNew: removed.length > 0 };
      case 'rstream':
        return { added: isWholeNew ? this.answer() : [], removed: [], isNew };
    }
  }

  /** Forgets nothing unless all went well: after a failure the next evaluation finds what this one should have. */
  async #find(): Promise<FoundAnswer> {
    const { finder, limits } = this.#options;
    const { limitEvaluationMs } = limits;
    const controller = new AbortController();
    this.#running = controller;
    const end = () => controller.abort(errors.ERR_EVALUATION_TIMEOUT({ limitEvaluationMs }));
    const startMs = performance.now();
    const timer = setTimeout(end, Math.min(limitEvaluationMs, MAX_SLEEP_MS));
    try {
      const changed = this.#pending && [...this.#pending.values()];
      const found = await finder.find(changed, { ...limits, signal: controller.signal });
      // An engine that answers in one go leaves the timer no turn.
      if (performance.now() - startMs > limitEvaluationMs) end();
      controller.signal.throwIfAborted();
      found.keep();
      this.#pending = new Map();
      this.#isFirst = false;
      return found;
    } finally {
      clearTimeout(timer);
      this.#running = undefined;
    }
  }
}

function closedError(): DOMException {
  return new DOMException('The evaluator is closed', 'AbortError');
}

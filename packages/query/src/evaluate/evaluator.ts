import type { Quad } from '@rdfjs/types';
import { defaultEngine } from '../engines/comunica.ts';
import type { EngineStore } from '../engines/engine.ts';
import { errors } from '../errors.ts';
import type { EvaluationTask, EvaluatorFactory, QueryLimits, ResultOperator } from '../options.ts';
import { type LocalPlan, type PreparedQuery, prepareQuery } from '../prepare/prepared-query.ts';
import type { Row } from '../result.ts';
import type { SourceEvent } from '../source.ts';
import { type PendingChanges, pendingChanges } from '../views/quads.ts';
import { createView, type View, type ViewChange } from '../views/view.ts';
import { type AnswerFinder, createFinder, type FoundAnswer } from './answers.ts';
import { defaultLocalBounds, type LocalBounds } from './local-answers.ts';

/** Holds the view of one live query and answers it: the same in this thread and behind the border to another one. */
export interface Evaluator {
  /** Which strategy the query gets, and why. */
  readonly explanation: Explanation;
  /** Of time windows: when the next one that is to be told of closes, as `View.nextCloseMs`; absent where there is none. */
  readonly nextCloseMs?: number | undefined;
  /** Adds quads that hold at all times; before anything is applied. */
  load(quads: readonly Quad[]): Promise<void>;
  /**
   * Applies what a source brought, whole. Never while an evaluation is under way.
   *
   * @returns whether the answer may change by it
   * @throws {@link StreamError} `ERR_VIEW_TOO_LARGE` - the view would hold more than `limitQuads`
   */
  apply(source: number, event: SourceEvent): Promise<Applied>;
  /**
   * Answers over the present view; over the latest state, the last members, or everything.
   *
   * @throws {@link StreamError} `ERR_QUERY_FAILED`, `ERR_ANSWER_TOO_LARGE`, `ERR_EVALUATION_TIMEOUT`
   */
  evaluate(): Promise<Answer>;
  /**
   * Answers over the next time window that closes at this instant or before.
   *
   * @param closedToMs - up to which instant windows are complete, epoch milliseconds, by the time that members are windowed by
   * @returns `undefined` when no window is left to be told of
   * @throws as `evaluate` does
   */
  evaluateWindow(closedToMs: number): Promise<WindowAnswer | undefined>;
  /** The whole answer that the last evaluation gave. */
  answer(): readonly Row[] | readonly Quad[];
  close(): Promise<void>;
}

/** What applying a commit came to. */
export interface Applied {
  /** Whether a quad came or went that can matter to the query. */
  readonly matters: boolean;
  /** Members that came too late for every window that they belong to. */
  readonly late: number;
  /** Quads in the view. */
  readonly quads: number;
  /** The latest instant of any member by the time that windows go by, epoch milliseconds; absent for other views. */
  readonly newestMs?: number;
}

/** What changed of the answer; for ASK, the value. */
export interface Answer {
  readonly added: readonly Row[] | readonly Quad[];
  readonly removed: readonly Row[] | readonly Quad[];
  /** Of an ASK query. */
  readonly value?: boolean;
  /** Whether there is anything to tell: it is the first, something came or went, or the order changed. */
  readonly isNew: boolean;
  /** How it was found: from the changed entities, or by asking the query again. */
  readonly strategy: 'local' | 'full';
  /** Milliseconds. */
  readonly evaluationMs: number;
}

/** The answer of one time window. */
export interface WindowAnswer extends Answer {
  /** `[open, close)`, epoch milliseconds. */
  readonly openMs: number;
  readonly closeMs: number;
}

/** How a query is answered, for people and programs. */
export interface Explanation {
  /** `local`: from the changed entities alone. `full`: asked again as a whole. */
  readonly strategy: 'local' | 'full';
  /** Why, in words. */
  readonly reason: string;
  /** Whether changes that cannot matter are told apart, so that the query is not asked again for them. */
  readonly skipsWhatCannotMatter: boolean;
  /** Why not, in words, where it is not so. */
  readonly skipReason?: string;
  readonly engine: string;
  /** Whether it is asked again as time passes, without a change. */
  readonly isVolatile: boolean;
  readonly view: 'latest' | 'time' | 'count' | 'all';
  readonly form: 'select' | 'construct' | 'describe' | 'ask';
  /** Of a SELECT query, the names of its variables in order, without `?`; empty for other forms. */
  readonly variables: readonly string[];
  /** Whether the order of the solutions counts, so that each result is told as a whole. */
  readonly isOrdered: boolean;
  /** What of the answers is reported: the operator of the query, or that of its options. */
  readonly output: ResultOperator;
}

/** What an evaluator does otherwise than by itself. */
export interface EvaluationChoices {
  /** Asks every query again as a whole. @defaultValue `false` */
  readonly isFullAlways?: boolean;
  /** @defaultValue {@link defaultLocalBounds} */
  readonly bounds?: LocalBounds;
}

/** Evaluates in this thread. Whatever else runs in it waits while it does. */
export const evaluateHere: EvaluatorFactory = (task) => createEvaluator(task);

/**
 * Makes an evaluator in this thread.
 *
 * @throws {@link StreamError} as `prepareQuery` does, and `ERR_ENGINE_MISSING`
 */
export async function createEvaluator(task: EvaluationTask, choices: EvaluationChoices = {}): Promise<EvaluatorHere> {
  const { sparql, sources, window, output, limits, engine = defaultEngine() } = task;
  const prepared = await prepareQuery(sparql, { limitQueryChars: limits.limitQueryChars });
  const chosen: ChosenPlan = choices.isFullAlways ? { reason: 'it was chosen so' } : choosePlan(prepared);
  const store = await engine.open();
  const finder = createFinder({
    prepared,
    chosen,
    engine,
    store,
    bounds: choices.bounds ?? defaultLocalBounds,
    limits,
  });
  return new EvaluatorHere({
    prepared,
    explanation: explainQuery(prepared, chosen, engine.name, { window, output }),
    view: createView({ window, windows: prepared.windows, sources, malMs: task.malMs }),
    store,
    finder,
    limits,
  });
}

/** How a query is answered from what changed, or why it is not, as `explain` tells it. */
export type ChosenPlan = { readonly plan: LocalPlan; readonly reason: string } | { readonly reason: string };

/** Chooses how a query is answered. */
function choosePlan({ local }: PreparedQuery): ChosenPlan {
  if ('reason' in local) return local;
  return { plan: local, reason: `each solution follows from one entity, ?${local.root}, and what it leads to` };
}

/** Tells how a query is answered, and why so. */
function explainQuery(
  prepared: PreparedQuery,
  chosen: ChosenPlan,
  engine: string,
  { window, output }: Pick<EvaluationTask, 'window' | 'output'>,
): Explanation {
  const { form, isVolatile, isOrdered, mattersReason, variables, windows, operator = output } = prepared;
  return {
    strategy: 'plan' in chosen ? 'local' : 'full',
    reason: chosen.reason,
    skipsWhatCannotMatter: mattersReason === undefined && !isVolatile,
    ...(mattersReason === undefined ? {} : { skipReason: mattersReason }),
    ...(mattersReason === undefined && isVolatile ? { skipReason: 'the answer changes as time passes' } : {}),
    engine,
    isVolatile,
    view: windows.length > 0 ? 'time' : window.type,
    form,
    variables,
    isOrdered,
    output: operator,
  };
}

/** What an evaluator is made of. */
interface EvaluatorParts {
  readonly prepared: PreparedQuery;
  readonly explanation: Explanation;
  readonly view: View;
  readonly store: EngineStore;
  readonly finder: AnswerFinder;
  readonly limits: QueryLimits;
}

/** The evaluator in this thread. Everything that it is told to do it does in turn, so that no answer is torn. */
export class EvaluatorHere implements Evaluator {
  readonly explanation: Explanation;
  readonly #parts: EvaluatorParts;
  readonly #turn = turnstile();
  readonly #pending = pendingChanges();
  readonly #viewStore: ViewStore;
  #isFirst = true;
  #isClosed = false;
  #running: AbortController | undefined;

  constructor(parts: EvaluatorParts) {
    this.#parts = parts;
    this.explanation = parts.explanation;
    const { view, store, prepared, limits } = parts;
    this.#viewStore = viewStore({
      view,
      store,
      pending: this.#pending,
      limitQuads: limits.limitQuads,
      matters: (quad) => prepared.matters(quad),
    });
  }

  get nextCloseMs(): number | undefined {
    return this.#parts.view.nextCloseMs;
  }

  load(quads: readonly Quad[]): Promise<void> {
    return this.#inTurn(() => {
      this.#viewStore.take(this.#parts.view.load(quads));
    });
  }

  apply(source: number, event: SourceEvent): Promise<Applied> {
    return this.#inTurn(() => {
      const { view } = this.#parts;
      const change = view.apply(source, event);
      const matters = this.#viewStore.take(change);
      const { newestMs } = view;
      return { matters, late: change.late, quads: view.size, ...(newestMs === undefined ? {} : { newestMs }) };
    });
  }

  evaluate(): Promise<Answer> {
    return this.#inTurn(() => {
      this.#viewStore.assertComplete();
      return this.#answer();
    });
  }

  evaluateWindow(closedToMs: number): Promise<WindowAnswer | undefined> {
    return this.#inTurn(async () => {
      const change = this.#parts.view.next?.(closedToMs);
      if (change === undefined) return undefined;
      this.#viewStore.take(change);
      const { openMs, closeMs, members } = change;
      return { ...(await this.#answer(members)), openMs, closeMs };
    });
  }

  answer(): readonly Row[] | readonly Quad[] {
    return this.#parts.finder.answer();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#running?.abort(new DOMException('The evaluator is closed', 'AbortError'));
    await this.#turn(() => this.#parts.store.close());
  }

  #inTurn<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    return this.#turn(() => {
      if (this.#isClosed) throw new DOMException('The evaluator is closed', 'AbortError');
      return work();
    });
  }

  /** @param members - of the window that it is the answer of, where it is of one */
  async #answer(members?: number): Promise<Answer> {
    const { finder, prepared } = this.#parts;
    const startMs = performance.now();
    const isFirst = this.#isFirst;
    const isAsked = isFirst || prepared.isVolatile || !this.#pending.isEmpty;
    const found = isAsked
      ? await this.#find()
      : { added: [], removed: [], isChanged: false, strategy: this.explanation.strategy };
    const isToldWhole = members === undefined ? isFirst || found.isChanged : members > 0;
    const told = tellAnswer(this.explanation.output, finder, { found, isFirst, isToldWhole });
    return { ...told, strategy: found.strategy, evaluationMs: performance.now() - startMs };
  }

  /** Nothing is forgotten unless all went well: after a failure the next one finds what this one should have. */
  async #find() {
    const { finder, limits } = this.#parts;
    const controller = new AbortController();
    this.#running = controller;
    try {
      const found = await withinTime(limits.limitEvaluationMs, controller, (signal) =>
        finder.find(this.#pending.quads, { limitRows: limits.limitRows, signal }),
      );
      found.keep();
      this.#pending.clear();
      this.#isFirst = false;
      return found;
    } finally {
      this.#running = undefined;
    }
  }
}

/** An answer as it was found, and when it is one to tell of. */
interface AnswerToTell {
  readonly found: Pick<FoundAnswer, 'added' | 'removed' | 'isChanged'>;
  readonly isFirst: boolean;
  /** Whether the whole answer is told, by an operator that does so. */
  readonly isToldWhole: boolean;
}

/**
 * What an operator tells of an answer that was found and kept.
 *
 * @see specs/query.md QUERY-106
 */
function tellAnswer(
  operator: ResultOperator,
  finder: AnswerFinder,
  { found, isFirst, isToldWhole }: AnswerToTell,
): Pick<Answer, 'added' | 'removed' | 'value' | 'isNew'> {
  const { added, removed } = found;
  const isChanged = isFirst || found.isChanged;
  if (finder.value) {
    return { added, removed, value: finder.value(), isNew: operator === 'rstream' ? isToldWhole : isChanged };
  }
  switch (operator) {
    case 'delta':
      return { added, removed, isNew: isChanged };
    case 'istream':
      return { added, removed: [], isNew: added.length > 0 };
    case 'dstream':
      return { added: [], removed, isNew: removed.length > 0 };
    case 'rstream':
      return { added: isToldWhole ? finder.answer() : [], removed: [], isNew: isToldWhole };
  }
}

/** Keeps an engine's store at what is in view. */
interface ViewStore {
  /**
   * Takes over a change of the view, whole.
   *
   * @returns whether a quad came or went that can matter
   * @throws {@link StreamError} `ERR_VIEW_TOO_LARGE` - more is in view than may be; the store stays behind until it is less
   */
  take(change: ViewChange): boolean;
  /** Throws as `take` does while the store is behind. */
  assertComplete(): void;
}

/** What belongs to a {@link ViewStore}. */
interface ViewStoreOptions {
  readonly view: View;
  readonly store: EngineStore;
  readonly pending: PendingChanges;
  readonly limitQuads: number;
  matters(quad: Quad): boolean;
}

/** Brings what is in view into an engine's store, and notes what of it can matter. */
function viewStore({ view, store, pending, limitQuads, matters }: ViewStoreOptions): ViewStore {
  let behind: ViewChange[] = [];
  const assertComplete = () => {
    const quads = view.size + (view.waiting ?? 0);
    if (quads > limitQuads) throw errors.ERR_VIEW_TOO_LARGE({ quads, limitQuads });
  };
  const bring = ({ added, removed }: ViewChange): boolean => {
    let isMattering = false;
    for (const quad of removed) {
      store.delete(quad);
      if (!matters(quad)) continue;
      isMattering = true;
      pending.remove(quad);
    }
    for (const quad of added) {
      store.add(quad);
      if (!matters(quad)) continue;
      isMattering = true;
      pending.add(quad);
    }
    return isMattering;
  };
  return {
    take: (change) => {
      behind.push(change);
      assertComplete();
      const changes = behind;
      behind = [];
      return changes.map(bring).includes(true);
    },
    assertComplete,
  };
}

/** Lets work through one after the other, in the order in which it came; what fails holds up nobody. */
export function turnstile(): <Result>(work: () => Result | Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}

/** The longest that a timer can wait. */
const LIMIT_TIMER_MS = 2 ** 31 - 1;

/**
 * Does work that ends when the signal that it is given is aborted, at the latest after so long.
 *
 * @param limitEvaluationMs - milliseconds
 * @param controller - of the work's signal; abort it to end the work before
 * @throws {@link StreamError} `ERR_EVALUATION_TIMEOUT` - it took longer, even where it could not be ended
 */
async function withinTime<Result>(
  limitEvaluationMs: number,
  controller: AbortController,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const end = () => controller.abort(errors.ERR_EVALUATION_TIMEOUT({ limitEvaluationMs }));
  const startMs = performance.now();
  const timer = setTimeout(end, Math.min(limitEvaluationMs, LIMIT_TIMER_MS));
  try {
    const result = await work(controller.signal);
    // An engine that answers in one go leaves the timer no turn.
    if (performance.now() - startMs > limitEvaluationMs) end();
    controller.signal.throwIfAborted();
    return result;
  } finally {
    clearTimeout(timer);
  }
}

import type { Quad } from '@rdfjs/types';
import type { SourceEvent } from '../commit-source.ts';
import type { EngineStore } from '../engines/engine.ts';
import type { Answer, Applied, Evaluator, Explanation, WindowAnswer } from '../evaluator.ts';
import type { Row } from '../live-result.ts';
import type { PreparedQuery } from '../prepared-query.ts';
import type { QueryLimits } from '../query-limits.ts';
import type { View } from '../view.ts';
import type { ResultOperator } from '../view-options.ts';
import type { AnswerFinder } from './answer-finder.ts';
import { pendingChanges } from './pending-changes.ts';
import { tellAnswer } from './tell-answer.ts';
import { turnstile } from './turnstile.ts';
import { type ViewStore, viewStore } from './view-store.ts';
import { withinTime } from './within-time.ts';

/** What an evaluator is made of. */
export interface EvaluatorParts {
  readonly prepared: PreparedQuery;
  readonly explanation: Explanation;
  readonly view: View;
  readonly store: EngineStore;
  readonly finder: AnswerFinder;
  readonly operator: ResultOperator;
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
    const { finder, operator, prepared } = this.#parts;
    const startMs = performance.now();
    const isFirst = this.#isFirst;
    const isAsked = isFirst || prepared.isVolatile || !this.#pending.isEmpty;
    const found = isAsked
      ? await this.#find()
      : { added: [], removed: [], isChanged: false, strategy: this.explanation.strategy };
    const isToldWhole = members === undefined ? isFirst || found.isChanged : members > 0;
    const told = tellAnswer(operator, finder, { found, isFirst, isToldWhole });
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

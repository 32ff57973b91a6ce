import type { Quad } from '@rdfjs/types';
import type { SourceEvent } from './commit-source.ts';
import type { Row } from './live-result.ts';

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
}

/*
 * What a live query tells each time that its answer changes, and how that is made of what an evaluator answered.
 *
 *   { sequence: 3, form: 'bindings', kind: 'delta', variables: ['v'], added: [{ v: <urn:x:4> }], removed: [],
 *     dataAsOf: 2026-03-01T12:00:00.100Z, cursors: ['e5-41'], evaluationMs: 4, overrun: false, bindings() }
 */
import type { Quad, Term } from '@rdfjs/types';
import { errors } from './errors.ts';
import type { Answer, Explanation } from './evaluate/evaluator.ts';

/** A solution of a SELECT query: a term for each variable that is bound, without its `?`. */
export type Row = Readonly<Record<string, Term>>;

/**
 * What a live query tells each time its answer changes. Tell them apart by `form`, of which each has properties of its own.
 *
 * @example
 * ```ts
 * for await (const result of query) {
 *   if (result.form !== 'bindings') continue;
 *   for (const row of result.added) console.log(row.vehicle?.value, row.speed?.value);
 * }
 * ```
 */
export type LiveResult = BindingsResult | QuadsResult | BooleanResult;

/** What every result says. */
export interface ResultBase {
  /** 0 for the first, one more for each next. */
  readonly sequence: number;
  /** When the evaluation ended. */
  readonly evaluatedAt: Date;
  /** The answer holds all that was published until then, as far as the sources show. Never later than the evaluation's start. */
  readonly dataAsOf: Date;
  /** The cursor of each source that the answer stands at, in their order; `undefined` for one that has brought nothing. */
  readonly cursors: readonly (string | undefined)[];
  /** How long the evaluation took, milliseconds. */
  readonly evaluationMs: number;
  /**
   * Whether the MAL could not be kept: the evaluation took longer than it, or began later than it allows, or a source was
   * further behind before it brought what this is the first to tell, such as in an outage.
   */
  readonly overrun: boolean;
  /** The time window that was asked, `[open, close)`; absent for other views. */
  readonly window?: { readonly open: Date; readonly close: Date };
}

/** Of a SELECT query. */
export interface BindingsResult extends ResultBase {
  readonly form: 'bindings';
  /** `delta`: apply `removed` and `added` to the answer before. `snapshot`: the order counts, take `bindings()`. */
  readonly kind: 'delta' | 'snapshot';
  /** Names of the variables, in the order of the query. */
  readonly variables: readonly string[];
  /** Solutions that came, each as often as it came more often than before. */
  readonly added: readonly Row[];
  /** Solutions that went. */
  readonly removed: readonly Row[];
  /**
   * The whole answer as of this result, in the order of the query if it has one. Only until the next result is asked for.
   *
   * @throws {@link StreamError} `ERR_ANSWER_PASSED` - there is a later one
   */
  bindings(): readonly Row[];
  readonly quads?: never;
  readonly value?: never;
}

/** Of a CONSTRUCT or DESCRIBE query. */
export interface QuadsResult extends ResultBase {
  readonly form: 'quads';
  readonly kind: 'delta';
  /** Quads that were not there before. */
  readonly added: readonly Quad[];
  /** Quads that are there no more. */
  readonly removed: readonly Quad[];
  /**
   * The whole graph as of this result. Only until the next result is asked for.
   *
   * @throws {@link StreamError} `ERR_ANSWER_PASSED` - there is a later one
   */
  quads(): readonly Quad[];
  readonly variables?: never;
  readonly bindings?: never;
  readonly value?: never;
}

/** Of an ASK query. */
export interface BooleanResult extends ResultBase {
  readonly form: 'boolean';
  readonly kind: 'snapshot';
  readonly value: boolean;
  readonly variables?: never;
  readonly added?: never;
  readonly removed?: never;
  readonly bindings?: never;
  readonly quads?: never;
}

interface ResultOptions {
  readonly head: Omit<ResultBase, 'window'>;
  readonly answer: Answer;
  readonly explanation: Pick<Explanation, 'form' | 'variables' | 'isOrdered'>;
  /** The whole answer; `undefined` once there is a later result. */
  readonly whole: () => readonly Row[] | readonly Quad[] | undefined;
}

/** @see specs/query.md QUERY-1, QUERY-4 */
export function makeResult({ head, answer, explanation, whole }: ResultOptions): LiveResult {
  const { window } = answer;
  const base = {
    ...head,
    ...(window && { window: { open: new Date(window.openMs), close: new Date(window.closeMs) } }),
  };
  const { form, variables, isOrdered } = explanation;
  if (form === 'ask') return { ...base, form: 'boolean', kind: 'snapshot', value: answer.value === true };
  const take = () => {
    const taken = whole();
    if (!taken) throw errors.ERR_ANSWER_PASSED({ sequence: head.sequence });
    return taken;
  };
  if (form === 'select') {
    const kind = isOrdered ? 'snapshot' : 'delta';
    const [added, removed] = [answer.added as readonly Row[], answer.removed as readonly Row[]];
    return { ...base, form: 'bindings', kind, variables, added, removed, bindings: () => take() as readonly Row[] };
  }
  const [added, removed] = [answer.added as readonly Quad[], answer.removed as readonly Quad[]];
  return { ...base, form: 'quads', kind: 'delta', added, removed, quads: () => take() as readonly Quad[] };
}

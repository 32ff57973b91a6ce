/*
 * Options of a live query: what they are, their defaults, and the check of all of them, which is here and nowhere else.
 *
 *   { mal: 5, limits: { limitRows: 10 } } -> checkedOptions
 *     -> { malMs: 5000, window: { type: 'latest' }, output: 'delta', limits: { limitRows: 10, limitQuads: 2000000, ... } }
 *   { MAL: 5 } -> ERR_QUERY_OPTION, with the names that there are
 */
import type { Quad } from '@rdfjs/types';
import type { QueryEngine } from './engines/engine.ts';
import { errors } from './errors.ts';
import type { Evaluator } from './evaluate/evaluator.ts';

/** Options of {@link liveQuery}. */
export interface LiveQueryOptions {
  /** The maximum acceptable latency: how old an answer may be, in seconds, above 0. It is asked again at most once in it. @defaultValue 1 */
  readonly mal?: number;
  /** What the query is asked over, such as `{ type: 'time', range: 60 }` for the last minute. @defaultValue the latest state */
  readonly window?: ViewOptions;
  /** What of the answers is told. @defaultValue `delta` */
  readonly output?: ResultOperator;
  /** What answers: `comunica()`, or `oxigraph()`, which needs the package `oxigraph` beside this one. @defaultValue `comunica()` */
  readonly engine?: QueryEngine;
  /** RDF/JS quads that hold at all times, in the default graph beside the sources': a timetable, a list of places. */
  readonly data?: Iterable<Quad> | AsyncIterable<Quad>;
  /** Ends it: the iteration throws its reason. */
  readonly signal?: AbortSignal;
  /** Limits other than the defaults: 100,000 rows, 2,000,000 quads, 30,000 ms, 10,000 characters, 1,000,000 of a text made, answers of 160 MiB. */
  readonly limits?: Partial<QueryLimits>;
  /** The present in epoch milliseconds. @defaultValue `Date.now` */
  readonly clock?: () => number;
  /** How to wait. @defaultValue by `setTimeout` */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Where the query is evaluated: `evaluateInWorker()` of `@ldes-live/query/worker` is elsewhere. @defaultValue here, in this thread */
  readonly evaluators?: EvaluatorFactory;
}

/** Makes what evaluates: in this thread, or in one of its own, so that nothing here waits for it. */
export type EvaluatorFactory = (task: EvaluationTask) => Promise<Evaluator>;

/** Everything that an evaluator has to know before there is data. */
export interface EvaluationTask {
  readonly sparql: string;
  /** IRIs of the sources, as {@link CommitSource.url}. */
  readonly sources: readonly (string | undefined)[];
  readonly window: ViewOptions;
  readonly output: ResultOperator;
  readonly malMs: number;
  readonly limits: QueryLimits;
  readonly engine?: QueryEngine;
}

/** What a live query may cost. All are 1 or more. */
export interface QueryLimits {
  /** Solutions or quads of an answer. @defaultValue 100000 */
  readonly limitRows: number;
  /** Quads that its view may hold. @defaultValue 2000000 */
  readonly limitQuads: number;
  /** The longest evaluation, in milliseconds. @defaultValue 30000 */
  readonly limitEvaluationMs: number;
  /** Characters of the query's text. @defaultValue 10000 */
  readonly limitQueryChars: number;
  /** Characters of a text that a function of the query makes, such as CONCAT; Oxigraph knows no such limit. @defaultValue 1000000 */
  readonly limitTextChars: number;
  /** Characters of the terms of an answer; over HTTP, its bytes as well. @defaultValue 160 MiB */
  readonly limitAnswerBytes: number;
}

/**
 * Which part of what the sources brought a query is asked over. Times are in seconds.
 *
 * - `latest`: the newest version of every living entity.
 * - `time`: the members of the last `range` seconds.
 * - `count`: the last so many members, of all sources together, deletes included.
 * - `all`: everything since the reading began.
 *
 * @see specs/query.md QUERY-32, QUERY-34, QUERY-36
 */
export type ViewOptions =
  | { readonly type: 'latest' }
  | TimeWindowOptions
  | { readonly type: 'count' /** Members, 1 or more. */; readonly members: number }
  | { readonly type: 'all' };

/**
 * Windows over time: `[open, close)`, one every `step` seconds. Each is asked once, when it closes.
 *
 * @see specs/query.md QUERY-30
 */
export interface TimeWindowOptions {
  readonly type: 'time';
  /** How long a window is, in seconds, from 0.001; to the millisecond. */
  readonly range: number;
  /** Time from one window's close to the next one's, in seconds, from 0.001; to the millisecond. @defaultValue the MAL, at most `range` */
  readonly step?: number;
  /**
   * By which time members belong to a window: when they were published, which never goes back, or their source's own, in any order.
   *
   * @defaultValue `published`
   */
  readonly time?: 'published' | 'version';
  /** How long a window waits for members that come late, in seconds. @defaultValue 0 */
  readonly allowedLateness?: number;
  /** An instant at which a window opens, epoch milliseconds. @defaultValue 0 */
  readonly originMs?: number;
}

/**
 * What of the answers is told: what came and what went (`delta`), or with RSP-QL's operators the whole answer of each
 * window (`rstream`), what came only (`istream`) or what went only (`dstream`).
 */
export type ResultOperator = 'delta' | 'rstream' | 'istream' | 'dstream';

export const DEFAULT_LIMITS: QueryLimits = {
  limitRows: 100_000,
  limitQuads: 2_000_000,
  limitEvaluationMs: 30_000,
  limitQueryChars: 10_000,
  limitTextChars: 1_000_000,
  limitAnswerBytes: 160 * 1024 * 1024,
};

/** The longest `range`, `step` and `allowedLateness`, in seconds: 100 years. */
export const LONGEST_SECONDS = 3_155_760_000;

const OPERATORS: readonly unknown[] = ['delta', 'rstream', 'istream', 'dstream'] satisfies ResultOperator[];

const isFunction = (value: unknown) => typeof value === 'function';

/** Each option: whether a value is of its kind and range, and what to give instead. */
const OPTIONS: { readonly [Name in keyof LiveQueryOptions]-?: readonly [(value: unknown) => boolean, string] } = {
  mal: [(value) => Number.isFinite(value) && (value as number) > 0, 'give seconds above 0'],
  window: [isObject, "give an object, such as { type: 'time', range: 60 } for a minute"],
  output: [(value) => OPERATORS.includes(value), `give one of ${OPERATORS.join(', ')}`],
  engine: [
    (value) => isObject(value) && typeof value.name === 'string' && isFunction(value.open),
    'give comunica() or oxigraph(), with the parentheses',
  ],
  // A text is an iterable too, of characters.
  data: [
    (value) => isObject(value) && (Symbol.iterator in value || Symbol.asyncIterator in value),
    'give an iterable of RDF/JS quads, such as the result of a parser',
  ],
  // Of any realm.
  signal: [
    (value) => isObject(value) && 'aborted' in value && isFunction(value.addEventListener),
    'give an AbortSignal, such as the signal of an AbortController',
  ],
  limits: [
    (value) => isObject(value) && !Array.isArray(value),
    'give an object of limits, such as { limitRows: 1000 }',
  ],
  clock: [isFunction, 'give a function'],
  sleep: [isFunction, 'give a function'],
  evaluators: [isFunction, 'give evaluateInWorker(), with the parentheses, or another function of a task'],
};

/**
 * Checks the options of a live query, and adds the defaults.
 *
 * @param others - names of other options, which are not checked
 * @throws {@link StreamError} `ERR_QUERY_OPTION` - one has no meaning, or is out of its range
 */
export function checkedOptions(
  options: LiveQueryOptions,
  others: readonly string[] = [],
): Pick<EvaluationTask, 'malMs' | 'window' | 'output' | 'limits'> {
  const isRight = isObject(options) && !Array.isArray(options);
  refuseUnless(isRight, 'options', options, 'give an object of options, such as { mal: 5 }');
  refuseUnknown(options, [...Object.keys(OPTIONS), ...others], '', 'unknown option');
  for (const [name, [isKind, expected]] of Object.entries(OPTIONS)) {
    const value = options[name as keyof LiveQueryOptions];
    refuseUnless(value === undefined || isKind(value), name, value, expected);
  }
  const { mal = 1, window = { type: 'latest' }, output = 'delta', limits = {} } = options;
  checkWindow(window);
  refuseUnknown(limits, Object.keys(DEFAULT_LIMITS), 'limits.', 'unknown limit');
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) {
    refuseUnless(isCount(value), `limits.${name}`, value, 'give a whole number of 1 or more');
  }
  // 1.001 times 1000 is just below 1001, and an evaluation of 1001 ms is within that MAL.
  const malMs = Number((mal * 1000).toPrecision(12));
  return { malMs, window, output, limits: { ...DEFAULT_LIMITS, ...Object.fromEntries(given) } };
}

/** @throws {@link StreamError} `ERR_QUERY_OPTION` - an option is out of its range @see specs/query.md */
export function checkWindow(options: ViewOptions): void {
  // Callers without types give anything.
  refuseUnless(isObject(options), 'window', options, OPTIONS.window[1]);
  const isType = ['latest', 'time', 'count', 'all'].includes(options.type);
  refuseUnless(isType, 'window.type', options.type, 'give one of latest, time, count, all');
  if (options.type === 'count') {
    refuseUnless(isCount(options.members), 'window.members', options.members, 'give a whole number of 1 or more');
  } else if (options.type === 'time') checkTimeWindow(options);
}

function checkTimeWindow({ range, step, time, allowedLateness, originMs }: TimeWindowOptions): void {
  const length = `give seconds from 0.001 to ${LONGEST_SECONDS}`;
  refuseUnless(isWithin(range, 0.001), 'window.range', range, length);
  refuseUnless(step === undefined || isWithin(step, 0.001), 'window.step', step, length);
  const isTime = time === undefined || time === 'published' || time === 'version';
  refuseUnless(isTime, 'window.time', time, 'give published or version');
  const isLateness = allowedLateness === undefined || isWithin(allowedLateness, 0);
  const lateness = `give seconds from 0 to ${LONGEST_SECONDS}`;
  refuseUnless(isLateness, 'window.allowedLateness', allowedLateness, lateness);
  // What a Date can be.
  const isInstant = originMs === undefined || (Number.isInteger(originMs) && Math.abs(originMs) <= 8.64e15);
  refuseUnless(isInstant, 'window.originMs', originMs, 'give whole milliseconds from -8.64e15 to 8.64e15');
}

/**
 * Makes an evaluator, and checks that it is one: `evaluateInWorker` is a function of one argument as well, and only what it
 * returns shows that it is not a factory.
 *
 * @throws {@link StreamError} `ERR_QUERY_OPTION` - it is not an evaluator
 */
export async function makeEvaluator(evaluators: EvaluatorFactory, task: EvaluationTask): Promise<Evaluator> {
  const made: unknown = await evaluators(task);
  const isEvaluator = isObject(made) && 'evaluate' in made && 'explanation' in made;
  refuseUnless(
    isEvaluator,
    'evaluators',
    typeof made,
    'it does not make an evaluator. Give evaluateInWorker(), with the parentheses',
  );
  return made as unknown as Evaluator;
}

export function isObject(value: unknown): value is Readonly<Record<PropertyKey, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function isWithin(seconds: unknown, min: number): boolean {
  return typeof seconds === 'number' && seconds >= min && seconds <= LONGEST_SECONDS;
}

function refuseUnknown(given: object, known: readonly string[], prefix: string, problem: string): void {
  const unknown = Object.entries(given).find(([name]) => !known.includes(name));
  const expected = `${problem}, give one of ${known.join(', ')}`;
  refuseUnless(unknown === undefined, `${prefix}${unknown?.[0]}`, unknown?.[1], expected);
}

function refuseUnless(isRight: boolean, name: string, value: unknown, expected: string): void {
  if (!isRight) throw errors.ERR_QUERY_OPTION({ name, value, expected });
}

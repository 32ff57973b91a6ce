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
  /** Limits other than the defaults: 100,000 rows, 2,000,000 quads, 30,000 ms, 10,000 characters. */
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
}

/** What a live query may cost, unless it is told otherwise. */
export const DEFAULT_LIMITS: QueryLimits = {
  limitRows: 100_000,
  limitQuads: 2_000_000,
  limitEvaluationMs: 30_000,
  limitQueryChars: 10_000,
};

/** The maximum acceptable latency, unless it is told otherwise, seconds. */
const DEFAULT_MAL_SECONDS = 1;

const NAMES: ReadonlySet<string> = new Set<keyof LiveQueryOptions>([
  'mal',
  'window',
  'output',
  'engine',
  'data',
  'signal',
  'limits',
  'clock',
  'sleep',
  'evaluators',
]);

const OPERATORS: readonly ResultOperator[] = ['delta', 'rstream', 'istream', 'dstream'];

/** Options of a live query, checked, with what holds where nothing is said. */
interface CheckedOptions {
  readonly malMs: number;
  readonly window: ViewOptions;
  readonly output: ResultOperator;
  readonly limits: QueryLimits;
}

/**
 * Checks the options of a live query.
 *
 * @throws {@link StreamError} `ERR_QUERY_OPTION` - one has no meaning, or is out of its range
 */
export function checkedOptions(options: LiveQueryOptions): CheckedOptions {
  if (!isObject(options)) {
    const expected = 'give an object of options, such as { mal: 5 }';
    throw errors.ERR_QUERY_OPTION({ name: 'options', value: options, expected });
  }
  refuseUnknown(options, NAMES, '', 'there is no such option');
  checkKinds(options);
  const { mal = DEFAULT_MAL_SECONDS, window = { type: 'latest' }, output = 'delta', limits = {} } = options;
  if (!(typeof mal === 'number' && Number.isFinite(mal) && mal > 0)) {
    throw errors.ERR_QUERY_OPTION({ name: 'mal', value: mal, expected: 'give seconds above 0' });
  }
  if (!OPERATORS.includes(output)) {
    throw errors.ERR_QUERY_OPTION({ name: 'output', value: output, expected: `give one of ${OPERATORS.join(', ')}` });
  }
  checkWindow(window);
  // 1.001 times 1000 is just below 1001, and an evaluation of 1001 ms is within that MAL.
  const malMs = Number((mal * 1000).toPrecision(12));
  return { malMs, window, output, limits: checkedLimits(limits) };
}

function checkedLimits(limits: Partial<QueryLimits>): QueryLimits {
  refuseUnknown(limits, new Set(Object.keys(DEFAULT_LIMITS)), 'limits.', 'there is no such limit');
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) {
    if (Number.isSafeInteger(value) && value >= 1) continue;
    throw errors.ERR_QUERY_OPTION({ name: `limits.${name}`, value, expected: 'give a whole number of 1 or more' });
  }
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(given) };
}

function refuseUnknown(given: object, names: ReadonlySet<string>, prefix: string, expected: string): void {
  const unknown = Object.keys(given).find((name) => !names.has(name));
  if (unknown === undefined) return;
  const value = (given as Record<string, unknown>)[unknown];
  throw errors.ERR_QUERY_OPTION({
    name: `${prefix}${unknown}`,
    value,
    expected: `${expected}: give of ${[...names].join(', ')}`,
  });
}

/** What each option is, to who has given something else: whether a value is one, and what to give. */
const KINDS: Readonly<Partial<Record<keyof LiveQueryOptions, readonly [(value: unknown) => boolean, string]>>> = {
  engine: [isEngine, 'give comunica() or oxigraph(), called'],
  data: [isIterable, 'give an iterable of RDF/JS quads, such as a parser makes of a file'],
  signal: [isSignal, 'give an AbortSignal, such as the signal of an AbortController'],
  limits: [isObject, 'give an object of limits, such as { limitRows: 1000 }'],
  clock: [isFunction, 'give a function'],
  sleep: [isFunction, 'give a function'],
  evaluators: [isFunction, 'give evaluateInWorker(), called, or another function of a task'],
};

/**
 * Checks that options are of their kind at all.
 *
 * @throws {@link StreamError} `ERR_QUERY_OPTION` - one is not
 */
function checkKinds(options: LiveQueryOptions): void {
  for (const [name, [isKind, expected]] of Object.entries(KINDS)) {
    const value: unknown = options[name as keyof LiveQueryOptions];
    if (value !== undefined && !isKind(value)) throw errors.ERR_QUERY_OPTION({ name, value, expected });
  }
}

/** Whether a value has properties by name: what options and limits are given in. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

function isEngine(value: unknown): boolean {
  return (
    isObject(value) && 'name' in value && typeof value.name === 'string' && 'open' in value && isFunction(value.open)
  );
}

/** A text is an iterable too, of characters. */
function isIterable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);
}

/** Of any realm. */
function isSignal(value: unknown): boolean {
  return isObject(value) && 'aborted' in value && 'addEventListener' in value && isFunction(value.addEventListener);
}

/**
 * A factory that makes sure of what it is given: a maker of factories, such as `evaluateInWorker`, is a function of one
 * argument as well, and shows that it is none only by what it returns.
 *
 * @throws {@link StreamError} `ERR_QUERY_OPTION` - from the factory: what was made is no evaluator
 */
export function checkedFactory(evaluators: EvaluatorFactory): EvaluatorFactory {
  return async (task) => {
    const made: unknown = await evaluators(task);
    if (typeof made === 'object' && made !== null && 'evaluate' in made && 'explanation' in made) {
      return made as Awaited<ReturnType<EvaluatorFactory>>;
    }
    const value = typeof made;
    const expected = 'it makes no evaluator: give evaluateInWorker(), called';
    throw errors.ERR_QUERY_OPTION({ name: 'evaluators', value, expected });
  };
}

/**
 * Which part of what the sources brought a query is asked over. Times are in seconds.
 *
 * - `latest`: the newest version of every living entity.
 * - `time`: the members of the last `range` seconds.
 * - `count`: the last so many members, of all sources together, deletes included.
 * - `all`: everything since the reading began.
 *
 * @see specs/query.md QUERY-32, QUERY-34, QUERY-35, QUERY-36
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

/** The longest `range`, `step` and `allowedLateness`, in seconds: 100 years. */
export const LONGEST_SECONDS = 3_155_760_000;

/**
 * Checks what a query is to be asked over.
 *
 * @throws {@link StreamError} `ERR_QUERY_OPTION` - `range` or `step` is not from 0.001 to {@link LONGEST_SECONDS},
 * `allowedLateness` not from 0, `originMs` no instant, `members` no whole number of 1 or more, or a word none of its values
 * @see specs/query.md QUERY-42
 */
export function checkWindow(options: ViewOptions): void {
  // Callers without types give anything.
  const isObject = typeof options === 'object' && options !== null;
  refuseUnless(isObject, 'window', options, "give an object, such as { type: 'time', range: 60 } for a minute");
  const type: unknown = options.type;
  if (type === 'latest' || type === 'all') return;
  if (options.type === 'count') {
    const isCount = Number.isSafeInteger(options.members) && options.members >= 1;
    refuseUnless(isCount, 'window.members', options.members, 'give a whole number of 1 or more');
  } else if (options.type === 'time') checkTimeWindow(options);
  else refuseUnless(false, 'window.type', type, 'give one of latest, time, count, all');
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

function isWithin(seconds: unknown, least: number): boolean {
  return typeof seconds === 'number' && seconds >= least && seconds <= LONGEST_SECONDS;
}

function refuseUnless(isRight: boolean, name: string, value: unknown, expected: string): void {
  if (!isRight) throw errors.ERR_QUERY_OPTION({ name, value, expected });
}

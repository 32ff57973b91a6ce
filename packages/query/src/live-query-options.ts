import type { Quad } from '@rdfjs/types';
import type { QueryEngine } from './engines/engine.ts';
import type { Evaluator } from './evaluate/evaluator.ts';
import type { QueryLimits } from './query-limits.ts';
import type { ResultOperator, ViewOptions } from './view-options.ts';

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

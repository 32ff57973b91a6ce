/*
 * The entry: options are checked, a run is made ready, and its iterator handed out. Nothing is read or loaded before.
 *
 *   liveQuery(source, 'SELECT ?s ?o { ?s <urn:p> ?o }', { mal: 2 }) -> for await: result, result, ...   (run/live-run.ts)
 *   query.status -> { evaluations: 3, skipped: 12, overruns: 0, dataAsOf, sources: [{ cursor: 'e5-41' }], ... }
 */
import { errors } from './errors.ts';
import { type Explanation, evaluateHere } from './evaluate/evaluator.ts';
import { checkedOptions, type LiveQueryOptions } from './options.ts';
import type { LiveResult } from './result.ts';
import { LiveRun } from './run/live-run.ts';
import { sleep as sleepByTimer } from './run/waiting.ts';
import type { CommitSource, DataStatus } from './source.ts';

/** A query that is answered again as its sources go on: iterate over it, once. */
export interface LiveQuery extends AsyncIterable<LiveResult> {
  /**
   * Which strategy it gets, and why. Loads the engine.
   *
   * @throws {@link StreamError} `ERR_QUERY_SYNTAX` and what else is refused of a query before there is data
   */
  explain(): Promise<Explanation>;
  /** How it fares, as it is at the moment. */
  readonly status: LiveQueryStatus;
}

/** How a live query fares. */
export interface LiveQueryStatus {
  /** How often it was asked. */
  readonly evaluations: number;
  /** Events of the sources after which it was not asked, since they cannot matter to it. */
  readonly skipped: number;
  /** Evaluations that could not keep the MAL. */
  readonly overruns: number;
  /** Members that came too late for every window that they belong to. */
  readonly lateMembers: number;
  /** Quads in view. */
  readonly quads: number;
  /**
   * The last answer holds all that was published until then, as far as the sources show: it goes on while they bring only
   * what cannot matter, and stands still while they cannot be heard. Absent before the first.
   */
  readonly dataAsOf: Date | undefined;
  /** When the last evaluation ended. */
  readonly evaluatedAt: Date | undefined;
  /** How long the last evaluation took, milliseconds. */
  readonly lastEvaluationMs: number | undefined;
  /** The sources, in their order. */
  readonly sources: readonly SourceStatus[];
}

/** How a source of a live query fares. */
export interface SourceStatus extends DataStatus {
  /** The stream's IRI, where the source tells it. */
  readonly url: string | undefined;
  /** Where it stands by what was applied; absent while it has brought nothing. */
  readonly cursor: string | undefined;
  /** What keeps it from bringing anything, in words for people; absent while all is well, as far as it tells. */
  readonly trouble: string | undefined;
}

/**
 * Answers a SPARQL query over streams, and tells what changed of the answer as they go on.
 *
 * Each commit is in an answer whole or not at all. An answer is at most the MAL old, and the time that the evaluation takes;
 * a result for which that could not be kept says `overrun`. The iteration ends when all sources have ended; leaving it, or the
 * signal, ends their reading.
 *
 * @param source - what to read: one, or several that are queried together
 * @param sparql - SELECT, CONSTRUCT, DESCRIBE or ASK; with RSP-QL's windows if need be
 * @throws {@link StreamError} `ERR_QUERY_OPTION` - an option has no meaning, or is out of its range; what shows only as it is
 *   used, such as data that are no quads, from the iteration
 * @throws {@link StreamError} `ERR_QUERY_BUSY` - from the iteration: it is iterated over a second time
 * @throws {@link StreamError} `ERR_QUERY_SYNTAX`, `ERR_QUERY_FAILED`, `ERR_ANSWER_TOO_LARGE`, `ERR_TEXT_TOO_LONG`,
 *   `ERR_VIEW_TOO_LARGE`, `ERR_EVALUATION_TIMEOUT` and others of a query - from the iteration, which ends by it
 * @throws {@link StreamError} `ERR_QUERY_SOURCE` - from the iteration, which ends by it: a source brought what is no commit
 * @throws what a source throws, and the signal's reason - from the iteration, which ends by it
 * @example
 * ```ts
 * for await (const result of liveQuery(source, 'SELECT ?s ?o { ?s <urn:p> ?o }', { mal: 2 })) {
 *   if (result.form !== 'bindings') continue;
 *   console.log(result.dataAsOf, result.added, result.removed);
 * }
 * ```
 * @see specs/query.md QUERY-1, QUERY-2, QUERY-4, QUERY-61 to QUERY-66
 */
export function liveQuery(
  source: CommitSource | readonly CommitSource[],
  sparql: string,
  options: LiveQueryOptions = {},
): LiveQuery {
  const checked = checkedOptions(options);
  const sources = checkedSources(source);
  if (typeof sparql !== 'string') {
    throw errors.ERR_QUERY_OPTION({ name: 'sparql', value: sparql, expected: 'give the text of a SPARQL query' });
  }
  const { engine, data, signal, clock = Date.now, sleep = sleepByTimer, evaluators = evaluateHere } = options;
  const task = { sparql, sources: sources.map(({ url }) => url), ...checked, ...(engine && { engine }) };
  return new LiveRun({ sources, task, evaluators, data, clock, sleep, signal });
}

function checkedSources(source: CommitSource | readonly CommitSource[]): readonly CommitSource[] {
  const sources = [source].flat() as readonly CommitSource[];
  if (sources.length > 0 && sources.every((each) => typeof each?.[Symbol.asyncIterator] === 'function')) return sources;
  const expected = 'give an async iterable of commits, or a list of them; URLs are for query of withQueries(client)';
  throw errors.ERR_QUERY_OPTION({ name: 'source', value: source, expected });
}

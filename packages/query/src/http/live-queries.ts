/*
 * The queries of one stream: equal live queries share one run, within limits on queries and readers; the others go to the
 * thread that answers once.
 *
 *   admit({ sparql, mal: 1.9 }) -> bucket 1 s -> key '[1,"SELECT ..."]' -> SharedLiveQuery, begun or there -> begin(response)
 *   the last reader leaves -> it goes on for `graceMs` -> it is stopped, or makes room for another at once
 *   it fails -> its readers get the error, and whoever asks it again within 30 s too
 */
import type { Writable } from 'node:stream';
import { errors } from '../errors.ts';
import type { Explanation } from '../evaluate/evaluator.ts';
import { liveQuery } from '../live-query.ts';
import type { EvaluatorFactory } from '../options.ts';
import { prepareQuery } from '../prepare/prepared-query.ts';
import { AnswerLine, StateThread, type Thread } from './answers.ts';
import { type QueriedStream, type SparqlLimits, sparqlLimits } from './limits.ts';
import { Subscriber } from './reader.ts';
import { type RunningQuery, SharedLiveQuery } from './shared-query.ts';

/** What {@link LiveQueries} takes. */
interface LiveQueriesParts {
  readonly limits: SparqlLimits;
  /** How often something is sent at least, milliseconds. */
  readonly heartbeatMs: number;
  /** For how long a query goes on that nobody reads, milliseconds. */
  readonly graceMs: number;
  /** Begins a live query. */
  readonly start: (sparql: string, mal: number, signal: AbortSignal) => RunningQuery;
  /** Whether results of a query tell each of itself. Rejects with what is wrong with the query. */
  readonly tellsStream: (sparql: string) => Promise<boolean>;
  /** Milliseconds since some moment. */
  readonly clock: () => number;
  /** In [0, 1). */
  readonly random: () => number;
}

/** How long what has failed is not tried again, milliseconds. */
const FAILED_MS = 30_000;
/** Of so many failed queries it is remembered. */
const FAILED_QUERIES = 100;

interface Shared {
  readonly query: SharedLiveQuery;
  stopping?: NodeJS.Timeout | undefined;
}

/** A reader that has been let in, and is given its events once its response has begun. */
interface Admission {
  /** Begins to send. */
  begin(line: Writable): void;
  /** Takes its place back where it never began. */
  cancel(): void;
}

/**
 * The live queries of one stream: equal ones are one, and one that nobody reads ends after a short while.
 *
 * @see specs/query.md QUERY-74, QUERY-78, QUERY-79
 */
export class LiveQueries {
  readonly #parts: LiveQueriesParts;
  readonly #shared = new Map<string, Shared>();
  readonly #failed = new Map<string, { readonly error: unknown; readonly untilMs: number }>();
  readonly #subscribers = new Set<Subscriber>();
  readonly #beating: NodeJS.Timeout;
  #admitted = 0;
  #isClosed = false;

  constructor(parts: LiveQueriesParts) {
    this.#parts = parts;
    this.#beating = setInterval(() => {
      for (const subscriber of this.#subscribers) subscriber.beat();
    }, parts.heartbeatMs).unref();
  }

  /** How many live queries run, and how many read them. */
  get sizes(): { readonly queries: number; readonly subscribers: number } {
    return { queries: this.#shared.size, subscribers: this.#subscribers.size };
  }

  /**
   * Lets a reader in: its query is found good by then, and runs.
   *
   * @param lastSequence - of the last event that it has had; absent where it has had none
   * @throws {@link StreamError} `ERR_LIVE_QUERIES_FULL`, `ERR_SUBSCRIBERS_FULL`, `ERR_QUERY_OPTION`, `ERR_QUERY_STOPPING`
   * @throws {@link StreamError} those of preparing the query, and what an equal one has failed of a moment ago
   */
  async admit({ sparql, mal }: { sparql: string; mal: number }, lastSequence: number | undefined): Promise<Admission> {
    const { limits, clock } = this.#parts;
    if (this.#isClosed) throw errors.ERR_QUERY_STOPPING(undefined);
    const bucket = malBucket(mal, limits.limitMalMs);
    const key = JSON.stringify([bucket, sparql]);
    const failed = this.#failed.get(key);
    if (failed && failed.untilMs > clock()) throw failed.error;
    const { limitSubscribers } = limits;
    if (this.#admitted >= limitSubscribers) {
      throw errors.ERR_SUBSCRIBERS_FULL({ limitSubscribers, retryAfterSeconds: this.#retryAfterSeconds() });
    }
    // From here on, so that those who come at the same time are counted.
    this.#admitted += 1;
    let isLeft = false;
    const leave = () => {
      if (!isLeft) this.#admitted -= 1;
      isLeft = true;
    };
    try {
      const shared = await this.#find(key, sparql, bucket);
      return {
        begin: (line) => this.#begin(shared, line, lastSequence, leave),
        cancel: () => {
          leave();
          this.#rest(key);
        },
      };
    } catch (error) {
      leave();
      this.#rest(key);
      throw error;
    }
  }

  /** Stops all, and ends the responses of their readers in order. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#beating);
    for (const key of [...this.#shared.keys()]) this.#stop(key);
  }

  async #find(key: string, sparql: string, mal: number): Promise<{ key: string; query: SharedLiveQuery }> {
    const there = this.#shared.get(key);
    if (there) {
      await there.query.ready;
      return { key, query: there.query };
    }
    const tellsStream = await this.#parts.tellsStream(sparql);
    // Somebody may have begun it meanwhile.
    const query = this.#shared.get(key)?.query ?? this.#start(key, sparql, mal, tellsStream);
    await query.ready;
    return { key, query };
  }

  #start(key: string, sparql: string, mal: number, tellsStream: boolean): SharedLiveQuery {
    const { limits, start, random } = this.#parts;
    const { limitLiveQueries, limitReplayBytes } = limits;
    if (this.#isClosed) throw errors.ERR_QUERY_STOPPING(undefined);
    if (this.#shared.size >= limitLiveQueries) this.#makeRoom();
    if (this.#shared.size >= limitLiveQueries) {
      throw errors.ERR_LIVE_QUERIES_FULL({ limitLiveQueries, retryAfterSeconds: this.#retryAfterSeconds() });
    }
    const query = new SharedLiveQuery({
      start: (signal) => start(sparql, mal, signal),
      tellsStream,
      limitReplayBytes,
      // So that the id of an event of another run, or of another server, is not taken for one of this.
      firstSequence: Math.floor(random() * 2 ** 31) * 2 ** 20,
      onEnd: (error) => {
        if (this.#shared.get(key)?.query !== query) return;
        this.#forget(key);
        if (error !== undefined) this.#remember(key, error);
      },
    });
    this.#shared.set(key, { query });
    return query;
  }

  #begin(
    { key, query }: { key: string; query: SharedLiveQuery },
    line: Writable,
    lastSequence: number | undefined,
    leave: () => void,
  ): void {
    const { limits, clock, random } = this.#parts;
    const subscriber = new Subscriber({ line, limits, clock, retryMs: 1000 + Math.floor(random() * 1000) });
    this.#subscribers.add(subscriber);
    line.once('close', () => {
      this.#subscribers.delete(subscriber);
      query.leave(subscriber);
      leave();
      this.#rest(key);
    });
    const shared = this.#shared.get(key);
    if (shared?.query === query) {
      clearTimeout(shared.stopping);
      shared.stopping = undefined;
    }
    query.join(subscriber, lastSequence);
  }

  /** Has a query end that nobody reads, unless somebody comes soon. */
  #rest(key: string): void {
    const shared = this.#shared.get(key);
    if (!shared || shared.query.size > 0 || shared.stopping) return;
    shared.stopping = setTimeout(() => {
      shared.stopping = undefined;
      if (shared.query.size === 0) this.#stop(key);
    }, this.#parts.graceMs).unref();
  }

  /** Ends the query that nobody has read for longest, if there is one. */
  #makeRoom(): void {
    for (const [key, { stopping }] of this.#shared) {
      if (stopping === undefined) continue;
      this.#stop(key);
      return;
    }
  }

  #stop(key: string): void {
    this.#shared.get(key)?.query.stop();
    this.#forget(key);
  }

  #forget(key: string): void {
    clearTimeout(this.#shared.get(key)?.stopping);
    this.#shared.delete(key);
  }

  #remember(key: string, error: unknown): void {
    if (this.#failed.size >= FAILED_QUERIES) {
      const [oldest] = this.#failed.keys();
      this.#failed.delete(oldest as string);
    }
    this.#failed.delete(key);
    this.#failed.set(key, { error, untilMs: this.#parts.clock() + FAILED_MS });
  }

  #retryAfterSeconds(): number {
    return 5 + Math.floor(this.#parts.random() * 10);
  }
}

/**
 * The MAL that a live query runs at for whoever asks for this one: the power of two below it, so that readers who want
 * much the same share one, and each gets what he asked for or better.
 *
 * @param mal - seconds
 * @param limitMalMs - the shortest, milliseconds
 * @returns seconds
 * @throws {@link StreamError} `ERR_QUERY_OPTION` - it is shorter than the limit
 * @see specs/query.md QUERY-74
 */
export function malBucket(mal: number, limitMalMs: number): number {
  const least = limitMalMs / 1000;
  if (mal < least) {
    throw errors.ERR_QUERY_OPTION({ name: 'mal', value: mal, expected: `it is ${least} or more here (limitMalMs)` });
  }
  return Math.max(least, 2 ** Math.floor(Math.log2(mal)));
}

/** What {@link openQueries} needs beside the stream. */
export interface QueriesEdge {
  /** Makes what evaluates the live queries of a stream. */
  readonly evaluators: (limits: SparqlLimits) => EvaluatorFactory;
  /** Starts the thread that answers the others. */
  readonly startThread: (limits: SparqlLimits) => Thread;
  readonly heartbeatMs: number;
  readonly graceMs: number;
  readonly idleMs: number;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** In [0, 1). */
  readonly random: () => number;
}

/** The queries of one stream, live ones and others. */
export interface StreamQueries {
  readonly limits: SparqlLimits;
  readonly live: LiveQueries;
  readonly answers: AnswerLine;
}

/** Gets a stream ready to be asked; nothing is read or started before there is a question. */
export function openQueries({ limits: given, commits }: QueriedStream, edge: QueriesEdge): StreamQueries {
  const limits = sparqlLimits(given);
  const { heartbeatMs, graceMs, idleMs, clock, random, startThread } = edge;
  const { limitRows, limitQuads, limitEvaluationMs, limitQueryChars } = limits;
  const ofQuery = { limitRows, limitQuads, limitEvaluationMs, limitQueryChars };
  const factory = edge.evaluators(limits);
  const start = (sparql: string, mal: number, signal: AbortSignal): RunningQuery => {
    let found!: (explanation: Explanation) => void;
    let refused!: (error: unknown) => void;
    const ready = new Promise<Explanation>((resolve, reject) => {
      found = resolve;
      refused = reject;
    });
    // Its own evaluator tells what it is: to explain it first would make another one.
    const evaluators: EvaluatorFactory = async (task) => {
      try {
        const evaluator = await factory(task);
        found(evaluator.explanation);
        return evaluator;
      } catch (error) {
        refused(error);
        throw error;
      }
    };
    const results = liveQuery(commits(signal), sparql, { mal, limits: ofQuery, signal, clock, evaluators });
    return { ready, results };
  };
  return {
    limits,
    live: new LiveQueries({
      limits,
      heartbeatMs,
      graceMs,
      start,
      tellsStream: async (sparql) => {
        // Only there an operator is named; everything else is read where it is evaluated, and nothing here waits for it.
        if (!/\bREGISTER\b/i.test(sparql)) return false;
        const { operator = 'delta' } = await prepareQuery(sparql, { limitQueryChars });
        return operator !== 'delta';
      },
      // How long something takes, whatever the time of day does meanwhile.
      clock: () => performance.now(),
      random,
    }),
    answers: new AnswerLine({
      limits,
      answerer: new StateThread({ start: () => startThread(limits), commits, limits, idleMs }),
      random,
    }),
  };
}

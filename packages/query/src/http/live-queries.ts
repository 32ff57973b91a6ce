/*
 * The live queries of one stream: equal ones share one run, within limits on queries and readers.
 *
 *   admit({ sparql, mal: 1.9 }) -> bucket 1 s -> key '[1,"SELECT ..."]' -> SharedLiveQuery, begun or there -> begin(response)
 *   all places are taken -> one that nobody reads makes room at once, else ERR_LIVE_QUERIES_FULL
 *   it fails -> its readers get the error, and whoever asks it again within 30 s too
 */
import type { Writable } from 'node:stream';
import { errors } from '../errors.ts';
import type { EvaluatorFactory } from '../options.ts';
import type { QueriedStream, SparqlLimits } from './limits.ts';
import type { AskedQuery } from './protocol.ts';
import { LiveReader } from './reader.ts';
import { SharedLiveQuery } from './shared-query.ts';

interface LiveQueriesOptions {
  readonly commits: QueriedStream['commits'];
  readonly evaluators: EvaluatorFactory;
  readonly limits: SparqlLimits;
  /** How often something is sent at least, milliseconds. */
  readonly heartbeatMs: number;
  /** For how long a query goes on that nobody reads, milliseconds. */
  readonly graceMs: number;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Milliseconds since some moment: how long something takes, whatever the time of day does meanwhile. */
  readonly monotonicClock: () => number;
  /** In [0, 1). */
  readonly random: () => number;
}

/** How long what has failed is not tried again, milliseconds. */
const FAILED_MS = 30_000;
/** Of so many failed queries it is remembered. */
const FAILED_QUERIES = 100;

/** The place of a reader that has been let in; it is given its events once its response has begun. */
interface Slot {
  /** @param lastSequence - of the last event that it has had; absent where it has had none */
  begin(response: Writable, lastSequence: number | undefined): void;
  /** Gives the place back where it never began. */
  cancel(): void;
}

/**
 * The live queries of one stream: equal ones are one, and one that nobody reads ends after a short while.
 *
 * @see specs/query.md QUERY-74, QUERY-78, QUERY-79
 */
export class LiveQueries {
  readonly #options: LiveQueriesOptions;
  readonly #queries = new Map<string, SharedLiveQuery>();
  readonly #failed = new Map<string, { readonly error: unknown; readonly untilMs: number }>();
  readonly #readers = new Set<LiveReader>();
  readonly #beating: NodeJS.Timeout;
  #admitted = 0;
  #isClosed = false;

  constructor(options: LiveQueriesOptions) {
    this.#options = options;
    this.#beating = setInterval(() => {
      for (const reader of this.#readers) reader.beat();
    }, options.heartbeatMs).unref();
  }

  /**
   * Lets a reader in: its query is found good by then, and runs.
   *
   * @throws {@link StreamError} `ERR_LIVE_QUERIES_FULL`, `ERR_SUBSCRIBERS_FULL`, `ERR_QUERY_OPTION`, `ERR_QUERY_STOPPING`
   * @throws {@link StreamError} those of preparing the query, and what an equal one has failed of a moment ago
   */
  async admit({ sparql, mal }: AskedQuery): Promise<Slot> {
    const { limits, monotonicClock } = this.#options;
    const bucket = malBucket(mal, limits.limitMalMs);
    const key = JSON.stringify([bucket, sparql]);
    const failed = this.#failed.get(key);
    if (failed && failed.untilMs > monotonicClock()) throw failed.error;
    const { limitSubscribers } = limits;
    if (this.#admitted >= limitSubscribers) {
      throw errors.ERR_SUBSCRIBERS_FULL({ limitSubscribers, retryAfterSeconds: this.#retryAfterSeconds() });
    }
    const query = this.#queries.get(key) ?? this.#start(key, sparql, bucket);
    // From here on, so that those who come at the same time are counted.
    this.#admitted += 1;
    const cancel = () => {
      this.#admitted -= 1;
      query.rest();
    };
    try {
      await query.ready;
    } catch (error) {
      cancel();
      throw error;
    }
    return { begin: (response, lastSequence) => this.#begin(query, response, lastSequence, cancel), cancel };
  }

  /** Stops all, and ends the responses of their readers in order. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#beating);
    for (const query of this.#queries.values()) query.stop();
  }

  #start(key: string, sparql: string, mal: number): SharedLiveQuery {
    const { commits, evaluators, limits, graceMs, clock, random } = this.#options;
    const { limitLiveQueries } = limits;
    if (this.#isClosed) throw errors.ERR_QUERY_STOPPING(undefined);
    if (this.#queries.size >= limitLiveQueries) [...this.#queries.values()].find(({ isResting }) => isResting)?.stop();
    if (this.#queries.size >= limitLiveQueries) {
      throw errors.ERR_LIVE_QUERIES_FULL({ limitLiveQueries, retryAfterSeconds: this.#retryAfterSeconds() });
    }
    const query = new SharedLiveQuery({
      ...{ sparql, mal, commits, evaluators, limits, graceMs, clock },
      // So that the id of an event of another run, or of another server, is not taken for one of this.
      firstSequence: Math.floor(random() * 2 ** 31) * 2 ** 20,
      onEnd: (error) => {
        this.#queries.delete(key);
        if (error !== undefined) this.#remember(key, error);
      },
    });
    this.#queries.set(key, query);
    return query;
  }

  #begin(query: SharedLiveQuery, response: Writable, lastSequence: number | undefined, leave: () => void): void {
    const { limits, monotonicClock: clock, random } = this.#options;
    const reader = new LiveReader({ response, limits, clock, retryMs: 1000 + Math.floor(random() * 1000) });
    this.#readers.add(reader);
    response.once('close', () => {
      this.#readers.delete(reader);
      query.leave(reader);
      leave();
    });
    query.join(reader, lastSequence);
  }

  #remember(key: string, error: unknown): void {
    if (this.#failed.size >= FAILED_QUERIES) {
      const [oldest] = this.#failed.keys();
      this.#failed.delete(oldest as string);
    }
    this.#failed.delete(key);
    this.#failed.set(key, { error, untilMs: this.#options.monotonicClock() + FAILED_MS });
  }

  #retryAfterSeconds(): number {
    return 5 + Math.floor(this.#options.random() * 10);
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

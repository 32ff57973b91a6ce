/*
 * The live queries of one stream: equal ones share one run, within limits on queries and readers.
 *
 *   read({ sparql, mal: 1.9 }) -> bucket 1 s -> key '[1,"SELECT ..."]' -> SharedLiveQuery, begun or there -> LiveReader
 *   all slots are taken -> a query without readers stops at once, else ERR_LIVE_QUERIES_FULL
 *   it fails -> its readers get the error, and so do those who ask it again within 30 s
 */
import type { Writable } from 'node:stream';
import { errors } from '../errors.ts';
import type { OpenStreamOptions } from './limits.ts';
import type { AskedQuery } from './protocol.ts';
import { LiveReader } from './reader.ts';
import { SharedLiveQuery } from './shared-query.ts';

/** How long what has failed is not tried again, milliseconds. */
const FAILED_MS = 30_000;
/** At most so many failed queries are remembered. */
const FAILED_QUERIES = 100;

/** @see specs/query.md QUERY-74, QUERY-79 */
export class LiveQueries {
  readonly #options: OpenStreamOptions;
  readonly #queries = new Map<string, SharedLiveQuery>();
  readonly #failed = new Map<string, { readonly error: unknown }>();
  readonly #beating: NodeJS.Timeout;
  #admitted = 0;
  #isClosed = false;

  constructor(options: OpenStreamOptions) {
    this.#options = options;
    this.#beating = setInterval(() => {
      for (const query of this.#queries.values()) query.beat();
    }, options.heartbeatMs).unref();
  }

  /**
   * Admits a reader, and sends it events once its query is found good.
   *
   * @param lastSequence - of the last event that it has had; NaN where it has had none
   * @param begin - begins its response, unless the client has gone
   * @throws {@link StreamError} `ERR_LIVE_QUERIES_FULL`, `ERR_SUBSCRIBERS_FULL`, `ERR_QUERY_OPTION`, `ERR_QUERY_STOPPING`
   * @throws {@link StreamError} those of preparing the query, and the error of an equal one that has just failed
   */
  async read({ sparql, mal }: AskedQuery, lastSequence: number, begin: () => Writable | undefined): Promise<void> {
    const { limits, onItsWay, random } = this.#options;
    const { limitSubscribers, limitMalMs } = limits;
    const bucket = malBucket(mal, limitMalMs);
    const key = JSON.stringify([bucket, sparql]);
    const failed = this.#failed.get(key);
    if (failed) throw failed.error;
    if (this.#admitted >= limitSubscribers) {
      throw errors.ERR_SUBSCRIBERS_FULL({ limitSubscribers, retryAfterSeconds: this.#retryAfterSeconds() });
    }
    const query = this.#queries.get(key) ?? this.#start(key, { sparql, mal: bucket });
    // Before any wait, so that readers who come at the same time are counted.
    this.#admitted += 1;
    const leave = (reader?: LiveReader) => {
      this.#admitted -= 1;
      query.leave(reader);
    };
    let response: Writable | undefined;
    try {
      await query.ready;
      response = begin();
    } finally {
      if (!response) leave();
    }
    if (!response) return;
    const reader = new LiveReader(response, limits, onItsWay, 1000 + Math.floor(random() * 1000));
    response.once('close', () => leave(reader));
    query.join(reader, lastSequence);
  }

  /** Stops all, and ends the responses of their readers in order. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#beating);
    for (const query of this.#queries.values()) query.stop();
  }

  #start(key: string, asked: AskedQuery): SharedLiveQuery {
    const { limitLiveQueries } = this.#options.limits;
    if (this.#isClosed) throw errors.ERR_QUERY_STOPPING(undefined);
    if (this.#queries.size >= limitLiveQueries) [...this.#queries.values()].find(({ isResting }) => isResting)?.stop();
    if (this.#queries.size >= limitLiveQueries) {
      throw errors.ERR_LIVE_QUERIES_FULL({ limitLiveQueries, retryAfterSeconds: this.#retryAfterSeconds() });
    }
    const query = new SharedLiveQuery(asked, this.#options, (error) => {
      this.#queries.delete(key);
      if (error !== undefined) this.#remember(key, error);
    });
    this.#queries.set(key, query);
    return query;
  }

  #remember(key: string, error: unknown): void {
    const [oldest = key] = this.#failed.keys();
    if (this.#failed.size >= FAILED_QUERIES) this.#failed.delete(oldest);
    this.#failed.set(key, { error });
    setTimeout(() => this.#failed.delete(key), FAILED_MS).unref();
  }

  #retryAfterSeconds(): number {
    return 5 + Math.floor(this.#options.random() * 10);
  }
}

/**
 * The MAL that a live query runs at, in seconds: the power of two below the one that was asked for, so that readers with similar
 * MALs share a query, and each gets what it asked for or better.
 *
 * @throws {@link StreamError} `ERR_QUERY_OPTION` - it is shorter than the limit
 * @see specs/query.md QUERY-74
 */
export function malBucket(mal: number, limitMalMs: number): number {
  const min = limitMalMs / 1000;
  if (mal < min) {
    throw errors.ERR_QUERY_OPTION({
      name: 'mal',
      value: mal,
      expected: `give ${min} or more on this server (limitMalMs)`,
    });
  }
  return Math.max(min, 2 ** Math.floor(Math.log2(mal)));
}

import { type ClientContext, StreamConnection } from './connection/stream-connection.ts';
import { hostEnvironment } from './environment.ts';
import { type Follower, LiveFollower } from './follower.ts';
import { checkClient, checkFollowing, type FollowOptions, type LiveClientOptions } from './options.ts';
import { sleep as sleepByTimer } from './waiting.ts';

/** Follows streams within one MAL. */
export interface LiveClient {
  /** The maximum acceptable latency of who asks for none of its own, in seconds. */
  readonly mal: number;
  /**
   * Follows a stream: one that ldes-live publishes, or any LDES. Nothing is requested before the first change is asked for.
   *
   * @param url - of the stream's root, http or https
   * @throws {@link StreamError} `ERR_STREAM_URL_INVALID` - no such URL
   * @throws {@link StreamError} `ERR_OPTION_UNKNOWN` - there is no such option
   * @throws {@link StreamError} `ERR_OPTION_INVALID` - `from` is neither a word nor a cursor, `versions` or `order` no
   * word of theirs, a value of `entity` or `type` no absolute IRI, or one of `bbox` no box of degrees
   * @throws {@link StreamError} `ERR_STATE_INVALID` - the state is none
   * @throws {@link StreamError} `ERR_STATE_MISMATCH` - the state is that of another stream or filter
   * @throws {@link StreamError} `ERR_MAL_INVALID` - its MAL is not a number above 0
   * @throws {@link StreamError} `ERR_RANGE_INVALID` - `after` or `before` is no instant, or nothing lies between
   */
  follow(url: string, request?: FollowOptions): Follower;
}

/**
 * Makes a client that follows live streams.
 *
 * @example
 * ```ts
 * const client = createLiveClient({ mal: 10 });
 * for await (const change of client.follow('http://localhost:3000/vehicles')) {
 *   console.log(change.kind, change.member?.entity, change.lagMs);
 * }
 * ```
 * @throws {@link StreamError} `ERR_MAL_INVALID` - the MAL is not a number above 0
 * @throws {@link StreamError} `ERR_OPTION_UNKNOWN` - there is no such option
 * @throws {@link StreamError} `ERR_OPTION_INVALID` - `hosts` is none of its words
 * @throws {@link StreamError} `ERR_LIMIT_INVALID` - there is no such limit, or its value is not in its range
 * @see specs/mal.md
 */
export function createLiveClient(options: LiveClientOptions): LiveClient {
  // Programs without types may leave them out: what is missing is the MAL.
  const given = (options ?? {}) as LiveClientOptions;
  const limits = checkClient(given);
  const { mal, clock = Date.now, random = Math.random, sleep = sleepByTimer, headers = {}, hosts = 'any' } = given;
  // Called as a function of its own: browsers refuse it as a method of anything else.
  const request = given.fetch ?? ((...call: Parameters<typeof fetch>) => globalThis.fetch(...call));
  const context: ClientContext = {
    malMs: mal * 1000,
    // Drawn once: clients that kept drawing would clump now and then.
    phase: random(),
    fetch: request,
    clock,
    random,
    sleep,
    headers,
    limits,
    hosts,
    environment: given.environment ?? hostEnvironment(),
  };
  // Weak: a program that follows many streams one after the other must not keep what it knew of all of them.
  const connections = new Map<string, WeakRef<StreamConnection>>();
  const forgotten = new FinalizationRegistry<string>((url) => {
    if (!connections.get(url)?.deref()) connections.delete(url);
  });
  const connectionTo = (url: string) => {
    const known = connections.get(url)?.deref();
    if (known) return known;
    const connection = new StreamConnection(context, url);
    connections.set(url, new WeakRef(connection));
    forgotten.register(connection, url);
    return connection;
  };
  return {
    mal,
    follow: (url, followOptions = {}) => {
      const filter = checkFollowing(url, followOptions);
      const malMs = (followOptions.mal ?? mal) * 1000;
      return new LiveFollower(url, followOptions, { ...context, malMs, filter, connection: connectionTo(url) });
    },
  };
}

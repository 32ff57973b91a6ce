import { StreamConnection } from './connection/stream-connection.ts';
import { hostEnvironment } from './environment.ts';
import { type Follower, LiveFollower } from './follower.ts';
import {
  checkFollowing,
  checkHosts,
  checkMal,
  clientLimits,
  type FollowOptions,
  type LiveClientOptions,
} from './options.ts';
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
   * @throws {@link StreamError} `ERR_OPTION_INVALID` - `from` is neither a word nor a cursor, `versions` or `order` no
   * word of theirs
   * @throws {@link StreamError} `ERR_STATE_INVALID` - the state is none
   * @throws {@link StreamError} `ERR_STATE_MISMATCH` - the state is that of another stream
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
 * @throws {@link StreamError} `ERR_OPTION_INVALID` - `hosts` is none of its words
 * @throws {@link StreamError} `ERR_LIMIT_INVALID` - there is no such limit, or its value is not in its range
 * @see specs/mal.md
 */
export function createLiveClient(options: LiveClientOptions): LiveClient {
  // Programs without types may leave them out: what is missing is the MAL.
  const given = (options ?? {}) as LiveClientOptions;
  const { mal, clock = Date.now, random = Math.random, sleep = sleepByTimer, headers = {}, limits = {} } = given;
  // Called as a function of its own: browsers refuse it as a method of anything else.
  const request = given.fetch ?? ((...call: Parameters<typeof fetch>) => globalThis.fetch(...call));
  checkMal(mal);
  checkHosts(given.hosts);
  const circumstances = {
    malMs: mal * 1000,
    // Drawn once: clients that kept drawing would clump now and then.
    phase: random(),
    fetch: request,
    clock,
    random,
    sleep,
    headers,
    limits: clientLimits(limits),
    hosts: given.hosts ?? 'any',
    environment: given.environment ?? hostEnvironment(),
  };
  const shares = new WeakConnections((url) => new StreamConnection(circumstances, url));
  return {
    mal,
    follow: (url, followRequest = {}) => {
      checkFollowing(url, followRequest);
      const malMs = (followRequest.mal ?? mal) * 1000;
      return new LiveFollower(url, followRequest, { ...circumstances, malMs, connection: shares.of(url) });
    },
  };
}

/** What the followers of each URL share, for as long as one of them lives. */
export class WeakConnections {
  readonly #byUrl = new Map<string, WeakRef<StreamConnection>>();
  readonly #make: (url: string) => StreamConnection;
  // A program that follows many streams one after the other must not keep what it knew of all of them.
  readonly #forgotten = new FinalizationRegistry<string>((url) => {
    if (this.#byUrl.get(url)?.deref() === undefined) this.#byUrl.delete(url);
  });

  constructor(make: (url: string) => StreamConnection) {
    this.#make = make;
  }

  /** What those who follow a URL share. */
  of(url: string): StreamConnection {
    const known = this.#byUrl.get(url)?.deref();
    if (known) return known;
    const share = this.#make(url);
    this.#byUrl.set(url, new WeakRef(share));
    this.#forgotten.register(share, url);
    return share;
  }
}

import { type ClientLimits, clientLimits } from './client-limits.ts';
import { errors } from './errors.ts';
import { type Follower, type FollowRequest, LiveFollower } from './follower.ts';
import { sleep as sleepByTimer } from './sleep.ts';
import type { Sleep } from './within.ts';

/** Options of {@link createLiveClient}. */
export interface LiveClientOptions {
  /**
   * The maximum acceptable latency: how late an update may be when it arrives, in seconds, above 0. The
   * framework chooses the way that keeps it at the least cost.
   */
  readonly mal: number;
  /** How requests are made. @defaultValue `globalThis.fetch` */
  readonly fetch?: typeof fetch;
  /** The present in epoch milliseconds. @defaultValue `Date.now` */
  readonly clock?: () => number;
  /** Numbers in [0, 1). @defaultValue `Math.random` */
  readonly random?: () => number;
  /** How to wait. @defaultValue by `setTimeout` */
  readonly sleep?: Sleep;
  /** Header fields for every request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What to bear from a server. @defaultValue see {@link ClientLimits} */
  readonly limits?: Partial<ClientLimits>;
}

/** Follows streams within one MAL. */
export interface LiveClient {
  /**
   * Follows a stream. Nothing is requested before the first change is asked for.
   *
   * @param url - of the stream's root, http or https
   * @throws {@link StreamError} `ERR_STREAM_URL_INVALID` - no such URL
   * @throws {@link StreamError} `ERR_CURSOR_MALFORMED` - `from` is neither a word nor a cursor
   * @throws {@link StreamError} `ERR_STATE_MISMATCH` - the state is that of another stream
   */
  follow(url: string, request?: FollowRequest): Follower;
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
 * @throws {@link StreamError} `ERR_LIMIT_INVALID` - a limit is not a number above 0
 * @see specs/mal.md
 */
export function createLiveClient(options: LiveClientOptions): LiveClient {
  const { mal, clock = Date.now, random = Math.random, sleep = sleepByTimer, headers = {}, limits = {} } = options;
  // Called as a function of its own: browsers refuse it as a method of anything else.
  const request = options.fetch ?? ((...call: Parameters<typeof fetch>) => globalThis.fetch(...call));
  if (!(typeof mal === 'number' && mal > 0 && mal < Number.POSITIVE_INFINITY)) throw errors.ERR_MAL_INVALID({ mal });
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
  };
  return { follow: (url, followRequest = {}) => new LiveFollower(url, followRequest, circumstances) };
}

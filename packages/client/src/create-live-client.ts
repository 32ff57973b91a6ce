import { type ClientLimits, clientLimits } from './client-limits.ts';
import { type ClientEnvironment, hostEnvironment } from './environment.ts';
import { checkFollowing, checkMal } from './follow/check-following.ts';
import type { FollowRequest } from './follow/follow-request.ts';
import { StreamShare } from './follow/stream-share.ts';
import { WeakShares } from './follow/weak-shares.ts';
import { type Follower, LiveFollower } from './follower.ts';
import { type Sleep, sleep as sleepByTimer } from './waiting.ts';

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
  /**
   * Header fields for every request to the origin of the URL that is followed, such as `authorization`; no other origin that
   * documents link to gets them. Redirects are followed by `fetch`, which takes `authorization` off on the way to another
   * origin, and leaves fields with names of your own.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * What the surroundings allow: whether there is a network, and how many push connections.
   *
   * @defaultValue what the host tells, see `hostEnvironment`
   */
  readonly environment?: ClientEnvironment;
  /** What to bear from a server. @defaultValue see {@link ClientLimits} */
  readonly limits?: Partial<ClientLimits>;
}

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
    environment: given.environment ?? hostEnvironment(),
  };
  const shares = new WeakShares((url) => new StreamShare(circumstances, url));
  return {
    mal,
    follow: (url, followRequest = {}) => {
      checkFollowing(url, followRequest);
      const malMs = (followRequest.mal ?? mal) * 1000;
      return new LiveFollower(url, followRequest, { ...circumstances, malMs, share: shares.of(url) });
    },
  };
}

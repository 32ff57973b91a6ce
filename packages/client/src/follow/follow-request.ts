import type { TreeState } from '../tree/saved-state.ts';

/** How to follow a stream. */
export interface FollowRequest {
  /**
   * Where to start: with the newest version of every living entity, with the first member, with what comes
   * from now on, or after a cursor.
   *
   * @defaultValue `latest`
   */
  readonly from?: 'latest' | 'start' | 'now' | (string & {});
  /** Ends the reading: the iteration throws its reason. */
  readonly signal?: AbortSignal;
  /** Where an earlier reading stopped; it goes before `from`. */
  readonly state?: FollowerState;
  /**
   * The maximum acceptable latency of this follower, in seconds. Followers of one URL share connection and schedule: the
   * smallest of theirs rules.
   *
   * @defaultValue that of the client
   */
  readonly mal?: number;
  /**
   * `all`: every version, in order; nothing is read ahead of the loop. `newest`: reads ahead into a buffer that keeps the
   * newest version of each entity only, for a loop that may be slower than the stream. An entity's versions come in
   * order, those of different entities need not.
   *
   * @defaultValue `all`
   */
  readonly versions?: 'all' | 'newest';
  /**
   * In which order the history of an LDES is delivered that is not published by ldes-live: oldest first, or as it is
   * read, which is quicker.
   *
   * @defaultValue `none`
   */
  readonly order?: 'ascending' | 'none';
  /**
   * Only members published at this instant or later, an `xsd:dateTime`: pages that hold none are not read. With this or
   * `before` any stream is read as a plain LDES, by polling.
   */
  readonly after?: string;
  /** Only members published before this instant, an `xsd:dateTime`. */
  readonly before?: string;
}

/** Where a reading stands: plain data of a bounded size, to be saved as JSON. */
export interface FollowerState {
  /** The stream's URL as it was given. */
  readonly url: string;
  /** From which following brings all that was not delivered yet; absent before anything was read. */
  readonly cursor?: string;
  /** What else it takes to go on with an LDES that is not published by ldes-live. */
  readonly tree?: TreeState;
}

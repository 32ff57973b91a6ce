import type { Commit, Draft, LatestView, LogHead, Member } from '@ldes-live/rdf-stream';

/**
 * The append-only log of one stream, with its latest state. One process owns it.
 *
 * {@link StreamLog.head}, {@link StreamLog.latest} and the subscribers learn of a commit in one tick, once it is
 * stored as durably as the store can, and before its `append` resolves.
 */
export interface StreamLog {
  /** The end of the log: where and when the last commit was. Its epoch stays for the life of the log. */
  readonly head: LogHead;

  /** The living entities, always as of {@link StreamLog.head}. */
  readonly latest: LatestView;

  /**
   * Publishes drafts as the next commit: all of them or, on an error, none.
   *
   * Appends are stored in the order in which they were called, each on top of the one before. Publication times
   * strictly increase, whatever the clock does. A failed append leaves the log as it was; those after it go on.
   *
   * @param drafts - at least one, each of another entity; not to be changed before the promise settles
   * @returns the commit, once it is stored
   * @throws {@link StreamError} `ERR_COMMIT_EMPTY` - no drafts
   * @throws {@link StreamError} `ERR_TERM_UNSUPPORTED` - a draft says what N-Quads cannot, such as a relative IRI
   * @throws {@link StreamError} `ERR_DRAFT_REPEATED` - two drafts of one entity
   * @throws {@link StreamError} `ERR_ENTITY_UNKNOWN` - deletes an entity that does not live: the log tells no reader
   * of the end of something that it never told them of, nor of a second end
   * @throws {@link StreamError} `ERR_LOG_BUSY` - `limitPendingAppends` appends have not settled yet
   * @throws {@link StreamError} `ERR_LOG_CLOSED` - after {@link StreamLog.close}
   * @throws {@link StreamError} `ERR_STORE_WRITE` - the store failed, as by a full disk
   */
  append(drafts: readonly Draft[]): Promise<Commit>;

  /**
   * Reads members in sequence, without gaps: `after + 1` and on, up to the head at the time of the call.
   *
   * @param after - sequence number of the last member that is not wanted: an integer >= 0; past the head, nothing is
   * left to read
   * @param limit - at most so many members: an integer from 1 to `limitRead`
   * @throws {@link StreamError} `ERR_READ_RANGE` - another `after` or `limit`
   * @throws {@link StreamError} `ERR_LOG_CLOSED` - after {@link StreamLog.close}
   */
  members(after: number, limit: number): Promise<readonly Member[]>;

  /**
   * Reads the newest version of every entity that lives at the time of the call, in sequence.
   *
   * @throws {@link StreamError} `ERR_LOG_CLOSED` - after {@link StreamLog.close}
   */
  latestMembers(): Promise<readonly Member[]>;

  /**
   * Calls a listener with each commit from now on, in order.
   *
   * What a listener throws disturbs neither the log nor other listeners: it is thrown again on its own, where the
   * runtime reports it as an uncaught exception, as for a listener of an `EventTarget`.
   *
   * @returns ends the subscription; may be called more than once
   * @throws {@link StreamError} `ERR_LOG_CLOSED` - after {@link StreamLog.close}
   */
  subscribe(listener: (commit: Commit) => void): () => void;

  /**
   * Takes no more appends, reads or subscriptions, and resolves once the appends that were taken have settled.
   * May be called more than once.
   */
  close(): Promise<void>;
}

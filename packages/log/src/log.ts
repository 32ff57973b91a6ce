// What others see of a log. A store has the logs of any number of streams; each is written by one process, and read by any.
//   store.open(description) -> Log            append, unlink, erase, and all that a ReadableLog has
//   log.head                { "cursor": { "epoch": "m3x1k9f2ab", "sequence": 1042 }, "timeMs": 1795600800000 }
//   log.removals            [{ "first": 1, "last": 250, "state": "tombstoned" }, { "first": 251, "last": 500, "state": "unlinked" }]
//   log.heldFrom            251
import type { Commit, Draft, Extent, LatestView, LogHead, Member, StreamDescription } from '@ldes-live/rdf-stream';
import type { DiskCache } from './disk-cache.ts';

/**
 * The append-only log of one stream, with its latest state, as one reads it.
 *
 * {@link ReadableLog.head}, {@link ReadableLog.latest} and the subscribers learn of a commit in one tick, once it is stored
 * as durably as the store can. After {@link ReadableLog.close}, and where that comes during a call, every method fails by
 * `ERR_LOG_CLOSED`.
 */
export interface ReadableLog {
  /** The end of the log: where and when the last commit was. Its epoch stays for the life of the log. */
  readonly head: LogHead;

  /** The living entities, always as of {@link ReadableLog.head}. */
  readonly latest: LatestView;

  /**
   * IRI of the property that holds the sequence numbers of its members: that of the description by which it was begun.
   *
   * @see specs/documents.md DOC-77
   */
  readonly sequencePath: string;

  /**
   * All that was published up to then is known here, and subscribers were told of it: epoch milliseconds. The writer says
   * now, or just before the commit that is being stored.
   */
  completeToMs(): number;

  /** Resolves when all is known here that was published before the call: at once in the process that writes. */
  caughtUp(): Promise<void>;

  /**
   * Reads the history in sequence, without gaps: `after + 1` and on, up to the head at the time of the call.
   *
   * @param after - sequence number of the last member that is not wanted: an integer >= 0; past the head, nothing is
   * left to read
   * @param limit - at most so many members: an integer from 1 to `limitRead`
   * @throws {@link StreamError} `ERR_MEMBERS_REMOVED` - one of them was erased by retention, before the call or during it
   * @throws {@link StreamError} `ERR_READ_RANGE` - another `after` or `limit`
   */
  read(after: number, limit: number): Promise<readonly Member[]>;

  /**
   * Reads members wherever they stand, in the order asked for. Whatever could be read when it was called is read, even if
   * it is replaced or erased meanwhile; so can be newest versions of living entities on erased pages.
   *
   * @param sequences - of members up to the head
   * @throws {@link StreamError} `ERR_MEMBERS_REMOVED` - one of them was erased by retention
   * @throws {@link StreamError} `ERR_READ_RANGE` - one of them is not in the log
   */
  readMembers(sequences: readonly number[]): Promise<readonly Member[]>;

  /** Reads the newest version of every entity that lives at the time of the call, in sequence. */
  readLatest(): Promise<readonly Member[]>;

  /**
   * Calls a listener with each commit from now on, in order.
   *
   * What a listener throws disturbs neither the log nor other listeners: it is thrown again on its own, where the
   * runtime reports it as an uncaught exception, as for a listener of an `EventTarget`.
   *
   * @returns ends the subscription; may be called more than once
   */
  subscribe(listener: (commit: Commit) => void): () => void;

  /** What was unlinked, erased, or erased long ago, as of now: whole sealed pages, ascending and apart. */
  readonly removals: readonly Removal[];

  /** Every member from this sequence number on can be read: 1 while nothing was erased. */
  readonly heldFrom: number;

  /** Where the bytes of sealed documents are kept; `undefined` where the store has no place for them. */
  readonly diskCache: DiskCache | undefined;

  /**
   * Takes no more appends, reads or subscriptions, and resolves once the appends that were taken have settled.
   * May be called more than once.
   */
  close(): Promise<void>;
}

/** A log as its one writer has it. */
export interface Log extends ReadableLog {
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
   * @throws {@link StreamError} `ERR_DRAFT_REPEATED`, `ERR_VERSION_REPEATED` - two drafts of one entity, or of one version
   * @throws {@link StreamError} `ERR_VERSION_HELD` - a version that has an IRI of its own, under which the log holds one
   * @throws {@link StreamError} `ERR_ENTITY_UNKNOWN` - deletes an entity that does not live, without an `id`: the log
   * makes no end of something that it never told of, nor a second one. One with an `id` it holds, as it does any version
   * @throws {@link StreamError} `ERR_LOG_BUSY` - `limitPendingAppends` appends have not settled yet
   * @throws {@link StreamError} `ERR_STORE_WRITE` - the store failed, as by a full disk
   */
  append(drafts: readonly Draft[]): Promise<Commit>;

  /**
   * Takes sealed pages out of what documents lead to. Their members can still be read.
   *
   * @param extent - of whole sealed pages that are not removed yet
   * @throws {@link StreamError} `ERR_REMOVAL_RANGE` - another extent
   * @throws {@link StreamError} `ERR_STORE_WRITE` - the store failed, and nothing is unlinked
   * @see specs/retention.md RET-5
   */
  unlink(extent: Extent): Promise<void>;

  /**
   * Erases the members and the kept documents of pages that were unlinked. The newest versions of living entities
   * stay, for the latest state, until they are replaced.
   *
   * It goes page by page, each one whole or not at all, and lets appends in between: after an error a part may be
   * erased, and the same extent can be given again.
   *
   * @param extent - of pages that are unlinked, or erased already
   * @throws {@link StreamError} `ERR_REMOVAL_RANGE` - another extent
   * @throws {@link StreamError} `ERR_STORE_WRITE` - the store failed
   * @throws {@link StreamError} `ERR_DISK_CACHE_WRITE` - all of the members are erased, and not all of their kept documents: the
   *   same call again deletes these, or the next opening what stands for no other members
   * @see specs/retention.md RET-7
   */
  erase(extent: Extent): Promise<void>;
}

/** Whole pages that retention has taken, or is about to take, out of a log. */
export interface Removal extends Extent {
  /**
   * `unlinked`: no document leads there any more, and its members can still be read. `tombstoned`: its members are
   * gone, and whoever still asks for it is told so gently. `purged`: the time for that is over.
   */
  readonly state: 'unlinked' | 'tombstoned' | 'purged';
}

/** A place that holds the logs of any number of streams. */
export interface LogStore {
  /**
   * Opens the log of a stream; makes it, under a new epoch, where the store has none of that name.
   *
   * @throws {@link StreamError} `ERR_LOG_OPEN` - that log is open already
   * @throws {@link StreamError} `ERR_STORE_CLOSED` - after {@link LogStore.close}
   * @throws {@link StreamError} `ERR_STREAM_MOVED` - the log was written for another `publicUrl`, which its members name
   */
  open(description: StreamDescription): Promise<Log>;

  /** Closes all logs, then the store. May be called more than once. */
  close(): Promise<void>;
}

/** What every store takes. */
export interface LogStoreOptions {
  /** Tells the time: epoch milliseconds. May jump. */
  readonly clock: () => number;
  /** Gives random numbers in [0, 1), for the epoch of a new log. */
  readonly random: () => number;
  /**
   * How many appends of one log may be unsettled before more are refused with `ERR_LOG_BUSY`: an integer >= 1.
   * @defaultValue 1000
   */
  readonly limitPendingAppends?: number;
  /**
   * How many members one read may ask for, which bounds its memory: an integer >= 1.
   * @defaultValue 10000
   */
  readonly limitRead?: number;
  /**
   * How long at least pages that were erased are `tombstoned` before they are `purged`; up to a 60th longer, so that what
   * is remembered of them stays small. Milliseconds, 0 or more.
   * @defaultValue 3600000
   */
  readonly tombstoneMs?: number;
}

/** {@link LogStoreOptions.tombstoneMs} where none is given. */
export const TOMBSTONE_MS = 3_600_000;

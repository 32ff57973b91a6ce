// What others see of a log. A store has the logs of any number of streams; each is written by one process, and read by any.
//   store.open(description) -> Log            append, unlink, erase, and all that a ReadableLog has
//   log.head                { "cursor": { "epoch": "m3x1k9f2ab", "sequence": 1042 }, "timeMs": 1795600800000 }
//   log.removals            [{ "first": 1, "last": 250, "state": "tombstoned" }, { "first": 251, "last": 500, "state": "unlinked" }]
//   log.heldFrom            251
import {
  type Commit,
  type Draft,
  type Extent,
  isStreamError,
  type LatestEntry,
  type LatestView,
  type LogHead,
  type Member,
  type StreamDescription,
} from '@ldes-live/rdf-stream';
import type { DiskCache } from './disk-cache.ts';

/**
 * The append-only log of one stream, with its latest state, as one reads it. Head, latest state and subscribers learn of a
 * commit in one tick, once it is stored as durably as the store can.
 *
 * Every method fails by `ERR_LOG_CLOSED` after {@link ReadableLog.close}, also where that comes during a call.
 */
export interface ReadableLog {
  /** Where and when the last commit was. The epoch stays for the life of the log. */
  readonly head: LogHead;
  /** The living entities, always as of the head. */
  readonly latest: LivingEntities;
  /** IRI of the property that has the sequence numbers of its members, as the log was begun: DOC-77. */
  readonly sequencePath: string;
  /**
   * All that was published up to then is known here, and subscribers were told of it: epoch milliseconds. The writer says
   * now, or just before the commit that is being stored.
   */
  completeToMs(): number;
  /** Resolves when all is known here that was published before the call: at once in the process that writes. */
  caughtUp(): Promise<void>;
  /**
   * Reads the history without gaps: from `after + 1` on, up to the head at the time of the call.
   *
   * @param after - an integer >= 0; past the head, nothing is left to read
   * @param limit - at most so many members: an integer from 1 to `limitRead`
   * @throws `ERR_MEMBERS_REMOVED`: retention erased one of them, before the call or during it
   * @throws `ERR_READ_RANGE`: another `after` or `limit`
   * @throws `ERR_STORE_DAMAGED`: the disk has changed one of them
   */
  read(after: number, limit: number): Promise<readonly Member[]>;
  /**
   * Reads members wherever they stand, in the order asked for. Whatever could be read when it was called is read, even if
   * it is replaced or erased meanwhile; so can be newest versions of living entities on erased pages. Of a log in another
   * process, what was erased before that process was asked cannot.
   *
   * @throws `ERR_MEMBERS_REMOVED`: retention erased one of them
   * @throws `ERR_READ_RANGE`: one of them is not in the log
   */
  readMembers(sequences: readonly number[]): Promise<readonly Member[]>;
  /** Reads the newest version of every entity that lives at the time of the call, in sequence. */
  readLatest(): Promise<readonly Member[]>;
  /**
   * Calls a listener with each commit from now on, in order. What it throws disturbs neither the log nor other listeners:
   * the runtime reports it as an uncaught exception, as for a listener of an `EventTarget`.
   *
   * @returns ends the subscription; may be called more than once
   */
  subscribe(listener: (commit: Commit) => void): () => void;
  /** What was taken out of the log, as of now: whole sealed pages, ascending and apart. */
  readonly removals: readonly Removal[];
  /** Every member from this sequence number on can be read: 1 while nothing was erased. */
  readonly heldFrom: number;
  /**
   * Sequence numbers of members that somebody asked for and that the disk has changed, ascending: 1,000 at most. Reads of
   * them fail by `ERR_STORE_DAMAGED`.
   */
  readonly damaged: readonly number[];
  /** Where the bytes of sealed documents are kept; `undefined` where the store has no place for them. */
  readonly diskCache: DiskCache | undefined;
  /** Takes nothing more, and resolves once the appends that were taken have settled. May be called more than once. */
  close(): Promise<void>;
}

/** The living entities of a log, as whoever reads it knows them. */
export interface LivingEntities {
  /** How many entities live. */
  readonly size: number;
  /** The newest version of an entity; `undefined` when it does not live. */
  get(entity: string): Pick<LatestEntry, 'entity' | 'sequence'> | undefined;
  /** All of them, by sequence of their newest versions; do not append while iterating. */
  entries(): Iterable<Pick<LatestEntry, 'entity' | 'sequence'>>;
  /** Sequence numbers of the newest versions, ascending: what a document of the latest state is made of. */
  sequences(): number[];
}

/** A log as its one writer has it. */
export interface Log extends ReadableLog {
  /** The living entities, with what tells whether a draft of one is new. */
  readonly latest: LatestView & Pick<LivingEntities, 'entries'>;
  /**
   * Publishes drafts as the next commit: all of them or, on an error, none; resolves once it is stored. Appends are stored
   * in the order of their calls, and go on after one that failed. Publication times strictly increase, whatever the clock does.
   *
   * @param drafts - at least one, each of another entity; not to be changed before the promise settles
   * @throws `ERR_COMMIT_EMPTY`: no drafts
   * @throws `ERR_TERM_UNSUPPORTED`: a draft says what N-Quads cannot, such as a relative IRI
   * @throws `ERR_DRAFT`: a draft is not one, as plain JavaScript may give it
   * @throws `ERR_DRAFT_REPEATED`, `ERR_VERSION_REPEATED`: two drafts of one entity, or of one version
   * @throws `ERR_VERSION_HELD`: a version that has an IRI of its own, under which the log holds one
   * @throws `ERR_ENTITY_UNKNOWN`: deletes an entity that does not live, without an `id`. With one it is a version like others
   * @throws `ERR_LOG_BUSY`: `limitPendingAppends` appends have not settled yet
   * @throws `ERR_STORE_WRITE`: the store failed, as by a full disk
   */
  append(drafts: readonly Draft[]): Promise<Commit>;
  /**
   * Takes sealed pages out of what documents lead to. Their members can still be read.
   *
   * @param extent - of whole sealed pages that are not removed yet
   * @throws `ERR_REMOVAL_RANGE`: another extent
   * @throws `ERR_STORE_WRITE`: the store failed, and nothing is unlinked
   * @see specs/retention.md RET-5 and RET-7
   */
  unlink(extent: Extent): Promise<void>;
  /**
   * Erases members and cached documents of pages that were unlinked. The newest versions of living entities stay, for the
   * latest state, until they are replaced. Each page goes whole or not at all, with room for appends in between: after an
   * error a part may be erased, and the same extent can be given again.
   *
   * @param extent - of pages that are unlinked, or erased already
   * @throws `ERR_REMOVAL_RANGE`: another extent
   * @throws `ERR_STORE_WRITE`: the store failed
   * @throws `ERR_DISK_CACHE_WRITE`: all of the members are erased, and not all of their documents: the same call again deletes
   * these, or the next opening what stands for no other members
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
   * @throws `ERR_LOG_OPEN`: that log is open already
   * @throws `ERR_STORE_CLOSED`: after {@link LogStore.close}
   * @throws `ERR_STREAM_MOVED`: the log was written for another `publicUrl`, which its members name
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
  /** So many appends of one log may be unsettled, more get `ERR_LOG_BUSY`: an integer >= 1; 1,000 by default. */
  readonly limitPendingAppends?: number;
  /** How many members one read may ask for, which bounds its memory: an integer >= 1; 10,000 by default. */
  readonly limitRead?: number;
  /**
   * How long at least pages that were erased are `tombstoned` before they are `purged`; up to a 60th longer, so that what
   * is remembered of them stays small. Milliseconds, 0 or more; an hour by default.
   */
  readonly tombstoneMs?: number;
}

export const TOMBSTONE_MS = 3_600_000;

/** Who is told of the commits of a log, as {@link ReadableLog.subscribe} promises it. */
export class CommitListeners {
  // Objects, so that a function that subscribes twice is called twice and can end one of the two.
  readonly #subscriptions = new Set<{ readonly listener: (commit: Commit) => void }>();

  add(listener: (commit: Commit) => void): () => void {
    const subscription = { listener };
    this.#subscriptions.add(subscription);
    return () => void this.#subscriptions.delete(subscription);
  }

  // Of those who are subscribed now who still are when their turn comes.
  notify(commit: Commit): void {
    for (const subscription of [...this.#subscriptions]) {
      if (!this.#subscriptions.has(subscription)) continue;
      try {
        subscription.listener(commit);
      } catch (error) {
        // The commit is stored and its append has to succeed, yet a fault of the program must not vanish.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  clear(): void {
    this.#subscriptions.clear();
  }
}

/**
 * The publication times of the last commits of a log, epoch milliseconds, ascending; fewer where the log holds fewer.
 *
 * The members of a commit share its time, so where it starts is found by halving: a few members of each are read, and
 * one at a time, however large the commits are.
 *
 * @param limit - how many commits: 1 or more
 * @throws {@link StreamError} `ERR_LOG_CLOSED` - the log is closed
 */
export async function lastCommitTimes(log: ReadableLog, limit: number): Promise<number[]> {
  const timesMs: number[] = [];
  let last = log.head.cursor.sequence;
  try {
    while (last >= log.heldFrom && last > 0 && timesMs.length < limit) {
      const timeMs = await timeOf(log, last);
      timesMs.push(timeMs);
      last = await lastBefore(log, last, timeMs);
    }
  } catch (error) {
    // Retention has come by, or the disk has changed one: what is left is what was read.
    if (!isStreamError(error, 'ERR_MEMBERS_REMOVED') && !isStreamError(error, 'ERR_STORE_DAMAGED')) throw error;
  }
  return timesMs.reverse();
}

/**
 * The sequence before the first member that is held of the commit that a member is in.
 *
 * @param sequence - of a member that is held
 * @throws {@link StreamError} `ERR_MEMBERS_REMOVED` - retention came by meanwhile
 */
export async function commitStart(log: ReadableLog, sequence: number): Promise<number> {
  return lastBefore(log, sequence, await timeOf(log, sequence));
}

/** The sequence of the last member of another time before one; 0 or a removed one where there is none. */
async function lastBefore(log: ReadableLog, sequence: number, timeMs: number): Promise<number> {
  const before = log.heldFrom - 1;
  let same = sequence;
  let step = 1;
  let other = Math.max(before, same - step);
  while (other > before && (await timeOf(log, other)) === timeMs) {
    same = other;
    step *= 2;
    other = Math.max(before, same - step);
  }
  while (same - other > 1) {
    const between = other + Math.floor((same - other) / 2);
    if ((await timeOf(log, between)) === timeMs) same = between;
    else other = between;
  }
  return other;
}

async function timeOf(log: ReadableLog, sequence: number): Promise<number> {
  const [member] = await log.read(sequence - 1, 1);
  return Date.parse((member as NonNullable<typeof member>).time);
}

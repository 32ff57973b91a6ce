import { setImmediate } from 'node:timers/promises';
import {
  type Commit,
  commitDrafts,
  type Draft,
  type Extent,
  extentOfPage,
  type LatestView,
  type LogHead,
  type Member,
  pageOf,
  type StreamDescription,
} from '@ldes-live/rdf-stream';
import type { DocumentShelf, LogShelf } from './disk-cache.ts';
import { errors } from './errors.ts';
import type { Log, LogStore, LogStoreOptions, Removal } from './log.ts';
import { type LatestIndex, latestChange, latestView } from './log-state.ts';
import { isWholePages, type RemovalBook, type RemovalStep } from './removals.ts';
import { type LogStorage, withText } from './storage.ts';

/** How many members are decoded before others get their turn on the event loop. */
const READ_SLICE = 250;

export interface OrderedLogParts {
  readonly stream: string;
  readonly sequencePath: string;
  readonly storage: LogStorage;
  readonly head: LogHead;
  readonly latest: LatestIndex;
  readonly removals: RemovalBook;
  readonly shelf?: LogShelf;
  readonly options: LogStoreOptions;
  /** Called once, when the last append has settled after `close`. */
  readonly onClosed: () => void;
}

/** A log over any storage: it puts appends in order and makes each commit known only once it is stored. */
export class OrderedLog implements Log {
  readonly #parts: OrderedLogParts;
  readonly #view: LatestView;
  readonly #limitPendingAppends: number;
  readonly #limitRead: number;
  readonly #subscribers = new Subscribers();
  readonly #departing = new DepartingMembers();
  #head: LogHead;
  #pendingAppends = 0;
  #lastWrite: Promise<unknown> = Promise.resolve();
  #storingMs: number | undefined;
  #closed: Promise<void> | undefined;

  constructor(parts: OrderedLogParts) {
    const { limitPendingAppends = 1000, limitRead = 10_000 } = parts.options;
    this.#parts = parts;
    this.#head = parts.head;
    this.#view = latestView(parts.latest, (versionIris) => this.#held(versionIris));
    this.#limitPendingAppends = limitPendingAppends;
    this.#limitRead = limitRead;
  }

  get head(): LogHead {
    return this.#head;
  }

  get latest(): LatestView {
    return this.#view;
  }

  completeToMs(): number {
    const nowMs = this.#parts.options.clock();
    return this.#storingMs === undefined ? nowMs : Math.min(nowMs, this.#storingMs - 1);
  }

  async caughtUp(): Promise<void> {
    this.#assertOpen();
  }

  async append(drafts: readonly Draft[]): Promise<Commit> {
    const { stream } = this.#parts;
    this.#assertOpen();
    if (drafts.length === 0) throw errors.ERR_COMMIT_EMPTY({ stream });
    if (this.#pendingAppends >= this.#limitPendingAppends) {
      throw errors.ERR_LOG_BUSY({ stream, limitPendingAppends: this.#limitPendingAppends });
    }
    this.#pendingAppends += 1;
    return this.#inTurn(() =>
      this.#commit(drafts).finally(() => {
        this.#pendingAppends -= 1;
      }),
    );
  }

  async read(after: number, limit: number): Promise<readonly Member[]> {
    this.#assertOpen();
    assertInteger('after', after, 0, Number.MAX_SAFE_INTEGER);
    assertInteger('limit', limit, 1, this.#limitRead);
    const count = Math.max(0, Math.min(limit, this.#head.cursor.sequence - after));
    const extent = { first: after + 1, last: after + count };
    return this.#readSlices(sequencesOf(extent), (slice) => {
      this.#assertOpen();
      this.#assertHeld(extent);
      return this.#parts.storage.read(slice);
    });
  }

  async readMembers(sequences: readonly number[]): Promise<readonly Member[]> {
    this.#assertOpen();
    const { stream, latest, removals } = this.#parts;
    const { heldFrom } = removals;
    for (const sequence of sequences) {
      assertInteger('sequence', sequence, 1, this.#head.cursor.sequence);
      if (sequence < heldFrom && removals.isErased(sequence) && !latest.isNewest(sequence)) {
        throw errors.ERR_MEMBERS_REMOVED({ stream, first: sequence, last: sequence, heldFrom });
      }
    }
    return this.#readSnapshot(sequences);
  }

  async readLatest(): Promise<readonly Member[]> {
    this.#assertOpen();
    return this.#readSnapshot(this.#parts.latest.sequences());
  }

  get removals(): readonly Removal[] {
    return this.#parts.removals.removals;
  }

  get heldFrom(): number {
    return this.#parts.removals.heldFrom;
  }

  get shelf(): DocumentShelf | undefined {
    return this.#parts.shelf;
  }

  async unlink(extent: Extent): Promise<void> {
    this.#assertOpen();
    await this.#inTurn(async () => {
      this.#assertRemovable(extent, 'a part of it is removed already', (removals) => !removals.touches(extent));
      await this.#remove([], (removals) => removals.unlinking(extent));
    });
  }

  async erase(extent: Extent): Promise<void> {
    this.#assertOpen();
    this.#assertRemovable(extent, 'a part of it is not unlinked', (removals) => removals.covers(extent));
    const shelfFailures: unknown[] = [];
    for (let page = pageOf(extent.first); page <= pageOf(extent.last); page += 1) {
      await setImmediate();
      this.#assertOpen();
      const pageExtent = extentOfPage(page);
      await this.#inTurn(() => this.#erasePage(pageExtent));
      // Members go even where documents cannot: these stand for nothing any more.
      await this.#parts.shelf?.erase(pageExtent).catch((error) => shelfFailures.push(error));
    }
    if (shelfFailures.length > 0) throw shelfFailures[0];
  }

  subscribe(listener: (commit: Commit) => void): () => void {
    this.#assertOpen();
    return this.#subscribers.add(listener);
  }

  close(): Promise<void> {
    this.#closed ??= this.#lastWrite.then(async () => {
      await this.#parts.shelf?.close();
      this.#subscribers.clear();
      this.#parts.onClosed();
    });
    return this.#closed;
  }

  /** Writes to the storage after all who asked before, whatever becomes of them. */
  #inTurn<T>(write: () => Promise<T>): Promise<T> {
    const written = this.#lastWrite.then(write);
    this.#lastWrite = written.catch(() => {});
    return written;
  }

  async #commit(drafts: readonly Draft[]): Promise<Commit> {
    const { sequencePath, options } = this.#parts;
    const commit = withText(commitDrafts(drafts, this.#head, options.clock(), sequencePath));
    this.#storingMs = Date.parse(commit.time);
    try {
      await this.#store(commit, drafts);
    } finally {
      this.#storingMs = undefined;
    }
    return commit;
  }

  async #store(commit: Commit, drafts: readonly Draft[]): Promise<void> {
    const { stream, storage, latest, removals } = this.#parts;
    const change = latestChange(latest, commit, drafts, stream);
    await this.#assertNewVersions(drafts);
    const freed = change.ended.map((entry) => entry.sequence).filter((sequence) => removals.isErased(sequence));
    if (freed.length > 0) this.#departing.hold(await this.#readSlices(freed, (slice) => storage.read(slice)));
    try {
      await storage.write(commit, change, freed);
      this.#head = { cursor: commit.cursor, timeMs: Date.parse(commit.time) };
      latest.apply(change);
    } finally {
      this.#departing.settle();
    }
    this.#subscribers.notify(commit);
  }

  async #assertNewVersions(drafts: readonly Draft[]): Promise<void> {
    const own = drafts.flatMap(({ id }) => (id === undefined ? [] : [id]));
    if (own.length === 0) return;
    const [version] = await this.#held(own);
    if (version !== undefined) throw errors.ERR_VERSION_HELD({ stream: this.#parts.stream, version });
  }

  async #held(versionIris: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#parts.storage.hasVersions(versionIris);
  }

  async #erasePage(extent: Extent): Promise<void> {
    const { latest, removals } = this.#parts;
    if (removals.coversErased(extent)) return;
    const sequences = sequencesOf(extent).filter((sequence) => !latest.isNewest(sequence));
    // Who begins to read from now on is told that they are removed.
    if (this.#departing.isRead) this.#departing.hold(this.#parts.storage.read(sequences));
    this.#departing.settle();
    await this.#remove(sequences, (book) => book.erasing(extent));
  }

  async #remove(sequences: readonly number[], stepOf: (removals: RemovalBook) => RemovalStep): Promise<void> {
    const { storage, removals } = this.#parts;
    const before = removals.runs;
    const { change, runs } = stepOf(removals);
    // Known before it is so: a reader in between is told that members are removed, and not that they are lost.
    removals.take(runs);
    try {
      await storage.remove(sequences, change);
    } catch (error) {
      removals.take(before);
      throw error;
    }
  }

  async #readSnapshot(sequences: readonly number[]): Promise<Member[]> {
    const kept = this.#departing.begin();
    try {
      return await this.#readSlices(sequences, (slice) => {
        this.#assertOpen();
        const stored = this.#parts.storage.read(slice.filter((sequence) => !kept.has(sequence))).values();
        return slice.map((sequence) => kept.get(sequence) ?? stored.next().value!);
      });
    } finally {
      this.#departing.end(kept);
    }
  }

  // Members never change once stored, so what is named by sequence at the time of a call may be read later: by a
  // commit that was taken also while the log closes.
  async #readSlices(
    sequences: readonly number[],
    readSlice: (slice: readonly number[]) => Member[],
  ): Promise<Member[]> {
    const members: Member[] = [];
    for (let start = 0; start < sequences.length; start += READ_SLICE) {
      if (start > 0) await setImmediate();
      members.push(...readSlice(sequences.slice(start, start + READ_SLICE)));
    }
    return members;
  }

  #assertHeld(extent: Extent): void {
    const { stream, removals } = this.#parts;
    if (removals.touchesErased(extent)) {
      throw errors.ERR_MEMBERS_REMOVED({ stream, ...extent, heldFrom: removals.heldFrom });
    }
  }

  #assertRemovable(extent: Extent, otherwise: string, isRemovable: (removals: RemovalBook) => boolean): void {
    const { stream, removals } = this.#parts;
    const isWhole = isWholePages(extent) && extent.last <= this.#head.cursor.sequence;
    if (isWhole && isRemovable(removals)) return;
    const { first, last } = extent;
    const problem = isWhole ? otherwise : 'it is not of whole sealed pages';
    throw errors.ERR_REMOVAL_RANGE({ stream, first, last, problem });
  }

  #assertOpen(): void {
    if (this.#closed) throw errors.ERR_LOG_CLOSED({ stream: this.#parts.stream });
  }
}

function assertInteger(name: string, value: number, from: number, to: number): void {
  if (!Number.isSafeInteger(value) || value < from || value > to) {
    throw errors.ERR_READ_RANGE({ name, value, from, to });
  }
}

function sequencesOf({ first, last }: Extent): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/**
 * Keeps members that a commit takes out of the store for those who read the state before it: who has begun to, and
 * who begins while the commit is being written.
 */
export class DepartingMembers {
  readonly #readers = new Set<Map<number, Member>>();
  #departing: ReadonlyMap<number, Member> = new Map();

  get isRead(): boolean {
    return this.#readers.size > 0;
  }

  /** What a reader who begins now has to find here; it grows until the reader ends. */
  begin(): ReadonlyMap<number, Member> {
    const kept = new Map(this.#departing);
    this.#readers.add(kept);
    return kept;
  }

  end(kept: ReadonlyMap<number, Member>): void {
    this.#readers.delete(kept as Map<number, Member>);
  }

  hold(members: readonly Member[]): void {
    this.#departing = new Map(members.map((member) => [member.sequence, member]));
    for (const kept of this.#readers) for (const member of members) kept.set(member.sequence, member);
  }

  /** They were taken out, and whoever begins now will not ask for them; or they stayed. */
  settle(): void {
    this.#departing = new Map();
  }
}

export class Subscribers {
  // Objects: a function that subscribes twice is called twice, and can end one of the two.
  readonly #subscriptions = new Set<{ readonly listener: (commit: Commit) => void }>();

  add(listener: (commit: Commit) => void): () => void {
    const subscription = { listener };
    this.#subscriptions.add(subscription);
    return () => {
      this.#subscriptions.delete(subscription);
    };
  }

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

/** A store that keeps book of its open logs: each is open once, and none outlives the store. */
export class OpenLogs implements LogStore {
  readonly #openLog: (description: StreamDescription, onClosed: () => void) => Promise<Log>;
  readonly #closeStorage: () => Promise<void>;
  readonly #logs = new Map<string, Promise<Log>>();
  #closed: Promise<void> | undefined;

  /** @param closeStorage - frees the store, all its logs being closed */
  constructor(
    openLog: (description: StreamDescription, onClosed: () => void) => Promise<Log>,
    closeStorage: () => Promise<void>,
  ) {
    this.#openLog = openLog;
    this.#closeStorage = closeStorage;
  }

  async open(description: StreamDescription): Promise<Log> {
    const { name } = description;
    if (this.#closed) throw errors.ERR_STORE_CLOSED({ stream: name });
    if (this.#logs.has(name)) throw errors.ERR_LOG_OPEN({ stream: name });
    const forget = () => void this.#logs.delete(name);
    const log = this.#openLog(description, forget);
    this.#logs.set(name, log);
    log.catch(forget);
    return log;
  }

  close(): Promise<void> {
    this.#closed ??= this.#closeAll();
    return this.#closed;
  }

  async #closeAll(): Promise<void> {
    for (const opened of await Promise.allSettled(this.#logs.values())) {
      if (opened.status === 'fulfilled') await opened.value.close();
    }
    await this.#closeStorage();
  }
}

// A log: entries in one order, each applied once, the same way wherever it comes from.
//   append(drafts)  -> CommitBuilder -> N-Quads lines  -> entry   (this process writes)
//   journal message ------------------------------->     entry   (another process writes)
//   entry -> journal.publish (durable order; absent where the storage is the order)
//         -> storage.apply   (one transaction)  -> state.become  -> subscribers, in one tick  -> append resolves
// An entry of a commit: see log-state.ts. What is unlinked or erased is known before it is stored, and taken back if that fails.
import { setImmediate } from 'node:timers/promises';
import {
  type Commit,
  CommitBuilder,
  type Draft,
  type Extent,
  extentOfPage,
  type LatestView,
  type LogHead,
  type Member,
  pageOf,
  type StreamDescription,
} from '@ldes-live/rdf-stream';
import type { DiskCache, FileCache } from './disk-cache.ts';
import { errors } from './errors.ts';
import { CommitListeners, type LivingEntities, type Log, type LogStoreOptions, type Removal } from './log.ts';
import { type EntryMember, type LogEntry, type LogState, sequencesOf } from './log-state.ts';
import { isWholePages } from './removals.ts';
import { type JournalMark, Replica, type ReplicaOptions } from './replica.ts';
import {
  commitOf,
  entryMember,
  fromRecord,
  intactOf,
  type LogContent,
  type LogStorage,
  recordOf,
  recordOfMember,
} from './storage.ts';

export interface OrderedLogOptions {
  readonly description: Pick<StreamDescription, 'name' | 'sequencePath'>;
  readonly storage: LogStorage;
  /** As of what is stored. */
  readonly state: LogState;
  /** Absent where the store has no place for documents. */
  readonly diskCache?: FileCache | undefined;
  /** Absent where the storage alone is the order. */
  readonly replica?: Omit<ReplicaOptions, 'stream' | 'sequencePath' | 'state' | 'clock' | 'random'>;
  readonly options: LogStoreOptions;
  /** Called once, when the last append has settled after `close`. */
  readonly onClosed: () => void;
}

// Quads of a commit that are at hand for its subscribers.
const KEPT_QUADS = 50_000;
// Members that are decoded before others get their turn on the event loop.
const READ_SLICE = 250;

/** Quads that are worked on before others get their turn on the event loop. */
const SLICE_QUADS = 2000;

/** Counts the quads of long work, so that others get their turn in between. */
export class WorkSlice {
  #quads = 0;

  /** Counts quads that were worked on; to be awaited where it is a promise. */
  take(quads: number): Promise<void> | undefined {
    this.#quads += quads;
    if (this.#quads < SLICE_QUADS) return undefined;
    this.#quads = 0;
    return setImmediate();
  }
}

export class OrderedLog implements Log {
  readonly latest: LatestView & Pick<LivingEntities, 'entries'>;
  readonly #parts: OrderedLogOptions;
  // What an entry takes out of the storage is kept for those who read the state before it: who has begun to, each with a map of
  // its own, and who begins while the entry is being stored.
  readonly #readers = new Set<Map<number, Member>>();
  #leaving: readonly Member[] = [];
  readonly #listeners = new CommitListeners();
  /** Absent where this process alone has the log. */
  readonly replica: Replica | undefined;
  #pendingAppends = 0;
  #lastWrite: Promise<unknown> = Promise.resolve();
  #storingMs: number | undefined;
  #closed: Promise<void> | undefined;

  constructor(parts: OrderedLogOptions) {
    this.#parts = parts;
    const { latest } = parts.state;
    this.latest = {
      get size() {
        return latest.size;
      },
      get: (entity) => latest.get(entity),
      entries: () => latest.entries(),
      ofOrigin: (origin) => latest.ofOrigin(origin),
      sequences: () => latest.sequences(),
      hasVersions: async (versionIris) => parts.storage.hasVersions(versionIris),
    };
    const { replica, state, options, description } = parts;
    const { name: stream, sequencePath } = description;
    this.replica =
      replica &&
      new Replica(
        { ...replica, stream, sequencePath, state, clock: options.clock, random: options.random },
        {
          apply: async (entry, mark, commit) => {
            await this.#apply(entry, commit, mark);
            if (entry.kind === 'erase') await parts.diskCache?.erase(entry).catch(() => {});
          },
          inTurn: (write) => this.#inTurn(write),
        },
      );
  }

  get #stream(): string {
    return this.#parts.description.name;
  }

  get sequencePath(): string {
    return this.#parts.description.sequencePath;
  }

  get head(): LogHead {
    return this.#parts.state.head;
  }

  get removals(): readonly Removal[] {
    return this.#parts.state.removals.removals;
  }

  get heldFrom(): number {
    return this.#parts.state.removals.heldFrom;
  }

  get damaged(): readonly number[] {
    const { storage, state } = this.#parts;
    const readable = storage.damaged().filter((sequence) => state.isReadable(sequence));
    return readable.sort((left, right) => left - right);
  }

  get diskCache(): DiskCache | undefined {
    return this.#parts.diskCache;
  }

  completeToMs(): number {
    if (this.replica && !this.replica.isLeading) return this.replica.completeToMs();
    const nowMs = this.#parts.options.clock();
    return this.#storingMs === undefined ? nowMs : Math.min(nowMs, this.#storingMs - 1);
  }

  async caughtUp(): Promise<void> {
    this.#assertOpen();
    await this.replica?.caughtUp();
  }

  async append(drafts: readonly Draft[]): Promise<Commit> {
    const stream = this.#stream;
    this.#assertOpen();
    this.replica?.assertLeading();
    if (drafts.length === 0) throw errors.ERR_COMMIT_EMPTY({ stream });
    const { limitPendingAppends = 1000 } = this.#parts.options;
    if (this.#pendingAppends >= limitPendingAppends) throw errors.ERR_LOG_BUSY({ stream, limitPendingAppends });
    this.#pendingAppends += 1;
    const appended = this.#inTurn(() =>
      this.#commit(drafts).finally(() => {
        this.#pendingAppends -= 1;
      }),
    );
    return this.replica ? this.replica.bounded(appended) : appended;
  }

  async read(after: number, limit: number): Promise<readonly Member[]> {
    this.#assertOpen();
    assertInteger('after', after, 0, Number.MAX_SAFE_INTEGER);
    assertInteger('limit', limit, 1, this.#parts.options.limitRead ?? 10_000);
    const count = Math.max(0, Math.min(limit, this.head.cursor.sequence - after));
    const extent = { first: after + 1, last: after + count };
    return this.#readSlices(sequencesOf(extent), (slice) => {
      this.#assertOpen();
      this.#assertHeld(extent);
      return this.#parts.storage.read(slice);
    });
  }

  async readMembers(sequences: readonly number[]): Promise<readonly Member[]> {
    this.#assertOpen();
    for (const sequence of sequences) {
      assertInteger('sequence', sequence, 1, this.head.cursor.sequence);
      if (!this.#parts.state.isReadable(sequence)) this.#assertHeld({ first: sequence, last: sequence });
    }
    return this.#readSnapshot(sequences);
  }

  async readLatest(): Promise<readonly Member[]> {
    this.#assertOpen();
    return this.#readSnapshot(this.latest.sequences());
  }

  async unlink({ first, last }: Extent): Promise<void> {
    this.#assertOpen();
    await this.#inTurn(async () => {
      const isStanding = !this.#parts.state.removals.touches({ first, last });
      this.#assertRemovable({ first, last }, isStanding, 'a part of the range is already removed');
      await this.#publish({ kind: 'unlink', first, last });
    });
  }

  async erase(extent: Extent): Promise<void> {
    this.#assertOpen();
    this.#assertRemovable(extent, this.#parts.state.removals.covers(extent), 'a part of the range is not unlinked');
    const cacheFailures: unknown[] = [];
    for (let page = pageOf(extent.first); page <= pageOf(extent.last); page += 1) {
      await setImmediate();
      this.#assertOpen();
      const pageExtent = extentOfPage(page);
      await this.#inTurn(async () => {
        const { removals } = this.#parts.state;
        if (removals.coversErased(pageExtent)) return;
        await this.#publish({ kind: 'erase', ...pageExtent, erasedMs: removals.erasedMs() });
      });
      // Members go even where documents cannot: these stand for nothing any more.
      await this.#parts.diskCache?.erase(pageExtent).catch((error) => cacheFailures.push(error));
    }
    if (cacheFailures.length > 0) throw cacheFailures[0];
  }

  /** Gives all that it has as of now, with the position of its last entry; of a log that several processes have. */
  async withContent(publicUrl: string, use: (content: LogContent) => Promise<void>): Promise<void> {
    const { state } = this.#parts;
    const kept = new Map<number, Member>();
    const content = await this.#inTurn(async () => {
      this.#readers.add(kept);
      const { cursor, timeMs } = this.head;
      const { position, id: entryId } = this.replica!.mark;
      const place = { position, entryId, term: state.term, ranges: state.removals.ranges };
      const summary = { ...cursor, timeMs, publicUrl, sequencePath: this.sequencePath, ...place };
      return { summary, latest: [...state.latest.entries()], members: this.#records(state.readable(), kept) };
    });
    await use(content).finally(() => this.#readers.delete(kept));
  }

  async *#records(sequences: readonly number[], kept: ReadonlyMap<number, Member>) {
    for (let start = 0; start < sequences.length; start += READ_SLICE) {
      const members = this.#readSlice(sequences.slice(start, start + READ_SLICE), kept);
      yield members.map((member) => [member.sequence, recordOfMember(member)] as const);
      await setImmediate();
    }
  }

  subscribe(listener: (commit: Commit) => void): () => void {
    this.#assertOpen();
    return this.#listeners.add(listener);
  }

  close(): Promise<void> {
    if (!this.#closed) this.replica?.close(this.#lastWrite);
    this.#closed ??= this.#lastWrite.then(async () => {
      await this.#parts.diskCache?.close();
      this.#listeners.clear();
      this.#parts.onClosed();
    });
    return this.#closed;
  }

  // After all who asked before, whatever becomes of them.
  #inTurn<T>(write: () => Promise<T>): Promise<T> {
    const written = this.#lastWrite.then(write);
    this.#lastWrite = written.catch(() => {});
    return written;
  }

  async #commit(drafts: readonly Draft[]): Promise<Commit> {
    const { state, storage, options } = this.#parts;
    const stream = this.#stream;
    this.replica?.assertLeading();
    const builder = new CommitBuilder(this.head, options.clock(), this.sequencePath);
    const { time } = builder;
    this.#storingMs = Date.parse(time);
    try {
      const first = this.head.cursor.sequence + 1;
      const members: Member[] = [];
      const entries: EntryMember[] = [];
      const slice = new WorkSlice();
      let quads = 0;
      for (const draft of drafts) {
        const built = builder.add(draft);
        const member = state.isOlder(built) ? { ...built, isOlder: true as const } : built;
        const entry = entryMember(draft, member);
        quads += member.quads.length;
        // Of a large commit most are read back from their lines by who needs them: as terms they take more memory.
        const isKept = quads <= KEPT_QUADS;
        members.push(isKept ? { ...member, nquads: entry.nquads } : fromRecord(recordOf(entry, time), member.sequence));
        entries.push(entry);
        const turn = slice.take(member.quads.length);
        if (turn) await turn;
      }
      state.check(drafts, stream);
      const [version] = storage.hasVersions(drafts.flatMap(({ id }) => (id === undefined ? [] : [id])));
      if (version !== undefined) throw errors.ERR_VERSION_HELD({ stream, version });
      const commit = { cursor: builder.cursor, time, members };
      await this.#publish({ kind: 'commit', time, first, members: entries }, commit);
      return commit;
    } finally {
      this.#storingMs = undefined;
    }
  }

  #publish(entry: LogEntry, commit?: Commit): Promise<void> {
    return this.replica ? this.replica.publish(entry, commit) : this.#apply(entry, commit);
  }

  async #apply(entry: LogEntry, commit?: Commit, mark?: JournalMark): Promise<void> {
    const { state, storage } = this.#parts;
    const change = state.take(entry);
    // A commit replaces its members for those who begin to read until it is stored, too.
    if (entry.kind === 'commit' && change.freed.length > 0) {
      this.#keep(await this.#readSlices(change.freed, (slice) => intactOf(storage, slice)));
    }
    const { ranges } = state.removals;
    const isRemoval = entry.kind === 'unlink' || entry.kind === 'erase';
    // Known before it is so: a reader in between is told that members are removed, and not that they are lost.
    if (isRemoval) {
      if (this.#readers.size > 0) this.#keep(intactOf(storage, change.freed));
      state.become(change);
    }
    try {
      await storage.apply(entry, change, mark);
    } catch (error) {
      if (isRemoval) state.removals.ranges = ranges;
      throw error;
    } finally {
      this.#leaving = [];
    }
    if (!isRemoval) state.become(change);
    if (entry.kind === 'commit') this.#listeners.notify(commit ?? commitOf(entry, change.head));
  }

  #keep(members: readonly Member[]): void {
    this.#leaving = members;
    for (const kept of this.#readers) for (const member of members) kept.set(member.sequence, member);
  }

  async #readSnapshot(sequences: readonly number[]): Promise<Member[]> {
    const kept = new Map(this.#leaving.map((member) => [member.sequence, member]));
    this.#readers.add(kept);
    try {
      return await this.#readSlices(sequences, (slice) => this.#readSlice(slice, kept));
    } finally {
      this.#readers.delete(kept);
    }
  }

  #readSlice(slice: readonly number[], kept: ReadonlyMap<number, Member>): Member[] {
    this.#assertOpen();
    const stored = this.#parts.storage.read(slice.filter((sequence) => !kept.has(sequence))).values();
    return slice.map((sequence) => kept.get(sequence) ?? stored.next().value!);
  }

  // Members never change once stored, so what is named by sequence at the time of a call may be read later: by a
  // commit that was taken also while the log closes.
  async #readSlices(sequences: readonly number[], readSlice: LogStorage['read']): Promise<Member[]> {
    const members: Member[] = [];
    for (let start = 0; start < sequences.length; start += READ_SLICE) {
      if (start > 0) await setImmediate();
      members.push(...readSlice(sequences.slice(start, start + READ_SLICE)));
    }
    return members;
  }

  #assertHeld(extent: Extent): void {
    const { removals } = this.#parts.state;
    if (!removals.touchesErased(extent)) return;
    throw errors.ERR_MEMBERS_REMOVED({ stream: this.#stream, ...extent, heldFrom: removals.heldFrom });
  }

  #assertRemovable({ first, last }: Extent, isRemovable: boolean, otherwise: string): void {
    const isWhole = isWholePages({ first, last }) && last <= this.head.cursor.sequence;
    if (isWhole && isRemovable) return;
    const problem = isWhole ? otherwise : 'the range is not whole sealed pages';
    throw errors.ERR_REMOVAL_RANGE({ stream: this.#stream, first, last, problem });
  }

  #assertOpen(): void {
    if (this.#closed) throw errors.ERR_LOG_CLOSED({ stream: this.#stream });
  }
}

function assertInteger(name: string, value: number, from: number, to: number): void {
  if (!Number.isSafeInteger(value) || value < from || value > to) {
    throw errors.ERR_READ_RANGE({ name, value, from, to });
  }
}

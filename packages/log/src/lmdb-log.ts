import type { Commit, LatestEntry, LogHead, Member, StreamDescription } from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';
import { openFileShelf } from './file-shelf.ts';
import type { LatestChange } from './latest-change.ts';
import { LatestIndex } from './latest-index.ts';
import type { LmdbFile } from './lmdb-file.ts';
import type { LmdbStoreOptions } from './lmdb-store.ts';
import { type LmdbTables, versionKey } from './lmdb-tables.ts';
import type { LogStorage } from './log-storage.ts';
import { GRACE_MS } from './log-store.ts';
import { fromRecord, toRecord } from './member-record.ts';
import { newHead } from './new-head.ts';
import { OrderedLog } from './ordered-log.ts';
import { ownVersion } from './own-version.ts';
import { RemovalBook } from './removal-book.ts';
import type { RemovalRun, RunsChange } from './removal-runs.ts';
import type { StreamLog } from './stream-log.ts';

/** Opens a log that is kept in LMDB, or makes it. Its history is not read, only its latest state. */
export async function openLmdbLog(
  file: LmdbFile,
  description: StreamDescription,
  options: LmdbStoreOptions,
  onClosed: () => void,
): Promise<StreamLog> {
  const { name: stream, sequencePath } = description;
  const { clock, random, path, graceMs = GRACE_MS } = options;
  const storage = new LmdbStorage(file, description, options.onUnreadable);
  while (storage.pause) await storage.pause;
  const stored = storage.head();
  const latest = new LatestIndex(storage.latest());
  const removals = new RemovalBook({ runs: [...storage.removals()], clock, graceMs });
  const head = stored ?? (await storage.create(newHead(clock(), random)));
  const shelf = await openFileShelf({ path, stream, epoch: head.cursor.epoch, removals });
  return new OrderedLog({ stream, sequencePath, storage, head, latest, removals, shelf, options, onClosed });
}

class LmdbStorage implements LogStorage {
  readonly #file: LmdbFile;
  readonly #stream: string;
  readonly #publicUrl: string;
  readonly #onUnreadable: LmdbStoreOptions['onUnreadable'];
  /** Sequence numbers of the members that are told of. */
  readonly #told = new Set<number>();

  constructor(file: LmdbFile, description: StreamDescription, onUnreadable: LmdbStoreOptions['onUnreadable']) {
    this.#file = file;
    this.#onUnreadable = onUnreadable;
    this.#stream = description.name;
    this.#publicUrl = description.publicUrl;
  }

  get pause(): Promise<void> | undefined {
    return this.#file.pause;
  }

  /** The head as stored; `undefined` when there is no such stream. */
  head(): LogHead | undefined {
    const record = this.#file.tables.streams.get(this.#stream);
    if (!record) return undefined;
    const { publicUrl: stored, epoch, sequence, timeMs } = record;
    const given = this.#publicUrl;
    if (stored !== given) throw errors.ERR_STREAM_MOVED({ stream: this.#stream, stored, given });
    return { cursor: { epoch, sequence }, timeMs };
  }

  /** Stores the head of a new log, so that its epoch holds even before there are members. */
  async create(head: LogHead): Promise<LogHead> {
    await this.#transact(({ streams }) => this.#putHead(streams, head));
    return head;
  }

  /** The latest state as stored, by sequence. */
  *latest(): Iterable<LatestEntry> {
    const range = { start: [this.#stream, 0], end: [this.#stream, Number.MAX_SAFE_INTEGER] };
    for (const { key, value } of this.#file.tables.latest.getRange(range)) yield { ...value, sequence: key[1] };
  }

  /** What was removed, ascending. */
  *removals(): Iterable<RemovalRun> {
    const range = { start: [this.#stream, 0], end: [this.#stream, Number.MAX_SAFE_INTEGER] };
    for (const { key, value } of this.#file.tables.removals.getRange(range)) yield { ...value, first: key[1] };
  }

  async write(commit: Commit, { ended, begun }: LatestChange, freed: readonly number[]): Promise<void> {
    // Made before the transaction begins: what throws within it would leave a part of it to be committed.
    const records = commit.members.map(toRecord);
    const keys = commit.members.flatMap((member) => {
      const own = ownVersion(member);
      return own === undefined ? [] : [[versionKey(this.#stream, own), member.sequence] as const];
    });
    await this.#transact((tables) => {
      const { members, latest, streams, versions } = tables;
      for (const [index, member] of commit.members.entries()) {
        void members.put([this.#stream, member.sequence], records[index]!);
      }
      for (const [key, sequence] of keys) void versions.put(key, sequence);
      this.#removeMembers(tables, freed);
      for (const { sequence } of ended) void latest.remove([this.#stream, sequence]);
      for (const { sequence, ...entry } of begun) void latest.put([this.#stream, sequence], entry);
      this.#putHead(streams, { cursor: commit.cursor, timeMs: Date.parse(commit.time) });
    });
  }

  held(versionIris: readonly string[]): Set<string> {
    const { versions } = this.#file.tables;
    return new Set(versionIris.filter((iri) => versions.doesExist(versionKey(this.#stream, iri))));
  }

  read(sequences: readonly number[]): Member[] {
    return sequences.map((sequence) => {
      const record = this.#file.tables.members.get([this.#stream, sequence]);
      if (!record) throw errors.ERR_STORE_DAMAGED({ stream: this.#stream, sequence });
      return fromRecord(record, sequence, (line) => {
        if (this.#told.has(sequence)) return;
        this.#told.add(sequence);
        this.#onUnreadable?.(errors.ERR_MEMBER_UNREADABLE({ stream: this.#stream, sequence, line }));
      });
    });
  }

  async remove(sequences: readonly number[], { ended, begun }: RunsChange): Promise<void> {
    await this.#transact((tables) => {
      const { removals } = tables;
      this.#removeMembers(tables, sequences);
      for (const { first } of ended) void removals.remove([this.#stream, first]);
      for (const { first, ...run } of begun) void removals.put([this.#stream, first], run);
    });
    this.#file.compactIfWorthwhile();
  }

  #removeMembers({ members, versions }: LmdbTables, sequences: readonly number[]): void {
    for (const sequence of sequences) {
      const record = members.get([this.#stream, sequence]);
      const own = record && ownVersion(record);
      if (own !== undefined) void versions.remove(versionKey(this.#stream, own));
      void members.remove([this.#stream, sequence]);
    }
  }

  #putHead(streams: LmdbTables['streams'], { cursor, timeMs }: LogHead): void {
    void streams.put(this.#stream, { publicUrl: this.#publicUrl, ...cursor, timeMs });
  }

  /** Makes all writes of one action, or none of them, and resolves when they are on disk. */
  async #transact(action: (tables: LmdbTables) => void): Promise<void> {
    try {
      await this.#file.transact(action);
    } catch (error) {
      const cause = await commitErrorOf(error as Error);
      throw errors.ERR_STORE_WRITE({ stream: this.#stream, reason: cause.message }, cause);
    }
  }
}

/** What made a commit fail: lmdb-js tells it by a promise of its own, which must not be left unhandled. */
async function commitErrorOf(error: Error & { commitError?: Promise<never> }): Promise<Error> {
  return error.commitError ? error.commitError.catch((cause: Error) => cause) : error;
}

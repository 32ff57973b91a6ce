import type { Commit, LatestEntry, LogHead, Member, StreamDescription } from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';
import type { LatestChange } from './latest-change.ts';
import { LatestIndex } from './latest-index.ts';
import type { LmdbTables } from './lmdb-tables.ts';
import type { LogStorage } from './log-storage.ts';
import type { LogStoreOptions } from './log-store.ts';
import { fromRecord, toRecord } from './member-record.ts';
import { newHead } from './new-head.ts';
import { OrderedLog } from './ordered-log.ts';
import type { StreamLog } from './stream-log.ts';

/** Opens a log that is kept in LMDB, or makes it. Its history is not read, only its latest state. */
export async function openLmdbLog(
  tables: LmdbTables,
  description: StreamDescription,
  options: LogStoreOptions,
  onClosed: () => void,
): Promise<StreamLog> {
  const { name: stream, sequencePath } = description;
  const storage = new LmdbStorage(tables, description);
  const head = storage.head() ?? (await storage.create(newHead(options.clock(), options.random)));
  const latest = new LatestIndex(storage.latest());
  return new OrderedLog({ stream, sequencePath, storage, head, latest, options, onClosed });
}

class LmdbStorage implements LogStorage {
  readonly #tables: LmdbTables;
  readonly #stream: string;
  readonly #publicUrl: string;

  constructor(tables: LmdbTables, description: StreamDescription) {
    this.#tables = tables;
    this.#stream = description.name;
    this.#publicUrl = description.publicUrl;
  }

  /** The head as stored; `undefined` when there is no such stream. */
  head(): LogHead | undefined {
    const record = this.#tables.streams.get(this.#stream);
    if (!record) return undefined;
    const { publicUrl: stored, epoch, sequence, timeMs } = record;
    const given = this.#publicUrl;
    if (stored !== given) throw errors.ERR_STREAM_MOVED({ stream: this.#stream, stored, given });
    return { cursor: { epoch, sequence }, timeMs };
  }

  /** Stores the head of a new log, so that its epoch holds even before there are members. */
  async create(head: LogHead): Promise<LogHead> {
    await this.#transact(() => this.#putHead(head));
    return head;
  }

  /** The latest state as stored, by sequence. */
  *latest(): Iterable<LatestEntry> {
    const range = { start: [this.#stream, 0], end: [this.#stream, Number.MAX_SAFE_INTEGER] };
    for (const { key, value } of this.#tables.latest.getRange(range)) yield { ...value, sequence: key[1] };
  }

  async write(commit: Commit, { ended, begun }: LatestChange): Promise<void> {
    const { members, latest } = this.#tables;
    // Made before the transaction begins: what throws within it would leave a part of it to be committed.
    const records = commit.members.map(toRecord);
    await this.#transact(() => {
      for (const [index, member] of commit.members.entries()) {
        void members.put([this.#stream, member.sequence], records[index]!);
      }
      for (const { sequence } of ended) void latest.remove([this.#stream, sequence]);
      for (const { sequence, ...entry } of begun) void latest.put([this.#stream, sequence], entry);
      this.#putHead({ cursor: commit.cursor, timeMs: Date.parse(commit.time) });
    });
  }

  read(sequences: readonly number[]): Member[] {
    return sequences.map((sequence) => {
      const record = this.#tables.members.get([this.#stream, sequence]);
      if (!record) throw errors.ERR_STORE_DAMAGED({ stream: this.#stream, sequence });
      return fromRecord(record, sequence);
    });
  }

  #putHead({ cursor, timeMs }: LogHead): void {
    void this.#tables.streams.put(this.#stream, { publicUrl: this.#publicUrl, ...cursor, timeMs });
  }

  /** Makes all writes of one action, or none of them, and resolves when they are on disk. */
  async #transact(action: () => void): Promise<void> {
    try {
      await this.#tables.root.batch(action);
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

import type { Commit, Member, StreamDescription } from '@ldes-live/rdf-stream';
import { GRACE_MS, type Log, type LogStore, type LogStoreOptions } from './log.ts';
import { type LatestChange, LatestIndex, newHead, ownVersion } from './log-state.ts';
import { OpenLogs, OrderedLog } from './ordered-log.ts';
import { RemovalBook } from './removals.ts';
import { fromRecord, type LogStorage, type MemberRecord, toRecord } from './storage.ts';

/**
 * Makes a store in memory, for tests and demonstrations: its logs grow with their history, and one that is closed
 * starts anew when it is opened again.
 */
export function createMemoryStore(options: LogStoreOptions): LogStore {
  return new OpenLogs(
    async (description, onClosed) => createMemoryLog(description, options, onClosed),
    async () => {},
  );
}

/** Makes a log that holds all its members in memory and is gone when it closes. */
export function createMemoryLog(description: StreamDescription, options: LogStoreOptions, onClosed: () => void): Log {
  return new OrderedLog({
    stream: description.name,
    sequencePath: description.sequencePath,
    storage: new MemoryStorage(),
    head: newHead(options.clock(), options.random),
    latest: new LatestIndex(),
    removals: new RemovalBook({ runs: [], clock: options.clock, graceMs: options.graceMs ?? GRACE_MS }),
    options,
    onClosed,
  });
}

// Records and not members: text takes less memory than terms, and what LMDB could not store is refused here too.
class MemoryStorage implements LogStorage {
  readonly #records = new Map<number, MemberRecord>();
  readonly #ownVersions = new Set<string>();

  async write(commit: Commit, _change: LatestChange, freed: readonly number[]): Promise<void> {
    const records = commit.members.map(toRecord);
    for (const [index, { sequence }] of commit.members.entries()) this.#add(sequence, records[index]!);
    this.#delete(freed);
  }

  hasVersions(versionIris: readonly string[]): Set<string> {
    return new Set(versionIris.filter((iri) => this.#ownVersions.has(iri)));
  }

  read(sequences: readonly number[]): Member[] {
    return sequences.map((sequence) => fromRecord(this.#records.get(sequence)!, sequence));
  }

  async remove(sequences: readonly number[]): Promise<void> {
    this.#delete(sequences);
  }

  #add(sequence: number, record: MemberRecord): void {
    this.#records.set(sequence, record);
    const own = ownVersion(record);
    if (own !== undefined) this.#ownVersions.add(own);
  }

  #delete(sequences: readonly number[]): void {
    for (const sequence of sequences) {
      const record = this.#records.get(sequence);
      const own = record && ownVersion(record);
      if (own !== undefined) this.#ownVersions.delete(own);
      this.#records.delete(sequence);
    }
  }
}

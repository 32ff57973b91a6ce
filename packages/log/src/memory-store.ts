import type { Member } from '@ldes-live/rdf-stream';
import { type LogStore, type LogStoreOptions, TOMBSTONE_MS } from './log.ts';
import { type LogEntry, LogState, NO_HEAD, type StateChange } from './log-state.ts';
import { OrderedLog } from './ordered-log.ts';
import { Removals } from './removals.ts';
import {
  beginLog,
  createLogStore,
  fromRecord,
  type LogStorage,
  type MemberRecord,
  ownVersion,
  recordOf,
} from './storage.ts';

/** Makes a store in memory, for tests and demonstrations. A log grows with its history, and starts anew when opened again. */
export function createMemoryStore(options: LogStoreOptions): LogStore {
  const { clock, tombstoneMs = TOMBSTONE_MS } = options;
  return createLogStore(
    async (description, onClosed) => {
      const storage = new MemoryStorage();
      const state = new LogState(NO_HEAD, [], new Removals([], clock, tombstoneMs));
      await beginLog(state, storage, description, options);
      return new OrderedLog({ description, storage, state, options, onClosed });
    },
    async () => {},
  );
}

// Records and not members: text takes less memory than terms, and what LMDB could not store is refused here too.
export class MemoryStorage implements LogStorage {
  readonly #records = new Map<number, MemberRecord>();
  readonly #ownVersions = new Set<string>();

  async apply(entry: LogEntry, { freed }: StateChange): Promise<void> {
    if (entry.kind === 'commit') {
      for (const [index, member] of entry.members.entries()) {
        const record = recordOf(member, entry.time);
        this.#records.set(entry.first + index, record);
        const own = ownVersion(record);
        if (own !== undefined) this.#ownVersions.add(own);
      }
    }
    for (const sequence of freed) {
      const record = this.#records.get(sequence);
      const own = record && ownVersion(record);
      if (own !== undefined) this.#ownVersions.delete(own);
      this.#records.delete(sequence);
    }
  }

  read(sequences: readonly number[]): Member[] {
    return sequences.map((sequence) => fromRecord(this.#records.get(sequence)!, sequence));
  }

  damaged(): [] {
    return [];
  }

  hasVersions(versionIris: readonly string[]): Set<string> {
    return new Set(versionIris.filter((iri) => this.#ownVersions.has(iri)));
  }
}

import type { Commit, Member, StreamDescription } from '@ldes-live/rdf-stream';
import { LatestIndex } from './latest-index.ts';
import type { LogStorage } from './log-storage.ts';
import type { LogStoreOptions } from './log-store.ts';
import { fromRecord, type MemberRecord, toRecord } from './member-record.ts';
import { newHead } from './new-head.ts';
import { OrderedLog } from './ordered-log.ts';
import type { StreamLog } from './stream-log.ts';

/** Makes a log that holds all its members in memory and is gone when it closes. */
export function createMemoryLog(
  description: StreamDescription,
  options: LogStoreOptions,
  onClosed: () => void,
): StreamLog {
  return new OrderedLog({
    stream: description.name,
    sequencePath: description.sequencePath,
    storage: new MemoryStorage(),
    head: newHead(options.clock(), options.random),
    latest: new LatestIndex(),
    options,
    onClosed,
  });
}

// Records and not members: text takes less memory than terms, and what LMDB could not store is refused here too.
class MemoryStorage implements LogStorage {
  readonly #records: MemberRecord[] = [];

  async write(commit: Commit): Promise<void> {
    const records = commit.members.map(toRecord);
    for (const record of records) this.#records.push(record);
  }

  read(sequences: readonly number[]): Member[] {
    return sequences.map((sequence) => fromRecord(this.#records[sequence - 1]!, sequence));
  }
}

import type { StreamError } from '@ldes-live/rdf-stream';
import { openLmdbFile } from './lmdb-file.ts';
import { openLmdbLog } from './lmdb-log.ts';
import type { LogStore, LogStoreOptions } from './log-store.ts';
import { OpenLogs } from './open-logs.ts';

/** What a store in LMDB takes. */
export interface LmdbStoreOptions extends LogStoreOptions {
  /** The folder; made when it is missing. On a disk of this machine: LMDB is not for network file systems. */
  readonly path: string;
  /**
   * When more than half of the data file is free, and more than this, it is exchanged for a smaller one: bytes, 0 or
   * more.
   * @defaultValue 67108864
   */
  readonly compactionFreeBytes?: number;
  /**
   * Told of each `ERR_STORE_COMPACT`: the store goes on with the file that it has, and tries again 10 minutes later
   * at the earliest. Told of `ERR_STORE_OPEN` (or `ERR_STORE_LOCKED`) where the file cannot be opened after the
   * exchange, and the store is at an end: reads fail with that error, writes with `ERR_STORE_WRITE` caused by it.
   *
   * What it throws disturbs no write: it is thrown again on its own, where the runtime reports it as an uncaught
   * exception.
   */
  readonly onCompactionFailed?: (error: StreamError) => void;
}

const COMPACTION_FREE_BYTES = 64 * 1024 * 1024;

/**
 * Opens a store in an LMDB folder, or makes it.
 *
 * What is appended is synced to disk before it is acknowledged, each commit in one transaction. The store is for one
 * owner at a time; one whose process died, in whatever way, no longer counts.
 *
 * @throws {@link StreamError} `ERR_STORE_LOCKED` - the folder is open elsewhere, in this process or another
 * @throws {@link StreamError} `ERR_STORE_OPEN` - the folder cannot be made, read or written
 * @throws {@link StreamError} `ERR_STORE_VERSION` - a release with another storage format wrote it
 */
export async function openLmdbStore(options: LmdbStoreOptions): Promise<LogStore> {
  const { path, clock, compactionFreeBytes = COMPACTION_FREE_BYTES, onCompactionFailed = () => {} } = options;
  const file = await openLmdbFile({ path, clock, compactionFreeBytes, onCompactionFailed });
  file.compactIfWorthwhile();
  return new OpenLogs({
    openLog: (description, onClosed) => openLmdbLog(file, description, options, onClosed),
    closeStorage: () => file.close(),
  });
}

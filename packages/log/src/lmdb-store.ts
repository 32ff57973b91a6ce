import { openLmdbLog } from './lmdb-log.ts';
import { openTables } from './lmdb-tables.ts';
import type { LogStore, LogStoreOptions } from './log-store.ts';
import { OpenLogs } from './open-logs.ts';

/** What a store in LMDB takes. */
export interface LmdbStoreOptions extends LogStoreOptions {
  /** The folder; made when it is missing. On a disk of this machine: LMDB is not for network file systems. */
  readonly path: string;
}

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
  const tables = await openTables(options.path);
  return new OpenLogs({
    openLog: (description, onClosed) => openLmdbLog(tables, description, options, onClosed),
    closeStorage: () => tables.root.close(),
  });
}

import type { StreamError } from '@ldes-live/rdf-stream';
import { addressRoomBytes as roomBytes } from './address-room.ts';
import { openLmdbFile } from './lmdb-file.ts';
import { openLmdbLog } from './lmdb-log.ts';
import type { LogStore, LogStoreOptions } from './log-store.ts';
import { mappedBytes } from './mapped-bytes.ts';
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
   * Where the system tells (Linux): how much more of mapped files may be resident in the process than when the data
   * file was opened. Past it the file is opened anew after a write, which takes milliseconds, and what was touched of it
   * no longer counts as memory of the process: bytes, 0 or more.
   * @defaultValue 8388608
   */
  readonly limitMappedBytes?: number;
  /**
   * Told of each `ERR_STORE_COMPACT`: the store goes on with the file that it has, and tries again 10 minutes later
   * at the earliest. Told of `ERR_STORE_OPEN` (or `ERR_STORE_LOCKED`) where the file cannot be opened after the
   * exchange, or anew ({@link LmdbStoreOptions.limitMappedBytes}), and the store is at an end: reads fail with that error, writes with `ERR_STORE_WRITE` caused by it.
   *
   * Told once of `ERR_STORE_MOVED`, where the data file was moved or removed: the store goes on with the file that it has open.
   * Where that comes to pass while the file is opened anew, the store is at an end.
   *
   * What it throws disturbs no write: it is thrown again on its own, where the runtime reports it as an uncaught
   * exception.
   */
  readonly onCompactionFailed?: (error: StreamError) => void;
  /** Told once of each `ERR_MEMBER_UNREADABLE`: a stored member is read without a statement that no reader could read. */
  readonly onUnreadable?: (error: StreamError) => void;
}

const COMPACTION_FREE_BYTES = 64 * 1024 * 1024;
const LIMIT_MAPPED_BYTES = 8 * 1024 * 1024;

/**
 * Opens a store in an LMDB folder, or makes it.
 *
 * What is appended is synced to disk before it is acknowledged, each commit in one transaction. The store is for one
 * owner at a time; one whose process died, in whatever way, no longer counts.
 *
 * @throws {@link StreamError} `ERR_STORE_LOCKED` - the folder is open elsewhere, in this process or another
 * @throws {@link StreamError} `ERR_STORE_OPEN` - the folder cannot be made, read or written, or the address space (`ulimit -v`) is
 * too small for its file
 * @throws {@link StreamError} `ERR_STORE_VERSION` - a release with another storage format wrote it
 */
export async function openLmdbStore(options: LmdbStoreOptions): Promise<LogStore> {
  const { path, clock, onCompactionFailed = () => {} } = options;
  const { compactionFreeBytes = COMPACTION_FREE_BYTES, limitMappedBytes = LIMIT_MAPPED_BYTES } = options;
  const limits = { compactionFreeBytes, limitMappedBytes };
  const file = await openLmdbFile({ path, clock, onCompactionFailed, mappedBytes, roomBytes, ...limits });
  file.compactIfWorthwhile();
  return new OpenLogs({
    openLog: (description, onClosed) => openLmdbLog(file, description, options, onClosed),
    closeStorage: () => file.close(),
  });
}

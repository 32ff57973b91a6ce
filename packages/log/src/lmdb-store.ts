import type { StreamDescription, StreamError } from '@ldes-live/rdf-stream';
import { openDiskCache } from './disk-cache.ts';
import { errors } from './errors.ts';
import { hasMembers, type LmdbLogFile, openLmdb, readLog } from './lmdb-log.ts';
import type { Log, LogStore, LogStoreOptions } from './log.ts';
import { OrderedLog } from './ordered-log.ts';
import { beginLog, createLogStore } from './storage.ts';

/** What a store in LMDB takes. */
export interface LmdbStoreOptions extends LogStoreOptions {
  /** The folder; made when it is missing. On a disk of this machine: LMDB is not for network file systems. */
  readonly path: string;
  /**
   * When more than half of the data file is free, and more than this, it is exchanged for a smaller one as the store is
   * opened: bytes, 0 or more; 64 MiB by default.
   */
  readonly compactionFreeBytes?: number;
  /**
   * Gets `ERR_STORE_COMPACT` while the store is opened: there is no room for the copy, and the file goes on as it is. Gets
   * each `ERR_MEMBER_UNREADABLE` once: a stored member is read without a statement that no reader could read. Gets each
   * `ERR_STORE_DAMAGED` once, which also the read fails by.
   */
  readonly onWarning?: (error: StreamError) => void;
}

/**
 * Opens a store in an LMDB folder, or makes it. It is for one owner at a time; one whose process died, in whatever way, no
 * longer counts.
 *
 * @throws `ERR_STORE_LOCKED`: the folder is open elsewhere, in this process or another
 * @throws `ERR_STORE_OPEN`: the folder cannot be made, read or written, its file is not of LMDB, damaged or cut short, or the
 * address space (`ulimit -v`) is too small for it
 * @throws `ERR_STORE_VERSION`: a release with another storage format wrote it
 *
 * A log whose head, latest state or removed pages the disk has changed is not opened: `ERR_STREAM_DAMAGED`. Of one that is
 * open, a member that the disk has changed is never given: `ERR_STORE_DAMAGED`.
 */
export async function openLmdbStore(options: LmdbStoreOptions): Promise<LogStore> {
  const file = await openLmdb(options);
  return createLogStore(
    (description, onClosed) => openLog(file, description, options, onClosed),
    () => file.close(),
  );
}

async function openLog(
  file: LmdbLogFile,
  given: StreamDescription,
  options: LmdbStoreOptions,
  onClosed: () => void,
): Promise<Log> {
  const { state, storage, description, mark, isEmpty } = readLog(file, given, options);
  // To begin anew would put other members under sequence numbers that readers know.
  if (isEmpty && hasMembers(file, given.name))
    throw errors.ERR_STREAM_DAMAGED({ stream: given.name, part: 'its head' });
  if (mark) throw errors.ERR_STORE_CLUSTERED({ stream: given.name, path: options.path });
  await beginLog(state, storage, description, options);
  const diskCache = await openDiskCache(options.path, given.name, state.head.cursor.epoch, state.removals);
  return new OrderedLog({ description, storage, state, diskCache, options, onClosed });
}

import { open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import { errors } from './errors.ts';

/**
 * Opens an environment of LMDB whose folder was checked.
 *
 * @param mapBytes - address space that it takes at once, which has to be left: lmdb-js does not survive a map that it cannot make
 * @throws {@link StreamError} `ERR_STORE_OPEN` - LMDB refuses it
 */
export function openRoot(path: string, mapBytes: number): RootDatabase {
  try {
    const options: RootDatabaseOptionsWithPath & { readonly noReadAhead: boolean } = {
      path,
      // Else a name with a dot in it is taken for a file.
      noSubdir: false,
      // lmdb-js would begin with a small map and take another one each time the file has doubled. It keeps the maps
      // before, so that what was touched through each counts as memory of the process, more than once.
      mapSize: mapBytes,
      // Missing in its types. Else each page that memory lacks comes with 31 around it, which push out others that will be
      // wanted: with versions of random IRIs and less memory than data, a log would do little else than read.
      noReadAhead: true,
      // lmdb-js would resolve a write when it is visible and sync after; a failed sync is then never reported. Without
      // overlap a transaction is synced by `mdb_txn_commit` itself, on lmdb-js's own thread, and only then resolves:
      // a promise kept is data on disk, and a promise broken is a commit undone.
      overlappingSync: false,
      // lmdb-js would group what one turn writes by a promise of its own, whose rejection nobody could handle.
      eventTurnBatching: false,
    };
    return open(options);
  } catch (cause) {
    throw errors.ERR_STORE_OPEN({ path, reason: (cause as Error).message }, cause);
  }
}

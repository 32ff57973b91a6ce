import { open, type RootDatabase } from 'lmdb';
import { errors } from './errors.ts';

/**
 * Opens an environment of LMDB whose folder was checked.
 *
 * @throws {@link StreamError} `ERR_STORE_OPEN` - LMDB refuses it
 */
export function openRoot(path: string): RootDatabase {
  try {
    return open({
      path,
      // Else a name with a dot in it is taken for a file.
      noSubdir: false,
      // lmdb-js would resolve a write when it is visible and sync after; a failed sync is then never reported. Without
      // overlap a transaction is synced by `mdb_txn_commit` itself, on lmdb-js's own thread, and only then resolves:
      // a promise kept is data on disk, and a promise broken is a commit undone.
      overlappingSync: false,
      // lmdb-js would group what one turn writes by a promise of its own, whose rejection nobody could handle.
      eventTurnBatching: false,
    });
  } catch (cause) {
    throw errors.ERR_STORE_OPEN({ path, reason: (cause as Error).message }, cause);
  }
}

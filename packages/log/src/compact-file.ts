import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AddressRoom } from './address-room.ts';
import { errors } from './errors.ts';
import { fileUse } from './file-use.ts';
import { type LmdbTables, openTables } from './lmdb-tables.ts';

const FOLDER = 'compact';

/** The data file of a folder of LMDB. */
export const DATA_FILE = 'data.mdb';

/**
 * Writes a copy of the data file without its free pages, off the main thread, and checks that it has what the file
 * has. Nothing may be written meanwhile.
 *
 * @returns path of the copy, which is complete and on disk
 * @throws {@link StreamError} `ERR_STORE_COMPACT` - no room, or not the same
 */
export async function compactFile(path: string, tables: LmdbTables, roomBytes: AddressRoom): Promise<string> {
  const folder = join(path, FOLDER);
  try {
    await dropCopy(path);
    await mkdir(folder);
    await tables.root.backup(folder, true);
    const copy = await openTables(folder, roomBytes);
    const [has, had] = [fileUse(copy).records, fileUse(tables).records];
    await copy.root.close();
    if (String(has) !== String(had)) throw new Error(`the copy has ${has} records and not ${had}`);
    await sync(join(folder, DATA_FILE), 'r+');
    return join(folder, DATA_FILE);
  } catch (cause) {
    await dropCopy(path).catch(() => {});
    throw errors.ERR_STORE_COMPACT({ path, reason: (cause as Error).message }, cause);
  }
}

/** Deletes what is left of a copy. */
export async function dropCopy(path: string): Promise<void> {
  await rm(join(path, FOLDER), { recursive: true, force: true });
}

/** Makes sure that a file, or what a folder says of its files, is on disk. */
export async function sync(path: string, flags: 'r' | 'r+'): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

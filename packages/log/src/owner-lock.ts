import { join } from 'node:path';
import { assertAlone } from './assert-alone.ts';
import { checkFolder } from './check-folder.ts';
import { openRoot } from './open-root.ts';

/** The environment stays empty. */
const MAP_BYTES = 1024 ** 2;

/**
 * Takes a store folder for this owner, also while its data file is closed to be exchanged.
 *
 * It is an environment of LMDB with nothing in it, since that knows who died and holds nothing any more.
 *
 * @returns gives the folder back
 * @throws {@link StreamError} `ERR_STORE_LOCKED` - another owner has it, in this process or another
 * @throws {@link StreamError} `ERR_STORE_OPEN` - the folder cannot be made, read or written
 */
export async function lockFolder(path: string): Promise<() => Promise<void>> {
  // The store's own folder first: what is wrong with it should be said of it.
  await checkFolder(path);
  const folder = join(path, 'owner');
  await checkFolder(folder);
  const root = openRoot(folder, MAP_BYTES);
  try {
    assertAlone(root, path);
  } catch (error) {
    await root.close();
    throw error;
  }
  return () => root.close();
}

import { constants } from 'node:fs';
import { access, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { errors } from './errors.ts';

const MAGIC = 0xbeefc0de;
const MAGIC_OFFSET_BYTES = 24;

/**
 * Makes the folder of a store where it is missing, and checks that LMDB will be able to open it.
 *
 * Left to itself, lmdb-js 3.5 frees memory twice when its native open fails, and may take the process with it: what
 * can be told beforehand is told here.
 *
 * @throws {@link StreamError} `ERR_STORE_OPEN` - no folder, not writable, or with another program's `data.mdb`
 */
export async function checkFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    await checkFile(join(path, 'lock.mdb'));
    const start = await checkFile(join(path, 'data.mdb'));
    // An empty file is what an open leaves that was killed at once; LMDB begins anew with it.
    if (
      start.length > 0 &&
      (start.length < MAGIC_OFFSET_BYTES + 4 || start.readUInt32LE(MAGIC_OFFSET_BYTES) !== MAGIC)
    ) {
      throw new Error('its data.mdb is not of LMDB');
    }
  } catch (cause) {
    throw errors.ERR_STORE_OPEN({ path, reason: (cause as Error).message }, cause);
  }
}

/** The first bytes of a file that may be read and written; none when there is no such file. */
async function checkFile(path: string): Promise<Buffer> {
  const file = await open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return Buffer.alloc(0);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAGIC_OFFSET_BYTES + 4), 0, null, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

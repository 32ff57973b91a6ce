import { constants } from 'node:fs';
import { access, mkdir, open, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFileProblem, META_BYTES } from './data-file-problem.ts';
import { errors } from './errors.ts';

/**
 * Makes the folder of a store where it is missing, and checks that LMDB will be able to open it.
 *
 * Left to itself, lmdb-js 3.5 frees memory twice when its native open fails, and may take the process with it: what
 * can be told beforehand is told here.
 *
 * @throws {@link StreamError} `ERR_STORE_OPEN` - no folder, not writable, no room for what a new one needs, or with a
 * `data.mdb` of another program or cut short
 */
export async function checkFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (cause) {
    throw errors.ERR_STORE_OPEN({ path, reason: (cause as Error).message }, cause);
  }
  await checkMadeFolder(path);
}

/**
 * Checks that LMDB will be able to open the folder of a store; makes nothing.
 *
 * @throws {@link StreamError} as {@link checkFolder}, and where there is no such folder
 */
export async function checkMadeFolder(path: string): Promise<void> {
  try {
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    const lock = await checkFile(join(path, 'lock.mdb'));
    const { start, sizeBytes } = await checkFile(join(path, 'data.mdb'));
    const { bavail, bsize } = await statfs(path);
    const isNew = lock.sizeBytes === 0 || sizeBytes === 0;
    const problem = dataFileProblem(start, sizeBytes) ?? (isNew ? roomProblem(bavail * bsize) : undefined);
    if (problem !== undefined) throw new Error(problem);
  } catch (cause) {
    throw errors.ERR_STORE_OPEN({ path, reason: (cause as Error).message }, cause);
  }
}

/** What the files of a new folder take, and some commits. */
const NEW_FOLDER_BYTES = 1024 ** 2;

/**
 * What keeps a new folder from being opened on a disk with so much left, in words. LMDB writes its lock file through
 * memory, and a full disk that is found that way ends the process.
 */
export function roomProblem(freeBytes: number): string | undefined {
  if (freeBytes >= NEW_FOLDER_BYTES) return undefined;
  return `its disk has ${freeBytes} bytes left, and a new store needs ${NEW_FOLDER_BYTES}`;
}

/** The first bytes and the size of a file that may be read and written; nothing when there is no such file. */
async function checkFile(path: string): Promise<{ start: Buffer; sizeBytes: number }> {
  const file = await open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return { start: Buffer.alloc(0), sizeBytes: 0 };
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(META_BYTES), 0, null, 0);
    return { start: buffer.subarray(0, bytesRead), sizeBytes: (await file.stat()).size };
  } finally {
    await file.close();
  }
}

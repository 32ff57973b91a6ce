import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Extent, extentOfRange } from '@ldes-live/rdf-stream';
import type { RemovalBook } from './removal-book.ts';

const RANGE_FOLDER = /^\d+$/;
const ENTRY = /^(\d+)-(\d+)\./;

/**
 * Clears the shelf of a stream: all other epochs, files that were being written, and what stands for erased members.
 *
 * @param folder - of the stream; need not be there
 */
export async function sweepShelf(folder: string, epoch: string, removals: RemovalBook): Promise<void> {
  for (const name of await namesIn(folder)) {
    if (name !== epoch) await rm(join(folder, name), { recursive: true });
  }
  for (const name of await namesIn(join(folder, epoch))) {
    const path = join(folder, epoch, name);
    const extent = RANGE_FOLDER.test(name) ? extentOfRange(Number(name)) : undefined;
    if (!extent || removals.coversErased(extent)) await rm(path, { recursive: true });
    else if (removals.touchesErased(extent)) await dropEntries(path, (entry) => removals.coversErased(entry));
  }
}

/** Deletes the entries of a folder that stand for such members. The folder need not be there. */
export async function dropEntries(folder: string, isDropped: (extent: Extent) => boolean): Promise<void> {
  const names = await namesIn(folder);
  for (const name of names) {
    const [, first, last] = ENTRY.exec(name) ?? [];
    if (first !== undefined && isDropped({ first: Number(first), last: Number(last) })) {
      await rm(join(folder, name), { force: true });
    }
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Extent, extentOfRange, pageOf, rangeOf } from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';
import { isWholePages } from './is-whole-pages.ts';
import type { LogShelf } from './log-shelf.ts';
import type { RemovalBook } from './removal-book.ts';
import { ENTRY_LIMIT_BYTES, entryHeader, readEntry } from './shelf-entry.ts';
import { dropEntries, sweepShelf } from './sweep-shelf.ts';
import { Turnstile } from './turnstile.ts';

/** What the shelf of a log takes. */
export interface FileShelfOptions {
  /** The folder of the store. */
  readonly path: string;
  /** Name of the stream. */
  readonly stream: string;
  /** Documents of another epoch are not this log's. */
  readonly epoch: string;
  readonly removals: RemovalBook;
}

const READS_AT_ONCE = 16;
const WRITES_AT_ONCE = 4;

/** So many documents may wait to be written; what comes then is refused, since waiting ones take memory. */
export const LIMIT_WAITING_WRITES = 256;

/**
 * Opens the shelf of a log: files below `documents` in the folder of its store. Clears away what a crash left, what
 * stands for erased members and what is of another epoch.
 *
 * @throws {@link StreamError} `ERR_STORE_OPEN` - the folder cannot be read or written
 */
export async function openFileShelf(options: FileShelfOptions): Promise<FileShelf> {
  const { path, stream, epoch, removals } = options;
  const folder = join(path, 'documents', stream);
  try {
    await sweepShelf(folder, epoch, removals);
    await mkdir(join(folder, epoch, NEW_FOLDER), { recursive: true });
  } catch (cause) {
    throw errors.ERR_STORE_OPEN({ path: folder, reason: (cause as Error).message }, cause);
  }
  return new FileShelf(join(folder, epoch), options);
}

/** Where files are written before they get their name. */
const NEW_FOLDER = 'new';

/** A shelf of plain files, one for each document and representation. */
export class FileShelf implements LogShelf {
  readonly #folder: string;
  readonly #stream: string;
  readonly #removals: RemovalBook;
  readonly #reads = new Turnstile(READS_AT_ONCE);
  readonly #writes = new Turnstile(WRITES_AT_ONCE);
  readonly #writing = new Set<Promise<void>>();
  #written = 0;
  #isClosed = false;

  constructor(folder: string, { stream, removals }: FileShelfOptions) {
    this.#folder = folder;
    this.#stream = stream;
    this.#removals = removals;
  }

  async get(extent: Extent, variant: string): Promise<Buffer | undefined> {
    const name = entryName(extent, variant);
    const entry = await this.#reads.run(() => readFile(this.#pathOf(extent, name)).catch(() => undefined));
    return entry && readEntry(name, entry);
  }

  async put(extent: Extent, variant: string, bytes: Uint8Array): Promise<void> {
    const name = entryName(extent, variant);
    const stream = this.#stream;
    if (bytes.length > ENTRY_LIMIT_BYTES) throw errors.ERR_SHELF_WRITE({ stream, reason: 'it is of 4 GiB or more' });
    if (this.#writes.waiting >= LIMIT_WAITING_WRITES) {
      throw errors.ERR_SHELF_WRITE({ stream, reason: `${LIMIT_WAITING_WRITES} others wait to be written` });
    }
    const writing = this.#writes.run(() => this.#write(extent, name, bytes));
    this.#writing.add(writing);
    try {
      await writing;
    } catch (cause) {
      throw errors.ERR_SHELF_WRITE({ stream, reason: (cause as Error).message }, cause);
    } finally {
      this.#writing.delete(writing);
    }
  }

  async erase(extent: Extent): Promise<void> {
    try {
      for (let range = rangeOf(pageOf(extent.first)); range <= rangeOf(pageOf(extent.last)); range += 1) {
        const folder = join(this.#folder, String(range));
        if (this.#removals.coversErased(extentOfRange(range))) await rm(folder, { recursive: true, force: true });
        else await dropEntries(folder, ({ first, last }) => first <= extent.last && last >= extent.first);
      }
    } catch (cause) {
      throw errors.ERR_SHELF_WRITE({ stream: this.#stream, reason: (cause as Error).message }, cause);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#writing);
  }

  async #write(extent: Extent, name: string, bytes: Uint8Array): Promise<void> {
    if (this.#isClosed || this.#removals.coversErased(extent)) return;
    const path = this.#pathOf(extent, name);
    const old = await readFile(path).catch(() => undefined);
    if (old && readEntry(name, old)) return;
    this.#written += 1;
    const newPath = join(this.#folder, NEW_FOLDER, String(this.#written));
    try {
      const parts = [entryHeader(name, bytes), bytes];
      await placeFile(newPath, path, parts).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT' || this.#removals.coversErased(extent)) throw error;
        // Whoever wanted the room may delete documents at any time: they are made again.
        await rm(newPath, { force: true });
        await mkdir(dirname(newPath), { recursive: true });
        await placeFile(newPath, path, parts);
      });
    } catch (error) {
      await rm(newPath, { force: true });
      if (!this.#removals.coversErased(extent)) throw error;
    }
    // It may have been erased meanwhile, and whoever erased did not see this file.
    if (this.#removals.coversErased(extent)) await rm(path, { force: true });
  }

  #pathOf(extent: Extent, name: string): string {
    return join(this.#folder, String(rangeOf(pageOf(extent.first))), name);
  }
}

const VARIANT = /^[a-z0-9.-]{1,64}$/;

// A file for each entry in a folder for each range, so that what stands for a page is found by listing one folder.
function entryName(extent: Extent, variant: string): string {
  const { first, last } = extent;
  const isInRange = isWholePages(extent) && rangeOf(pageOf(first)) === rangeOf(pageOf(last));
  if (!isInRange || !VARIANT.test(variant)) throw errors.ERR_SHELF_ENTRY({ first, last, variant });
  return `${first}-${last}.${variant}`;
}

async function placeFile(newPath: string, path: string, parts: readonly Uint8Array[]): Promise<void> {
  await writeWhole(newPath, parts);
  await mkdir(dirname(path), { recursive: true });
  await rename(newPath, path);
}

async function writeWhole(path: string, parts: readonly Uint8Array[]): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writev(parts);
    await file.datasync();
  } finally {
    await file.close();
  }
}

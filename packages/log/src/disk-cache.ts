// The bytes of sealed documents on disk, made once: a plain file for each document and representation, in a folder for each range,
// so that what stands for a page is found by listing one folder.
//   documents/STREAM/EPOCH/0/251-500.page-w1.jsonld.gz     "LDCACHE2", length and CRC-32 of the document, the document
//   documents/STREAM/EPOCH/new/17                          being written: it gets its name when it is whole and synced
// All of it may be deleted at any time, and is made again.
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Extent, extentOfRange, pageOf, rangeOf } from '@ldes-live/rdf-stream';
import pLimit from 'p-limit';
import { errors } from './errors.ts';
import { isWholePages, type Removals } from './removals.ts';

/**
 * Where a log keeps the bytes of sealed documents beside its members. What it gives back is what it was given or nothing.
 * Retention takes the documents of the members that it erases.
 *
 * A document stands for whole pages of one range. Its variant, 1 to 64 of `a-z`, `0-9`, `.` and `-`, says which document and
 * representation it is. Any other extent or variant is `ERR_DISK_CACHE_NAME`.
 */
export interface DiskCache {
  /** The bytes that were put; `undefined` when there are none, or when they cannot be read. */
  get(extent: Extent, variant: string): Promise<Buffer | undefined>;
  /**
   * Keeps bytes; resolves when they are kept, or when the extent was erased or the log closed. Putting a variant again
   * changes nothing. Whoever serves the document need not wait for it, and may pass over what it throws.
   *
   * @param bytes - not to be changed before the promise settles; less than 4 GiB
   * @throws `ERR_DISK_CACHE_WRITE`: no room, or 256 others wait already
   */
  put(extent: Extent, variant: string, bytes: Uint8Array): Promise<void>;
}

/** Opens the cache of a log. Clears away what a crash left, what stands for erased members and what is of another epoch. */
export async function openDiskCache(path: string, stream: string, epoch: string, removals: Removals) {
  const folder = join(path, 'documents', stream);
  try {
    await sweep(folder, epoch, removals);
    await mkdir(join(folder, epoch, NEW_FOLDER), { recursive: true });
  } catch (cause) {
    throw errors.ERR_STORE_OPEN({ path: folder, reason: (cause as Error).message }, cause);
  }
  return new FileCache(join(folder, epoch), stream, removals);
}

const NEW_FOLDER = 'new';

// What comes then is refused, since waiting ones take memory.
export const LIMIT_WAITING_WRITES = 256;

export class FileCache implements DiskCache {
  readonly #folder: string;
  readonly #stream: string;
  readonly #removals: Removals;
  readonly #reads = pLimit(16);
  readonly #writes = pLimit(4);
  readonly #writing = new Set<Promise<void>>();
  #written = 0;
  #isClosed = false;

  constructor(folder: string, stream: string, removals: Removals) {
    this.#folder = folder;
    this.#stream = stream;
    this.#removals = removals;
  }

  async get(extent: Extent, variant: string): Promise<Buffer | undefined> {
    return this.#reads(readDocument, this.#pathOf(extent, variant));
  }

  async put(extent: Extent, variant: string, bytes: Uint8Array): Promise<void> {
    const path = this.#pathOf(extent, variant);
    if (bytes.length > LIMIT_BYTES) throw this.#failure('it has 4 GiB or more');
    if (this.#writes.pendingCount >= LIMIT_WAITING_WRITES) {
      throw this.#failure(`${LIMIT_WAITING_WRITES} other documents wait to be written`);
    }
    const writing = this.#writes(() => this.#write(extent, path, bytes));
    this.#writing.add(writing);
    try {
      await writing;
    } catch (cause) {
      throw this.#failure((cause as Error).message, cause);
    } finally {
      this.#writing.delete(writing);
    }
  }

  async erase(extent: Extent): Promise<void> {
    try {
      for (let range = rangeOf(pageOf(extent.first)); range <= rangeOf(pageOf(extent.last)); range += 1) {
        const folder = join(this.#folder, String(range));
        if (this.#removals.coversErased(extentOfRange(range))) await rm(folder, { recursive: true, force: true });
        else await dropDocuments(folder, ({ first, last }) => first <= extent.last && last >= extent.first);
      }
    } catch (cause) {
      throw this.#failure((cause as Error).message, cause);
    }
  }

  /** Keeps nothing from now on, not even what waits to be; resolves when what is being written is. Cannot fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#writing);
  }

  async #write(extent: Extent, path: string, bytes: Uint8Array): Promise<void> {
    if (this.#isClosed || this.#removals.coversErased(extent) || (await readDocument(path))) return;
    this.#written += 1;
    const newPath = join(this.#folder, NEW_FOLDER, String(this.#written));
    try {
      await placeFile(newPath, path, bytes).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT' || this.#removals.coversErased(extent)) throw error;
        // Whoever wanted the room may delete documents at any time: they are made again.
        await rm(newPath, { force: true });
        await mkdir(dirname(newPath), { recursive: true });
        await placeFile(newPath, path, bytes);
      });
    } catch (error) {
      await rm(newPath, { force: true });
      if (!this.#removals.coversErased(extent)) throw error;
    }
    // It may have been erased meanwhile, and whoever erased did not see this file.
    if (this.#removals.coversErased(extent)) await rm(path, { force: true });
  }

  #pathOf(extent: Extent, variant: string): string {
    const { first, last } = extent;
    const isInRange = isWholePages(extent) && rangeOf(pageOf(first)) === rangeOf(pageOf(last));
    if (!isInRange || !VARIANT.test(variant)) throw errors.ERR_DISK_CACHE_NAME({ first, last, variant });
    return join(this.#folder, String(rangeOf(pageOf(first))), `${first}-${last}.${variant}`);
  }

  #failure(reason: string, cause?: unknown): Error {
    return errors.ERR_DISK_CACHE_WRITE({ stream: this.#stream, reason }, cause);
  }
}

const VARIANT = /^[a-z0-9.-]{1,64}$/;
// Of the format, so that what a later release writes otherwise is not taken for a document.
const MAGIC = Buffer.from('LDCACHE2');
const SUM_OFFSET = MAGIC.length + 4;
const HEADER_BYTES = SUM_OFFSET + 4;
const LIMIT_BYTES = 2 ** 32 - 1;

async function placeFile(newPath: string, path: string, bytes: Uint8Array): Promise<void> {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt32LE(bytes.length, MAGIC.length);
  header.writeUInt32LE(crc32(bytes), SUM_OFFSET);
  const file = await open(newPath, 'wx');
  try {
    await file.writev([header, bytes]);
    await file.datasync();
  } finally {
    await file.close();
  }
  await mkdir(dirname(path), { recursive: true });
  await rename(newPath, path);
}

/** The document of a file; `undefined` where there is none, not all of it, or not what was put: a disk may change it. */
async function readDocument(path: string): Promise<Buffer | undefined> {
  const file = await readFile(path).catch(() => undefined);
  return file && isOfFormat(file) ? documentOf(file) : undefined;
}

function isOfFormat(file: Buffer): boolean {
  return file.length >= MAGIC.length && file.subarray(0, MAGIC.length).equals(MAGIC);
}

function documentOf(file: Buffer): Buffer | undefined {
  if (file.length < HEADER_BYTES) return undefined;
  const bytes = file.subarray(HEADER_BYTES);
  const isSound = file.readUInt32LE(MAGIC.length) === bytes.length && file.readUInt32LE(SUM_OFFSET) === crc32(bytes);
  return isSound ? bytes : undefined;
}

/** The files of cached documents that are not as they were written, of a log that nobody has open. */
export async function* damagedDocuments(path: string, stream: string, epoch: string): AsyncGenerator<string> {
  const folder = join(path, 'documents', stream, epoch);
  for (const range of await namesIn(folder)) {
    if (!RANGE_FOLDER.test(range)) continue;
    for (const name of await namesIn(join(folder, range))) {
      const file = join(folder, range, name);
      const bytes = await readFile(file);
      if (isOfFormat(bytes) && !documentOf(bytes)) yield file;
    }
  }
}

const RANGE_FOLDER = /^\d+$/;
const DOCUMENT = /^(\d+)-(\d+)\./;

async function sweep(folder: string, epoch: string, removals: Removals): Promise<void> {
  for (const name of await namesIn(folder)) {
    if (name !== epoch) await rm(join(folder, name), { recursive: true });
  }
  for (const name of await namesIn(join(folder, epoch))) {
    const path = join(folder, epoch, name);
    const extent = RANGE_FOLDER.test(name) ? extentOfRange(Number(name)) : undefined;
    if (!extent || removals.coversErased(extent)) await rm(path, { recursive: true });
    else if (removals.touchesErased(extent)) await dropDocuments(path, (found) => removals.coversErased(found));
  }
}

async function dropDocuments(folder: string, isDropped: (extent: Extent) => boolean): Promise<void> {
  for (const name of await namesIn(folder)) {
    const [, first, last] = DOCUMENT.exec(name) ?? [];
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

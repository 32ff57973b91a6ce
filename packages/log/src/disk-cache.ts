import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Extent, extentOfRange, pageOf, rangeOf } from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';
import { isWholePages, type RemovalBook } from './removals.ts';

/**
 * Where a log keeps the bytes of sealed documents beside its members, so that they are made once. What it gives back
 * is what it was given or nothing: a crash may lose entries, never damage one. Retention takes the entries of the
 * members that it erases.
 *
 * @see specs/retention.md RET-9
 */
export interface DocumentShelf {
  /**
   * The bytes that were put for this document; `undefined` when there are none, or when they cannot be read.
   *
   * @param extent - the members that the document stands for: whole pages of one range
   * @param variant - which document and representation of it: 1 to 64 of `a-z`, `0-9`, `.` and `-`
   * @throws {@link StreamError} `ERR_SHELF_ENTRY` - another extent or variant
   */
  get(extent: Extent, variant: string): Promise<Buffer | undefined>;
  /**
   * Keeps bytes; resolves when they are kept, or when the extent was erased or the log closed. Putting a variant again changes nothing.
   *
   * Serving does not depend on it: whoever serves the document need not wait, and may pass over what it throws.
   *
   * @param extent - as for {@link DocumentShelf.get}
   * @param variant - as for {@link DocumentShelf.get}
   * @param bytes - not to be changed before the promise settles; less than 4 GiB
   * @throws {@link StreamError} `ERR_SHELF_ENTRY` - another extent or variant
   * @throws {@link StreamError} `ERR_SHELF_WRITE` - no room, or 256 others wait already
   */
  put(extent: Extent, variant: string, bytes: Uint8Array): Promise<void>;
}

/** The shelf of a log as the log itself has it. */
export interface LogShelf extends DocumentShelf {
  /** Drops the documents that stand for any member of an extent. */
  erase(extent: Extent): Promise<void>;
  /** Keeps nothing from now on, not even what waits to be; resolves when what is being written is. Cannot fail. */
  close(): Promise<void>;
}

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

// Of the format of an entry, so that what a later release writes otherwise is not taken for one.
const MAGIC = Buffer.from('LDSHELF1');
const LENGTH_OFFSET = 8;
const CHECKSUM_OFFSET = 12;

/** Bytes of an entry before its document. */
const HEADER_BYTES = 16;

/** What a document may have at most: its length has 32 bits, bytes. */
export const ENTRY_LIMIT_BYTES: number = 2 ** 32 - 1;

/** What stands before a document in its file: it tells whether that is all of it, unchanged. */
export function entryHeader(name: string, bytes: Uint8Array): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt32LE(bytes.length, LENGTH_OFFSET);
  header.writeUInt32LE(checksum(name, bytes), CHECKSUM_OFFSET);
  return header;
}

/** The document of an entry; `undefined` when it is cut short, damaged or of another name. */
export function readEntry(name: string, entry: Buffer): Buffer | undefined {
  if (entry.length < HEADER_BYTES || !entry.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const bytes = entry.subarray(HEADER_BYTES);
  if (entry.readUInt32LE(LENGTH_OFFSET) !== bytes.length) return undefined;
  return entry.readUInt32LE(CHECKSUM_OFFSET) === checksum(name, bytes) ? bytes : undefined;
}

function checksum(name: string, bytes: Uint8Array): number {
  return crc32(bytes, crc32(name));
}

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

/** Lets so many actions go on at a time; the others wait in line. */
export class Turnstile {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** @param limit - an integer >= 1 */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many wait in line. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Runs an action when there is room. */
  async run<T>(action: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limit) this.#running += 1;
    // Whoever leaves hands over its place, so that nobody slips in between.
    else await new Promise<void>((enter) => this.#waiting.push(enter));
    try {
      return await action();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}

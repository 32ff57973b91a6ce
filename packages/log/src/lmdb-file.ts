import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import type { AddressRoom } from './address-room.ts';
import { checkMadeFolder } from './check-folder.ts';
import { compactFile, DATA_FILE, dropCopy, sync } from './compact-file.ts';
import { errors } from './errors.ts';
import { fileIdentity } from './file-identity.ts';
import { fileUse, lastTransaction } from './file-use.ts';
import { type LmdbTables, openTables, reopenTables } from './lmdb-tables.ts';
import { isOutgrown } from './map-size.ts';
import { lockFolder } from './owner-lock.ts';

/** What the file of a store takes. */
export interface LmdbFileOptions {
  readonly path: string;
  readonly clock: () => number;
  readonly compactionFreeBytes: number;
  readonly onCompactionFailed: (error: StreamError) => void;
  /** How much more of mapped files may be resident than when the file was opened, before it is opened anew. */
  readonly limitMappedBytes: number;
  /** How much of mapped files is resident; `undefined` where the system does not tell. */
  readonly mappedBytes: () => number | undefined;
  /** How much address space is left. */
  readonly roomBytes: AddressRoom;
}

/** How long after a failed compaction the next one may begin, milliseconds. */
const COMPACTION_RETRY_MS = 600_000;

/**
 * Opens the file of a store and takes it for this owner.
 *
 * @throws {@link StreamError} as `openLmdbStore`
 */
export async function openLmdbFile(options: LmdbFileOptions): Promise<LmdbFile> {
  const unlock = await lockFolder(options.path);
  try {
    await dropCopy(options.path).catch((cause: Error) => {
      throw errors.ERR_STORE_OPEN({ path: options.path, reason: cause.message }, cause);
    });
    return new LmdbFile(options, await openTables(options.path, options.roomBytes), unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

/**
 * The file of a store, which is exchanged for a smaller one when most of it is free.
 *
 * LMDB uses free pages again but never gives them back; and what was touched of the file stays mapped until the file is
 * closed, so it is opened anew now and then, for which reads and writes wait some milliseconds. While the copy is made writes wait and reads go on; while
 * the files are exchanged reads wait too, and no longer. At every instant one complete file has the name.
 */
export class LmdbFile {
  readonly #options: LmdbFileOptions;
  readonly #unlock: () => Promise<void>;
  readonly #writes = new Set<Promise<unknown>>();
  #tables: LmdbTables | undefined;
  #failure: unknown;
  #pause: Promise<void> | undefined;
  /** What writes wait for. */
  #standstill: Promise<void> | undefined;
  #mappedFromBytes: number;
  /** Of the file that is open. */
  #identity: string | undefined;
  #isMovedTold = false;
  #compactFromMs = Number.NEGATIVE_INFINITY;
  #isClosing = false;

  constructor(options: LmdbFileOptions, tables: LmdbTables, unlock: () => Promise<void>) {
    this.#options = options;
    this.#tables = tables;
    this.#unlock = unlock;
    this.#identity = fileIdentity(options.path);
    this.#mappedFromBytes = options.mappedBytes() ?? 0;
  }

  /**
   * Its tables, for reads within this turn; not while there is a {@link LmdbFile.pause}.
   *
   * @throws {@link StreamError} `ERR_STORE_OPEN` - the file could not be opened after its exchange
   */
  get tables(): LmdbTables {
    if (!this.#tables) throw this.#failure;
    return this.#tables;
  }

  /** What reads have to wait for, and `undefined` as soon as it resolves: never rejected. */
  get pause(): Promise<void> | undefined {
    return this.#pause;
  }

  /** Makes all writes of one action, or none of them, and resolves when they are on disk. */
  async transact(action: (tables: LmdbTables) => void): Promise<void> {
    while (this.#standstill) await this.#standstill;
    const { tables } = this;
    const write = tables.root.batch(() => action(tables));
    this.#writes.add(write);
    try {
      await write;
    } finally {
      this.#writes.delete(write);
    }
    this.#remapIfWorthwhile();
  }

  /** Begins to exchange the file if enough of it is free. */
  compactIfWorthwhile(): void {
    const { clock, compactionFreeBytes } = this.#options;
    if (this.#standstill || this.#isClosing) return;
    const { freeBytes, totalBytes } = fileUse(this.tables);
    if (freeBytes <= compactionFreeBytes || freeBytes * 2 <= totalBytes || clock() < this.#compactFromMs) return;
    this.#stopWritesFor(this.#compact());
  }

  /** Closes the file and gives it back. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#standstill;
    await this.#tables?.root.close();
    await this.#unlock();
  }

  #stopWritesFor(work: Promise<void>, then = () => {}): void {
    this.#standstill = work
      .catch((error: StreamError) => this.#tellFailure(error))
      .finally(() => {
        this.#standstill = undefined;
        then();
      });
  }

  /** What was touched of a mapped file counts as memory of the process until it is no longer mapped. */
  #remapIfWorthwhile(): void {
    const { mappedBytes, limitMappedBytes } = this.#options;
    if (this.#standstill || this.#isClosing) return;
    const bytes = mappedBytes();
    const isPast = bytes !== undefined && bytes - this.#mappedFromBytes > limitMappedBytes;
    if (isPast || this.#isOutgrown()) {
      this.#stopWritesFor(this.#remap(), () => this.#compactIfMissed());
    }
  }

  /** LMDB would make a larger map by itself, and end the process where that does not fit any more. */
  #isOutgrown(): boolean {
    const { tables } = this;
    return isOutgrown(tables.mapBytes, () => fileUse(tables).totalBytes);
  }

  /** A removal that ended meanwhile could not begin a compaction. */
  #compactIfMissed(): void {
    if (this.#tables) this.compactIfWorthwhile();
  }

  async #remap(): Promise<void> {
    const { path, mappedBytes } = this.#options;
    const isSound = await checkMadeFolder(path).then(
      () => true,
      () => false,
    );
    await Promise.allSettled(this.#writes);
    // Left open it goes on: it is tried again when as much more was touched.
    if (this.#isMoved()) this.#tellMoved();
    else if (isSound) await this.#pauseFor(this.#reopen());
    this.#mappedFromBytes = mappedBytes() ?? 0;
  }

  #isMoved(): boolean {
    return fileIdentity(this.#options.path) !== this.#identity;
  }

  #tellMoved(): void {
    if (this.#isMovedTold) return;
    this.#isMovedTold = true;
    this.#tellFailure(errors.ERR_STORE_MOVED({ path: this.#options.path }));
  }

  #tellFailure(error: StreamError): void {
    const { clock, onCompactionFailed } = this.#options;
    try {
      this.#compactFromMs = clock() + COMPACTION_RETRY_MS;
      onCompactionFailed(error);
    } catch (fault) {
      // The writes that wait have no part in it, yet a fault of the program must not vanish.
      queueMicrotask(() => {
        throw fault;
      });
    }
  }

  async #compact(): Promise<void> {
    const { path, roomBytes } = this.#options;
    await Promise.allSettled(this.#writes);
    if (this.#isMoved()) throw errors.ERR_STORE_MOVED({ path });
    const copy = await compactFile(path, this.tables, roomBytes);
    try {
      await this.#pauseFor(this.#exchange(copy));
      // A commit to the new file must not be acknowledged while the name could still go back to the old one.
      await sync(path, 'r');
      await dropCopy(path);
    } catch (cause) {
      if (isStreamError(cause)) throw cause;
      throw errors.ERR_STORE_COMPACT({ path, reason: (cause as Error).message }, cause);
    }
  }

  async #reopen(): Promise<void> {
    const { path, roomBytes } = this.#options;
    const last = lastTransaction(this.tables);
    await this.tables.root.close();
    await this.#open(async () => {
      // LMDB would begin an empty file, and the log go on without what it has acknowledged.
      if (this.#isMoved()) throw errors.ERR_STORE_MOVED({ path });
      const tables = reopenTables(path, roomBytes);
      if (lastTransaction(tables) === last) return tables;
      await tables.root.close();
      throw errors.ERR_STORE_MOVED({ path });
    });
  }

  #pauseFor(work: Promise<void>): Promise<void> {
    // Ended with the work itself: who waits for it looks again at once, and must not find it still there.
    const end = () => {
      this.#pause = undefined;
    };
    this.#pause = work.then(end, end);
    return work;
  }

  async #exchange(copy: string): Promise<void> {
    const { path, roomBytes } = this.#options;
    await this.tables.root.close();
    try {
      await rename(copy, join(path, DATA_FILE));
    } finally {
      await this.#open(() => openTables(path, roomBytes));
      this.#identity = fileIdentity(path);
    }
  }

  async #open(open: () => Promise<LmdbTables>): Promise<void> {
    this.#tables = undefined;
    try {
      this.#tables = await open();
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }
}

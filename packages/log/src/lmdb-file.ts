import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import { compactFile, DATA_FILE, dropCopy, sync } from './compact-file.ts';
import { errors } from './errors.ts';
import { fileUse } from './file-use.ts';
import { type LmdbTables, openTables } from './lmdb-tables.ts';
import { lockFolder } from './owner-lock.ts';

/** What the file of a store takes. */
export interface LmdbFileOptions {
  readonly path: string;
  readonly clock: () => number;
  readonly compactionFreeBytes: number;
  readonly onCompactionFailed: (error: StreamError) => void;
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
    return new LmdbFile(options, await openTables(options.path), unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

/**
 * The file of a store, which is exchanged for a smaller one when most of it is free.
 *
 * LMDB uses free pages again but never gives them back. While the copy is made writes wait and reads go on; while
 * the files are exchanged reads wait too, and no longer. At every instant one complete file has the name.
 */
export class LmdbFile {
  readonly #options: LmdbFileOptions;
  readonly #unlock: () => Promise<void>;
  readonly #writes = new Set<Promise<unknown>>();
  #tables: LmdbTables | undefined;
  #failure: unknown;
  #pause: Promise<void> | undefined;
  #compaction: Promise<void> | undefined;
  #compactFromMs = Number.NEGATIVE_INFINITY;
  #isClosing = false;

  constructor(options: LmdbFileOptions, tables: LmdbTables, unlock: () => Promise<void>) {
    this.#options = options;
    this.#tables = tables;
    this.#unlock = unlock;
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
    while (this.#compaction) await this.#compaction;
    const { tables } = this;
    const write = tables.root.batch(() => action(tables));
    this.#writes.add(write);
    try {
      await write;
    } finally {
      this.#writes.delete(write);
    }
  }

  /** Begins to exchange the file if enough of it is free. */
  compactIfWorthwhile(): void {
    const { clock, compactionFreeBytes } = this.#options;
    if (this.#compaction || this.#isClosing) return;
    const { freeBytes, totalBytes } = fileUse(this.tables);
    if (freeBytes <= compactionFreeBytes || freeBytes * 2 <= totalBytes || clock() < this.#compactFromMs) return;
    this.#compaction = this.#compact()
      .catch((error: StreamError) => this.#tellFailure(error))
      .finally(() => {
        this.#compaction = undefined;
      });
  }

  /** Closes the file and gives it back. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#compaction;
    await this.#tables?.root.close();
    await this.#unlock();
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
    const { path } = this.#options;
    await Promise.allSettled(this.#writes);
    const copy = await compactFile(path, this.tables);
    const exchange = this.#exchange(copy);
    // Ended with the exchange itself: who waits for it looks again at once, and must not find it still there.
    const end = () => {
      this.#pause = undefined;
    };
    this.#pause = exchange.then(end, end);
    try {
      await exchange;
      // A commit to the new file must not be acknowledged while the name could still go back to the old one.
      await sync(path, 'r');
      await dropCopy(path);
    } catch (cause) {
      if (isStreamError(cause)) throw cause;
      throw errors.ERR_STORE_COMPACT({ path, reason: (cause as Error).message }, cause);
    }
  }

  async #exchange(copy: string): Promise<void> {
    const { path } = this.#options;
    await this.tables.root.close();
    try {
      await rename(copy, join(path, DATA_FILE));
    } finally {
      this.#tables = undefined;
      this.#tables = await openTables(path).catch((error) => {
        this.#failure = error;
        throw error;
      });
    }
  }
}

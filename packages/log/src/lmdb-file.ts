// Opens the data file of a store. LMDB maps the file and trusts it, and lmdb-js does not survive a failed open: so whatever can
// be told beforehand is told here, as an error. Order: folder and rights -> owner lock -> file sound? -> room on the disk for a
// new one -> drop an unfinished copy -> smaller copy if more than half and 64 MiB are free -> open. It is never exchanged at work.
//
//   data.mdb, lock.mdb                       the store: { totalBytes: 200 MiB, freeBytes: 150 MiB }
//   owner/                                   an empty environment, held as long as the store is open; and `at-work`, which is
//                                            left by a process that ended in the middle: then all pages are looked at first
//   compact/data.mdb --synced, renamed-->    data.mdb: { totalBytes: 50 MiB, freeBytes: 0 }
import { constants, readFileSync, statfsSync, statSync } from 'node:fs';
import { access, mkdir, open, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import { type Database, open as openLmdb, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import { errors } from './errors.ts';
import { META_BYTES, newestMeta, pagesProblem } from './lmdb-pages.ts';

type Tables = Readonly<Record<string, Database>>;
/** Opens all tables of an environment, or makes them; throws what keeps it from being used. */
type OpenTables<Known extends Tables> = (root: RootDatabase) => Known;

export interface LmdbFile<Known extends Tables> {
  readonly root: RootDatabase;
  readonly tables: Known;
  /**
   * Looks whether the disk has the room that a transaction takes.
   *
   * @param removed - how many members it takes out
   * @throws `ERR_STORE_WRITE`: it may not
   */
  assertRoom(stream: string, records: readonly SizedRecord[], removed?: number): void;
  /** Closes the file and gives the folder back. */
  close(): Promise<void>;
}

interface SizedRecord {
  readonly nquads: string;
}

/**
 * Opens the data file of a store, or makes it, and takes its folder for this owner: see `openLmdbStore` for what it throws.
 *
 * @param onWarning - gets `ERR_STORE_COMPACT`: the file is opened as it is
 * @param looksAtPages - whether all pages are looked at first, also of a store that was closed
 */
export async function openLmdbFile<Known extends Tables>(
  path: string,
  openTables: OpenTables<Known>,
  compactionFreeBytes: number,
  onWarning: (error: StreamError) => void,
  looksAtPages = false,
): Promise<LmdbFile<Known>> {
  // The store's own folder first: what is wrong with it should be said of it.
  await checkFolder(path);
  const unlock = await lockFolder(path);
  const opened = async (): Promise<LmdbFile<Known>> => {
    const environment = await openEnvironment(path, openTables);
    return {
      ...environment,
      assertRoom: (stream, records, removed = 0) => {
        const { bavail, bsize } = statfsSync(path);
        const { size: fileBytes } = statSync(join(path, DATA_FILE));
        const reusableBytes = () => fileUse(environment.tables).freeBytes;
        const reason = roomProblemOf({ records, removed, freeBytes: bavail * bsize, fileBytes, reusableBytes });
        if (reason !== undefined) throw errors.ERR_STORE_WRITE({ stream, reason });
      },
      close: async () => {
        await environment.root.close();
        await rm(join(path, AT_WORK), { force: true });
        await unlock();
      },
    };
  };
  try {
    await checkFolder(path);
    await dropCopy(path);
    await checkPages(path, looksAtPages);
    const file = await opened();
    const { freeBytes, totalBytes } = fileUse(file.tables);
    if (freeBytes <= compactionFreeBytes || freeBytes * 2 <= totalBytes) return file;
    try {
      await copyFile(path, file, openTables);
    } catch (cause) {
      await dropCopy(path).catch(() => {});
      onWarning(errors.ERR_STORE_COMPACT({ path, reason: (cause as Error).message }, cause));
      return file;
    }
    await file.root.close();
    await rename(join(path, COPY_FOLDER, DATA_FILE), join(path, DATA_FILE));
    // A commit to the new file must not be acknowledged while the name could still go back to the old one.
    await sync(path, 'r');
    await dropCopy(path);
    await checkFolder(path);
    return await opened();
  } catch (cause) {
    await unlock();
    throw isStreamError(cause) ? cause : errors.ERR_STORE_OPEN({ path, reason: (cause as Error).message }, cause);
  }
}

async function openEnvironment<Known extends Tables>(path: string, openTables: OpenTables<Known>) {
  const root = openRoot(path, await mapBytes(path));
  try {
    return { root, tables: openTables(root) };
  } catch (error) {
    await root.close();
    throw error;
  }
}

function openRoot(path: string, mapSize: number): RootDatabase {
  try {
    const options: RootDatabaseOptionsWithPath & { readonly noReadAhead: boolean } = {
      path,
      // Else a name with a dot in it is taken for a file.
      noSubdir: false,
      // lmdb-js would begin with a small map and take another one each time the file has doubled. It keeps the maps
      // before, so that what was touched through each counts as memory of the process, more than once.
      mapSize,
      // Missing in its types. Else each page that memory lacks comes with 31 around it, which push out others that will be
      // wanted: with versions of random IRIs and less memory than data, a log would do little else than read.
      noReadAhead: true,
      // lmdb-js would resolve a write when it is visible and sync after; a failed sync is then never reported. Without
      // overlap a transaction is synced by `mdb_txn_commit` itself, on lmdb-js's own thread, and only then resolves:
      // a promise kept is data on disk, and a promise broken is a commit undone.
      overlappingSync: false,
      // lmdb-js would group what one turn writes by a promise of its own, whose rejection nobody could handle.
      eventTurnBatching: false,
    };
    return openLmdb(options);
  } catch (cause) {
    throw errors.ERR_STORE_OPEN({ path, reason: (cause as Error).message }, cause);
  }
}

const MIB = 1024 ** 2;

// Address space, and neither memory nor disk: the file stays as small as it is.
const MAP_MIB = 64 * 1024;

// A quarter of what is left where Linux limits the address space (`ulimit -v`), since lmdb-js does not survive a map that it
// cannot make. The copy, the heap and WebAssembly grow into the rest.
async function mapBytes(path: string): Promise<number> {
  const limit = /^Max address space\s+(\d+)/m.exec(readSystem('limits'))?.[1];
  const takenKib = /^VmSize:\s+(\d+) kB$/m.exec(readSystem('status'))?.[1];
  if (limit === undefined || takenKib === undefined) return MAP_MIB * MIB;
  const bytes = Math.min(MAP_MIB, Math.floor((Number(limit) / 1024 - Number(takenKib)) / 4 / 1024)) * MIB;
  const { sizeBytes } = await checkFile(join(path, DATA_FILE));
  if (sizeBytes + MIB <= bytes || bytes === MAP_MIB * MIB) return bytes;
  const reason = `its ${DATA_FILE} does not fit into a quarter of the address space that \`ulimit -v\` leaves: raise that limit`;
  throw errors.ERR_STORE_OPEN({ path, reason });
}

function readSystem(name: 'limits' | 'status'): string {
  try {
    return readFileSync(`/proc/self/${name}`, 'utf8');
  } catch {
    return '';
  }
}

// Two owners would give out the same sequence numbers. The lock is an environment of LMDB with nothing in it: LMDB lists who
// has read, and each of its entries is backed by a lock of the operating system that dies with its process. As everyone enters
// before looking, no two find themselves alone. An entry lasts until the next `openDB`.
async function lockFolder(path: string): Promise<() => Promise<void>> {
  const folder = join(path, 'owner');
  await checkFolder(folder);
  const root = openRoot(folder, MIB);
  root.get('');
  root.readerCheck();
  const pids = Array.from(root.readerList().matchAll(/^ *(\d+) /gm), (line) => line[1]);
  if (pids.length === 1) return () => root.close();
  await root.close();
  throw errors.ERR_STORE_LOCKED({ path, pids: pids.join(', ') });
}

// There while a store is open, and after it where that was not closed.
const AT_WORK = join('owner', 'at-work');

// A process that ended in the middle may have met a damaged page, and would so again; one that was killed has left a sound file.
async function checkPages(path: string, looks: boolean): Promise<void> {
  const mark = join(path, AT_WORK);
  const isUnclosed = await exists(mark);
  const [hasFile, hasDocuments] = await Promise.all([DATA_FILE, 'documents'].map((name) => exists(join(path, name))));
  const file = join(path, DATA_FILE);
  const { start, sizeBytes: bytes } = await checkFile(file);
  // A log is in the file before it has documents. LMDB would begin anew.
  if (hasFile && hasDocuments && bytes === 0) {
    const reason = `its ${DATA_FILE} is empty, although the folder has documents of a log, so that only a backup helps`;
    throw errors.ERR_STORE_OPEN({ path, reason });
  }
  const meta = bytes === 0 ? undefined : newestMeta(start, bytes);
  const problem = typeof meta === 'object' ? await pagesProblem(file, meta, looks || isUnclosed) : meta;
  if (problem !== undefined) {
    const reason = `its ${DATA_FILE} is damaged, so that only a backup helps: ${problem}`;
    throw errors.ERR_STORE_OPEN({ path, reason });
  }
  await writeFile(mark, '');
  await sync(dirname(mark), 'r');
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

const DATA_FILE = 'data.mdb';
const COPY_FOLDER = 'compact';

/** Without its free pages, and off the main thread. */
async function copyFile<Known extends Tables>(
  path: string,
  { root, tables }: LmdbFile<Known>,
  openTables: OpenTables<Known>,
): Promise<void> {
  const folder = join(path, COPY_FOLDER);
  await mkdir(folder);
  await root.backup(folder, true);
  await checkFolder(folder);
  const copy = await openEnvironment(folder, openTables);
  const [has, had] = [fileUse(copy.tables).records, fileUse(tables).records];
  await copy.root.close();
  if (String(has) !== String(had)) throw new Error(`the copy has ${has} records and not ${had}`);
  await sync(join(folder, DATA_FILE), 'r+');
}

async function dropCopy(path: string): Promise<void> {
  await rm(join(path, COPY_FOLDER), { recursive: true, force: true });
}

async function sync(path: string, flags: 'r' | 'r+'): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

type TreeCounts = 'treeBranchPageCount' | 'treeLeafPageCount' | 'overflowPages' | 'entryCount';
type TreeStats = Readonly<Record<TreeCounts | 'lastPageNumber' | 'pageSize', number>>;
/** With the tables of tables and of free pages. */
type FileStats = TreeStats & Readonly<Record<'root' | 'free', TreeStats>>;

const META_PAGES = 2;

// By what LMDB counts: nothing is scanned. What is free a later commit can use again, and no more.
function fileUse(tables: Tables) {
  const stats = Object.values(tables).map((table) => table.getStats() as FileStats);
  const { root, free, lastPageNumber, pageSize } = stats[0]!;
  const pages = lastPageNumber + 1;
  const used = [...stats, root, free].reduce(
    (sum, tree) => sum + tree.treeBranchPageCount + tree.treeLeafPageCount + tree.overflowPages,
    META_PAGES,
  );
  const freeBytes = Math.max(0, pages - used) * pageSize;
  return { totalBytes: pages * pageSize, freeBytes, records: stats.map((tree) => tree.entryCount) };
}

// Left to itself, lmdb-js 3.5 frees memory twice when its native open fails, and may take the process with it.
async function checkFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    const lock = await checkFile(join(path, 'lock.mdb'));
    const { start, sizeBytes } = await checkFile(join(path, DATA_FILE));
    const { bavail, bsize } = await statfs(path);
    const isNew = lock.sizeBytes === 0 || sizeBytes === 0;
    // An empty file is what an open leaves that was killed at once; LMDB begins anew with it.
    const meta = sizeBytes === 0 ? undefined : newestMeta(start, sizeBytes);
    const problem = typeof meta === 'string' ? meta : isNew ? roomProblem(bavail * bsize) : undefined;
    if (problem !== undefined) throw new Error(problem);
  } catch (cause) {
    throw errors.ERR_STORE_OPEN({ path, reason: (cause as Error).message }, cause);
  }
}

// What is left of a disk for others, and for what they take between the look at it and the write. A removal leaves less, since it
// makes room for later commits.
const RESERVE_BYTES = 16 * MIB;
const REMOVAL_RESERVE_BYTES = MIB;
// Each record changes a page of the members, and may change one in each of three other tables; none is changed twice.
const RECORD_BYTES = 4 * 4096;
// A character of N-Quads as UTF-8, at most.
const CHARACTER_BYTES = 3;
// A value that needs several pages needs neighbouring ones, which free pages of the file seldom are.
const PAGE_CHARACTERS = 500;

/** What a transaction puts and takes out, and where: bytes. */
interface Room {
  readonly records: readonly SizedRecord[];
  readonly removed: number;
  /** Of the disk. */
  readonly freeBytes: number;
  /** Of the data file, which bounds how much of it can change. */
  readonly fileBytes: number;
  /** Within the data file, which a transaction may use again. */
  readonly reusableBytes: () => number;
}

// lmdb-js 3.5 tells a write that failed in a text that it does not leave enough room for, and that may end the process. So a
// disk that may become full is told beforehand.
export function roomProblemOf({ records, removed, freeBytes, fileBytes, reusableBytes }: Room): string | undefined {
  const characters = records.reduce((sum, { nquads }) => sum + nquads.length, 0);
  const changedBytes = Math.min((records.length + removed) * RECORD_BYTES, fileBytes);
  const reserveBytes = records.length > 0 ? RESERVE_BYTES : REMOVAL_RESERVE_BYTES;
  const neededBytes = reserveBytes + characters * CHARACTER_BYTES + changedBytes;
  if (freeBytes >= neededBytes) return undefined;
  const isSmall = records.every(({ nquads }) => nquads.length <= PAGE_CHARACTERS);
  // The list of free pages takes some of them.
  if (isSmall && freeBytes + reusableBytes() / 2 >= neededBytes) return undefined;
  return `its disk has ${freeBytes} bytes left, but a transaction of ${records.length + removed} members needs ${neededBytes}`;
}

// LMDB writes its lock file through memory, and a full disk that is found that way ends the process. The files of a new folder
// and some commits take less than 1 MiB.
export function roomProblem(freeBytes: number): string | undefined {
  return freeBytes >= MIB ? undefined : `its disk has ${freeBytes} bytes left, but a new store needs ${MIB}`;
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

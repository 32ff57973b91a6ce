// Opens the data file of a store. LMDB maps the file and trusts it, and lmdb-js does not survive a failed open: so whatever can
// be told beforehand is told here, as an error. Order: folder and rights -> owner lock -> file sound? -> room on the disk for a
// new one -> drop an unfinished copy -> smaller copy if more than half and 64 MiB are free -> open. It is never exchanged at work.
//
//   data.mdb, lock.mdb                       the store: { totalBytes: 200 MiB, freeBytes: 150 MiB }
//   owner/                                   an empty environment, held as long as the store is open
//   compact/data.mdb --synced, renamed-->    data.mdb: { totalBytes: 50 MiB, freeBytes: 0 }
import { constants, readFileSync } from 'node:fs';
import { access, mkdir, open, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import { type Database, open as openLmdb, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import { errors } from './errors.ts';

type Tables = Readonly<Record<string, Database>>;
/** Opens all tables of an environment, or makes them; throws what keeps it from being used. */
type OpenTables<Known extends Tables> = (root: RootDatabase) => Known;

export interface LmdbFile<Known extends Tables> {
  readonly root: RootDatabase;
  readonly tables: Known;
  /** Closes the file and gives the folder back. */
  close(): Promise<void>;
}

/**
 * Opens the data file of a store, or makes it, and takes its folder for this owner: see `openLmdbStore` for what it throws.
 *
 * @param onWarning - gets `ERR_STORE_COMPACT`: the file is opened as it is
 */
export async function openLmdbFile<Known extends Tables>(
  path: string,
  openTables: OpenTables<Known>,
  compactionFreeBytes: number,
  onWarning: (error: StreamError) => void,
): Promise<LmdbFile<Known>> {
  // The store's own folder first: what is wrong with it should be said of it.
  await checkFolder(path);
  const unlock = await lockFolder(path);
  const opened = async (): Promise<LmdbFile<Known>> => {
    const environment = await openEnvironment(path, openTables);
    return { ...environment, close: () => environment.root.close().then(unlock) };
  };
  try {
    await checkFolder(path);
    await dropCopy(path);
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
  const pids = Array.from(root.readerList().matchAll(/^\s*(\d+) /gm), (line) => line[1]);
  if (pids.length === 1) return () => root.close();
  await root.close();
  throw errors.ERR_STORE_LOCKED({ path, pids: pids.join(', ') });
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
    const problem = dataFileProblem(start, sizeBytes) ?? (isNew ? roomProblem(bavail * bsize) : undefined);
    if (problem !== undefined) throw new Error(problem);
  } catch (cause) {
    throw errors.ERR_STORE_OPEN({ path, reason: (cause as Error).message }, cause);
  }
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

// Where the two meta pages of a data file have what, as lmdb-js 3.5 writes them: page header, then the meta data.
const MAGIC = 0xbeefc0de;
const MAGIC_OFFSET = 24;
const PAGE_SIZE_OFFSET = 48;
const LAST_PAGE_OFFSET = 144;
const TRANSACTION_OFFSET = 152;
const META_END = 160;
const LARGEST_PAGE_BYTES = 65_536;
const META_BYTES = LARGEST_PAGE_BYTES + META_END;

// Of a file that is shorter than its meta data say LMDB reads past the end, which no program survives.
function dataFileProblem(start: Buffer, sizeBytes: number): string | undefined {
  // An empty file is what an open leaves that was killed at once; LMDB begins anew with it.
  if (sizeBytes === 0) return undefined;
  if (start.length < META_END || start.readUInt32LE(MAGIC_OFFSET) !== MAGIC) return 'its data.mdb is not an LMDB file';
  const pageBytes = start.readUInt32LE(PAGE_SIZE_OFFSET);
  const isPageSize = pageBytes >= 256 && pageBytes <= LARGEST_PAGE_BYTES && (pageBytes & (pageBytes - 1)) === 0;
  if (!isPageSize || start.length < pageBytes + META_END) return 'its data.mdb is damaged: it has no page size';
  const metas = [start.subarray(0, META_END), start.subarray(pageBytes, pageBytes + META_END)];
  if (metas.some((meta) => meta.readUInt32LE(MAGIC_OFFSET) !== MAGIC))
    return 'its data.mdb is damaged at its beginning';
  const transactions = metas.map((meta) => meta.readBigUInt64LE(TRANSACTION_OFFSET)) as [bigint, bigint];
  const newest = metas[transactions[0] > transactions[1] ? 0 : 1]!;
  const endBytes = (newest.readBigUInt64LE(LAST_PAGE_OFFSET) + 1n) * BigInt(pageBytes);
  if (endBytes <= BigInt(sizeBytes)) return undefined;
  return `its data.mdb is cut short: it has ${sizeBytes} of ${endBytes} bytes`;
}

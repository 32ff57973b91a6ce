import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isStreamError, type LatestEntry } from '@ldes-live/rdf-stream';
import type { Database, RootDatabase } from 'lmdb';
import type { AddressRoom } from './address-room.ts';
import { assertAlone } from './assert-alone.ts';
import { checkFolder } from './check-folder.ts';
import { errors } from './errors.ts';
import { mapSize } from './map-size.ts';
import { openRoot } from './open-root.ts';
import type { RemovalRun } from './removals.ts';
import type { MemberRecord } from './storage.ts';

const VERSION = 2;
const VERSION_KEY = 'version';

/** What is stored of a stream as a whole, under its name. */
interface StreamRecord {
  /** The base URL that its members name. */
  readonly publicUrl: string;
  readonly epoch: string;
  /** Sequence number of the last member. */
  readonly sequence: number;
  /** Publication time of the last commit, epoch milliseconds. */
  readonly timeMs: number;
}

// Members repeat their IRIs: by LZ4, off the main thread, a history takes a fifth of the disk. Without lmdb-js's own
// dictionary, since another release of it may bring another one.
const COMPRESSION = { threshold: 500, dictionary: Buffer.alloc(0) };

type StreamKey = [stream: string, sequence: number];

/** A version's IRI as the hash of its beginning, and its end: an IRI may be longer than a key of LMDB. */
type VersionKey = [stream: string, hashAndEnd: string];

/**
 * The tables of a store folder. Streams share them, keyed by their name first, so that their number is not limited
 * by LMDB's number of databases.
 */
export interface LmdbTables {
  readonly root: RootDatabase;
  /** Address space through which the file is read. */
  readonly mapBytes: number;
  readonly streams: Database<StreamRecord, string>;
  readonly members: Database<MemberRecord, StreamKey>;
  /** By the sequence of the newest version and not by entity: an IRI may be longer than a key of LMDB. */
  readonly latest: Database<Omit<LatestEntry, 'sequence'>, StreamKey>;
  /** By the sequence of the first member of each run. */
  readonly removals: Database<Omit<RemovalRun, 'first'>, StreamKey>;
  /** The sequence numbers of members that have IRIs of their own. */
  readonly versions: Database<number, VersionKey>;
}

/**
 * The key of a version that has an IRI of its own.
 *
 * Those whose IRIs differ only in their last characters, as the numbers of observations do, lie together: a commit of
 * them touches a few pages of the file, where by a hash of the whole it would touch one for each.
 *
 * @param iri - its IRI
 */
export function versionKey(stream: string, iri: string): VersionKey {
  const end = iri.slice(END.exec(iri)!.index);
  const hash = createHash('sha256').update(iri.slice(0, iri.length - end.length));
  // 128 bits: among a trillion versions two are equal by chance less often than a disk errs.
  return [stream, hash.digest('base64').slice(0, HASH_CHARACTERS) + end];
}

const HASH_CHARACTERS = 22;

// ASCII, so that it is as long in UTF-8 and no half of a character.
const END = /[!-~]{0,3}$/;

/**
 * Opens the tables of a store folder, or makes them.
 *
 * @param path - the folder; made when it is missing
 * @param roomBytes - tells what address space is left
 * @throws {@link StreamError} `ERR_STORE_LOCKED` - the folder is open elsewhere, in this process or another
 * @throws {@link StreamError} `ERR_STORE_OPEN` - the folder cannot be made, read or written, or the address space is too small for it
 * @throws {@link StreamError} `ERR_STORE_VERSION` - a release with another storage format wrote it
 */
export async function openTables(path: string, roomBytes: AddressRoom): Promise<LmdbTables> {
  await checkFolder(path);
  const { tables, store } = openChecked(path, roomBytes());
  try {
    if (store.get(VERSION_KEY) === undefined) await store.put(VERSION_KEY, VERSION);
    return tables;
  } catch (error) {
    await tables.root.close();
    throw openErrorOf(path, error);
  }
}

/**
 * Opens the tables of a store folder again, at once.
 *
 * @param path - a folder that was checked while they were open
 * @param roomBytes - tells what address space is left
 * @throws {@link StreamError} as {@link openTables}
 */
export function reopenTables(path: string, roomBytes: AddressRoom): LmdbTables {
  return openChecked(path, roomBytes()).tables;
}

function openChecked(
  path: string,
  roomBytes: number | undefined,
): { tables: LmdbTables; store: Database<number, string> } {
  const fileBytes = statSync(join(path, 'data.mdb'), { throwIfNoEntry: false })?.size ?? 0;
  const { mapBytes, problem } = mapSize(roomBytes, fileBytes);
  // lmdb-js would end the process.
  if (problem !== undefined) throw errors.ERR_STORE_OPEN({ path, reason: problem });
  const root = openRoot(path, mapBytes);
  try {
    const store = root.openDB<number, string>({ name: 'store' });
    const found = store.get(VERSION_KEY);
    if (found !== undefined && found !== VERSION) throw errors.ERR_STORE_VERSION({ path, found, known: VERSION });
    const tables = {
      root,
      mapBytes,
      streams: root.openDB<StreamRecord, string>({ name: 'streams' }),
      members: root.openDB<MemberRecord, StreamKey>({ name: 'members', compression: COMPRESSION }),
      latest: root.openDB<Omit<LatestEntry, 'sequence'>, StreamKey>({ name: 'latest' }),
      removals: root.openDB<Omit<RemovalRun, 'first'>, StreamKey>({ name: 'removals' }),
      versions: root.openDB<number, VersionKey>({ name: 'versions' }),
    };
    assertAlone(root, path);
    return { tables, store };
  } catch (error) {
    // Done before it returns, as nothing was written.
    void root.close();
    throw openErrorOf(path, error);
  }
}

function openErrorOf(path: string, error: unknown): unknown {
  return isStreamError(error) ? error : errors.ERR_STORE_OPEN({ path, reason: (error as Error).message }, error);
}

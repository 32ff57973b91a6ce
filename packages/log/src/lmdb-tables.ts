import { isStreamError, type LatestEntry } from '@ldes-live/rdf-stream';
import type { Database, RootDatabase } from 'lmdb';
import { assertAlone } from './assert-alone.ts';
import { checkFolder } from './check-folder.ts';
import { errors } from './errors.ts';
import type { MemberRecord } from './member-record.ts';
import { openRoot } from './open-root.ts';
import type { RemovalRun } from './removal-runs.ts';

const VERSION = 1;
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

/**
 * The tables of a store folder. Streams share them, keyed by their name first, so that their number is not limited
 * by LMDB's number of databases.
 */
export interface LmdbTables {
  readonly root: RootDatabase;
  readonly streams: Database<StreamRecord, string>;
  readonly members: Database<MemberRecord, StreamKey>;
  /** By the sequence of the newest version and not by entity: an IRI may be longer than a key of LMDB. */
  readonly latest: Database<Omit<LatestEntry, 'sequence'>, StreamKey>;
  /** By the sequence of the first member of each run. */
  readonly removals: Database<Omit<RemovalRun, 'first'>, StreamKey>;
}

/**
 * Opens the tables of a store folder, or makes them.
 *
 * @param path - the folder; made when it is missing
 * @throws {@link StreamError} `ERR_STORE_LOCKED` - the folder is open elsewhere, in this process or another
 * @throws {@link StreamError} `ERR_STORE_OPEN` - the folder cannot be made, read or written
 * @throws {@link StreamError} `ERR_STORE_VERSION` - a release with another storage format wrote it
 */
export async function openTables(path: string): Promise<LmdbTables> {
  await checkFolder(path);
  const root = openRoot(path);
  try {
    const store = root.openDB<number, string>({ name: 'store' });
    const found = store.get(VERSION_KEY);
    if (found !== undefined && found !== VERSION) throw errors.ERR_STORE_VERSION({ path, found, known: VERSION });
    const tables = {
      root,
      streams: root.openDB<StreamRecord, string>({ name: 'streams' }),
      members: root.openDB<MemberRecord, StreamKey>({ name: 'members', compression: COMPRESSION }),
      latest: root.openDB<Omit<LatestEntry, 'sequence'>, StreamKey>({ name: 'latest' }),
      removals: root.openDB<Omit<RemovalRun, 'first'>, StreamKey>({ name: 'removals' }),
    };
    assertAlone(root, path);
    if (found === undefined) await store.put(VERSION_KEY, VERSION);
    return tables;
  } catch (error) {
    await root.close();
    if (isStreamError(error)) throw error;
    throw errors.ERR_STORE_OPEN({ path, reason: (error as Error).message }, error);
  }
}

// The tables of a store in LMDB, and what one of their records is. Streams share the tables, keyed by their name first, so that
// their number is not limited by LMDB's number of databases. A record carries the CRC-32 of its key and of all that it says:
// LMDB has none of its own, and what a disk changed must never be taken for data.
//   store     "version"           -> 3
//   streams   "vehicles"          -> { "publicUrl": "http://h/", "epoch": "m3x1k9f2ab", "sequence": 42, "timeMs": 1795600800000,
//                                     "sequencePath": "https://w3id.org/ldes-live/terms#sequence", "entities": 1, "removals": 1,
//                                     "sum": 2914406271 }
//                                    and of a log that several processes have: "position": 1207,
//                                    "entryId": "node-a.3.k2x.17", "term": 3
//   members   ["vehicles", 42]    -> { "id": "...", "entity": "...", "kind": "upsert", "time": "...", "nquads": "...", "sum": ... }
//   latest    ["vehicles", 42]    -> { "entity": "...", "origin": "feed", "fingerprint": "a1", "sum": ... }
//   removals  ["vehicles", 1]     -> { "last": 250, "erasedMs": 1795600800000, "sum": ... }
//   versions  ["vehicles", "..."] -> 42, which nobody reads: what counts is that there is one
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Cursor, LatestEntry } from '@ldes-live/rdf-stream';
import type { Database, RootDatabase } from 'lmdb';
import { errors } from './errors.ts';
import type { RemovedRange } from './removals.ts';
import type { MemberRecord } from './storage.ts';

export interface StreamRecord extends Cursor {
  /** The base URL that its members name. */
  readonly publicUrl: string;
  readonly timeMs: number;
  /** Absent where an earlier release began the log. */
  readonly sequencePath?: string;
  /** How many records the log has of living entities and of removed ranges; absent as its last commit is of an earlier release. */
  readonly entities?: number;
  readonly removals?: number;
  /** Of its last entry in the journal; absent of a log that this store alone has. */
  readonly position?: number;
  readonly entryId?: string;
  readonly term?: number;
}

export type StreamKey = [stream: string, sequence: number];

// An IRI may be longer than a key of LMDB.
export type VersionKey = [stream: string, hashAndEnd: string];

type Summed<Content> = Content & { readonly sum?: number };

export type LmdbTables = {
  readonly store: Database<number, string>;
  readonly streams: Database<Summed<StreamRecord>, string>;
  readonly members: Database<Summed<MemberRecord>, StreamKey>;
  /** By the sequence of the newest version and not by entity: an IRI may be longer than a key of LMDB. */
  readonly latest: Database<Summed<Omit<LatestEntry, 'sequence'>>, StreamKey>;
  readonly removals: Database<Summed<Omit<RemovedRange, 'first'>>, StreamKey>;
  readonly versions: Database<number, VersionKey>;
};

export const VERSION = 3;
export const VERSION_KEY = 'version';
// As this one, but for its checksums.
const FORMER_VERSION = 2;
// Of a store that never held a line that nobody could read: what earlier releases made is looked through as it is read.
export const READABLE_KEY = 'readable';
// Of a store whose records all have a checksum, as it was made with them.
export const SUMMED_KEY = 'summed';

// Members repeat their IRIs: by LZ4, off the main thread, a history takes a fifth of the disk. Without lmdb-js's own
// dictionary, since another release of it may bring another one.
const COMPRESSION = { threshold: 500, dictionary: Buffer.alloc(0) };

const TABLES = ['store', 'streams', 'members', 'latest', 'removals', 'versions'] as const;

export function tablesOf(root: RootDatabase, path: string): LmdbTables {
  const known = new Set(root.getKeys() as Iterable<string>);
  const store = root.openDB<number, string>({ name: 'store' });
  const found = store.get(VERSION_KEY);
  if (found !== undefined && found !== VERSION && found !== FORMER_VERSION) {
    throw errors.ERR_STORE_VERSION({ path, found, known: VERSION });
  }
  // LMDB would make a table anew whose name the disk has changed, and a log would begin anew with it.
  const lost = found === undefined ? undefined : TABLES.find((name) => !known.has(name));
  if (lost !== undefined) throw new Error(`its data.mdb is damaged: it has lost its table of ${lost}`);
  const tables: LmdbTables = {
    store,
    streams: root.openDB({ name: 'streams' }),
    members: root.openDB({ name: 'members', compression: COMPRESSION }),
    latest: root.openDB({ name: 'latest' }),
    removals: root.openDB({ name: 'removals' }),
    versions: root.openDB({ name: 'versions' }),
  };
  const isBegun = found === undefined && Object.values(tables).some((table) => table !== store && hasKeys(table));
  if (isBegun) throw new Error('its data.mdb is damaged: it has lost its version');
  return tables;
}

function hasKeys(table: Pick<Database, 'getKeys'>): boolean {
  return [...table.getKeys({ limit: 1 })].length > 0;
}

export function everyKey(stream: string): { start: StreamKey; end: StreamKey } {
  return { start: [stream, 0], end: [stream, Number.MAX_SAFE_INTEGER] };
}

// ASCII, so that it is as long in UTF-8 and no half of a character.
const END = /[!-~]{0,3}$/;

// Versions whose IRIs differ only in their last characters, as the numbers of observations do, lie together: a commit of them
// touches a few pages of the file, where by a hash of the whole it would touch one for each.
export function versionKey(stream: string, iri: string): VersionKey {
  const end = iri.slice(END.exec(iri)!.index);
  const hash = createHash('sha256').update(iri.slice(0, iri.length - end.length));
  // 128 bits: among a trillion versions two are equal by chance less often than a disk errs.
  return [stream, hash.digest('base64').slice(0, 22) + end];
}

type Key = string | StreamKey;

/** A record with its checksum, as it is put under a key. */
export function summed<Content extends object>(key: Key, content: Content): Summed<Content> {
  return { ...content, sum: sumOf(key, content) };
}

/**
 * What is stored under a key; `undefined` where there is nothing, or not what was put.
 *
 * @param isOptional - a record without a checksum is one of an earlier release
 */
export function intactRecord<Content extends object>(
  table: Database<Summed<Content>, string> | Database<Summed<Content>, StreamKey>,
  key: Key,
  isOptional: boolean,
): Content | undefined {
  try {
    const record = (table as Database<Summed<Content>, Key>).get(key);
    return record && isIntact(key, record, isOptional) ? record : undefined;
  } catch {
    // Bytes that cannot be decompressed or decoded.
    return undefined;
  }
}

export function isIntact(key: Key, record: Summed<object>, isOptional: boolean): boolean {
  return record.sum === undefined ? isOptional : record.sum === sumOf(key, record);
}

// MessagePack keeps the order of the fields.
function sumOf(key: Key, content: object): number {
  let sum = crc32(typeof key === 'string' ? key : `${key[0]}\0${key[1]}`);
  for (const [name, value] of Object.entries(content)) {
    if (name === 'sum' || value === undefined) continue;
    sum = crc32(String(value), crc32(`\0${name}\0`, sum));
  }
  return sum;
}

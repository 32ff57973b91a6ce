// The logs of a store in LMDB. Streams share five tables, keyed by their name first, so that their number is not limited by LMDB's number of
// databases. A commit or a removal is one transaction over them, synced before it is acknowledged.
//   streams   "vehicles"          -> { "publicUrl": "http://h/", "epoch": "m3x1k9f2ab", "sequence": 42, "timeMs": 1795600800000,
//                                     "sequencePath": "https://w3id.org/ldes-live/terms#sequence" }
//                                    and of a log that several processes have: "position": 1207,
//                                    "entryId": "node-a.3.k2x.17", "term": 3
//   members   ["vehicles", 42]    -> { "id": "...", "entity": "...", "kind": "upsert", "time": "...", "nquads": "..." }
//   latest    ["vehicles", 42]    -> { "entity": "...", "origin": "feed", "fingerprint": "a1" }
//   removals  ["vehicles", 1]     -> { "last": 250, "erasedMs": 1795600800000 }
//   versions  ["vehicles", "..."] -> 42
import { createHash } from 'node:crypto';
import { type Cursor, formerSequencePath, type LatestEntry, type StreamDescription } from '@ldes-live/rdf-stream';
import type { Database, RootDatabase } from 'lmdb';
import { errors } from './errors.ts';
import { type LmdbFile, openLmdbFile } from './lmdb-file.ts';
import type { LmdbStoreOptions } from './lmdb-store.ts';
import { TOMBSTONE_MS } from './log.ts';
import { LogState, NO_HEAD } from './log-state.ts';
import { Removals, type RemovedRange } from './removals.ts';
import { fromRecord, type LogContent, type LogStorage, type MemberRecord, ownVersion, recordOf } from './storage.ts';

const COMPACTION_FREE_BYTES = 64 * 1024 * 1024;

export type LmdbLogFile = LmdbFile<LmdbTables>;

export async function openLmdb(options: LmdbStoreOptions): Promise<LmdbLogFile> {
  const { path, compactionFreeBytes = COMPACTION_FREE_BYTES, onWarning = () => {} } = options;
  const file = await openLmdbFile(path, (root) => tablesOf(root, path), compactionFreeBytes, onWarning);
  try {
    const { store } = file.tables;
    if (store.get(VERSION_KEY) === undefined) {
      await store.put(VERSION_KEY, VERSION);
      await store.put(READABLE_KEY, 1);
    }
  } catch (cause) {
    await file.close();
    throw errors.ERR_STORE_OPEN({ path, reason: (cause as Error).message }, cause);
  }
  return file;
}

const VERSION = 2;
const VERSION_KEY = 'version';
// Of a store that never held a line that nobody could read: what earlier releases made is looked through as it is read.
const READABLE_KEY = 'readable';

interface StreamRecord extends Cursor {
  /** The base URL that its members name. */
  readonly publicUrl: string;
  readonly timeMs: number;
  /** Absent where an earlier release began the log. */
  readonly sequencePath?: string;
  /** Of its last entry in the journal; absent of a log that this store alone has. */
  readonly position?: number;
  readonly entryId?: string;
  readonly term?: number;
}

type StreamKey = [stream: string, sequence: number];

// An IRI may be longer than a key of LMDB.
type VersionKey = [stream: string, hashAndEnd: string];

// Members repeat their IRIs: by LZ4, off the main thread, a history takes a fifth of the disk. Without lmdb-js's own
// dictionary, since another release of it may bring another one.
const COMPRESSION = { threshold: 500, dictionary: Buffer.alloc(0) };

type LmdbTables = {
  readonly store: Database<number, string>;
  readonly streams: Database<StreamRecord, string>;
  readonly members: Database<MemberRecord, StreamKey>;
  /** By the sequence of the newest version and not by entity: an IRI may be longer than a key of LMDB. */
  readonly latest: Database<Omit<LatestEntry, 'sequence'>, StreamKey>;
  readonly removals: Database<Omit<RemovedRange, 'first'>, StreamKey>;
  readonly versions: Database<number, VersionKey>;
};

function tablesOf(root: RootDatabase, path: string): LmdbTables {
  const store = root.openDB<number, string>({ name: 'store' });
  const found = store.get(VERSION_KEY);
  if (found !== undefined && found !== VERSION) throw errors.ERR_STORE_VERSION({ path, found, known: VERSION });
  return {
    store,
    streams: root.openDB({ name: 'streams' }),
    members: root.openDB({ name: 'members', compression: COMPRESSION }),
    latest: root.openDB({ name: 'latest' }),
    removals: root.openDB({ name: 'removals' }),
    versions: root.openDB({ name: 'versions' }),
  };
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

/** What a store has of a log, which may be nothing yet. Its history is not read, only its latest state. */
export function readLog(
  file: LmdbLogFile,
  { name: stream, publicUrl, sequencePath: givenPath }: Pick<StreamDescription, 'name' | 'publicUrl' | 'sequencePath'>,
  { clock, tombstoneMs = TOMBSTONE_MS, onWarning }: LmdbStoreOptions,
) {
  const record = file.tables.streams.get(stream);
  const stored = record?.publicUrl ?? publicUrl;
  if (stored !== publicUrl) throw errors.ERR_STREAM_MOVED({ stream, stored, given: publicUrl });
  const sequencePath = record ? (record.sequencePath ?? formerSequencePath(publicUrl)) : givenPath;
  const description = { name: stream, publicUrl, sequencePath };
  const storage = lmdbStorage(file, description, onWarning);
  const head = record && { cursor: { epoch: record.epoch, sequence: record.sequence }, timeMs: record.timeMs };
  const all = everyKey(stream);
  const ranges = file.tables.removals.getRange(all).map(({ key, value }) => ({ ...value, first: key[1] }));
  const latest = file.tables.latest.getRange(all).map(({ key, value }) => ({ ...value, sequence: key[1] }));
  const removals = new Removals([...ranges], clock, tombstoneMs);
  // A store by itself has been written in one term.
  const term = record ? (record.term ?? 1) : 0;
  const state = new LogState(head ?? NO_HEAD, latest, removals, term);
  const mark = record?.position === undefined ? undefined : { position: record.position, id: record.entryId ?? '' };
  return { state, storage, description, mark, isEmpty: record === undefined };
}

function everyKey(stream: string): { start: StreamKey; end: StreamKey } {
  return { start: [stream, 0], end: [stream, Number.MAX_SAFE_INTEGER] };
}

function lmdbStorage(
  { root, tables }: LmdbLogFile,
  { name: stream, publicUrl, sequencePath }: Pick<StreamDescription, 'name' | 'publicUrl' | 'sequencePath'>,
  onWarning: LmdbStoreOptions['onWarning'],
): LogStorage {
  const { store, streams, members, latest, removals, versions } = tables;
  /** Sequence numbers of members. */
  const reported = new Set<number>();
  const keyOf = (record: MemberRecord) => {
    const own = ownVersion(record);
    return own === undefined ? undefined : versionKey(stream, own);
  };
  return {
    async apply(entry, change, mark) {
      // Made before the transaction begins: what throws within it would leave a part of it to be committed.
      const records = entry.kind === 'commit' ? entry.members.map((member) => recordOf(member, entry.time)) : [];
      const first = entry.kind === 'commit' ? entry.first : 0;
      const keys = records.map(keyOf);
      const write = () => {
        for (const [index, record] of records.entries()) {
          void members.put([stream, first + index], record);
          const key = keys[index];
          if (key) void versions.put(key, first + index);
        }
        for (const sequence of change.freed) {
          const record = members.get([stream, sequence]);
          const key = record && keyOf(record);
          if (key) void versions.remove(key);
          void members.remove([stream, sequence]);
        }
        for (const { sequence } of change.latest.removed) void latest.remove([stream, sequence]);
        for (const { sequence, ...rest } of change.latest.added) void latest.put([stream, sequence], rest);
        for (const range of change.ranges.removed) void removals.remove([stream, range.first]);
        for (const { first: from, ...rest } of change.ranges.added) void removals.put([stream, from], rest);
        const { head, term } = change;
        const place = mark && { position: mark.position, entryId: mark.id, term };
        void streams.put(stream, { publicUrl, ...head.cursor, timeMs: head.timeMs, sequencePath, ...place });
      };
      await inTransaction(root, stream, write);
    },
    hasVersions: (iris) => new Set(iris.filter((iri) => versions.doesExist(versionKey(stream, iri)))),
    read(sequences) {
      const isReadable = store.get(READABLE_KEY) === 1;
      return sequences.map((sequence) => {
        const record = members.get([stream, sequence]);
        if (!record) throw errors.ERR_STORE_DAMAGED({ stream, sequence });
        if (isReadable) return fromRecord(record, sequence);
        return fromRecord(record, sequence, (line) => {
          if (reported.has(sequence)) return;
          reported.add(sequence);
          onWarning?.(errors.ERR_MEMBER_UNREADABLE({ stream, sequence, line }));
        });
      });
    },
  };
}

/** Members that are put, or removed, in one transaction. */
const SLICE_RECORDS = 1000;

/** Puts all that a log has in place of what there is of it; cut short, there is nothing of it. */
export async function replaceLog(file: LmdbLogFile, stream: string, content: LogContent): Promise<void> {
  const { root, tables } = file;
  const { streams, members, latest, removals, versions } = tables;
  const { ranges, ...record } = content.summary;
  await inTransaction(root, stream, () => void streams.remove(stream));
  for (const table of [members, latest, removals, versions] as Database<unknown, StreamKey | VersionKey>[]) {
    const range = table === versions ? { start: [stream], end: [stream, '\uffff'] } : everyKey(stream);
    const some = () => [...table.getKeys({ ...range, limit: SLICE_RECORDS } as object)];
    for (let keys = some(); keys.length > 0; keys = some()) {
      const taken = keys;
      await inTransaction(root, stream, () => {
        for (const key of taken) void table.remove(key);
      });
    }
  }
  for await (const slice of content.members) {
    await inTransaction(root, stream, () => {
      for (const [sequence, member] of slice) {
        void members.put([stream, sequence], member);
        const own = ownVersion(member);
        if (own !== undefined) void versions.put(versionKey(stream, own), sequence);
      }
    });
  }
  await inTransaction(root, stream, () => {
    for (const { sequence, ...rest } of content.latest) void latest.put([stream, sequence], rest);
    for (const { first, ...rest } of ranges) void removals.put([stream, first], rest);
    void streams.put(stream, record);
  });
}

async function inTransaction(root: RootDatabase, stream: string, write: () => void): Promise<void> {
  try {
    await root.batch(write);
  } catch (error) {
    // lmdb-js tells what made a commit fail by a promise of its own, which must not be left unhandled.
    const failure = error as Error & { commitError?: Promise<never> };
    const cause = (await failure.commitError?.catch((told: Error) => told)) ?? failure;
    throw errors.ERR_STORE_WRITE({ stream, reason: cause.message }, cause);
  }
}

// The logs of a store in LMDB: what they read and write of its tables (lmdb-records.ts). A commit or a removal is one transaction
// over them, synced before it is acknowledged. What is not as it was put is an error, and never data:
//   members ["vehicles", 42] with another sum   -> ERR_STORE_DAMAGED, and 42 is among `damaged` from then on
//   the record of a stream with another sum     -> ERR_STREAM_DAMAGED: its log cannot be opened
import { formerSequencePath, isStreamError, type StreamDescription } from '@ldes-live/rdf-stream';
import type { Database, RootDatabase } from 'lmdb';
import { errors } from './errors.ts';
import { type LmdbFile, openLmdbFile } from './lmdb-file.ts';
import {
  everyKey,
  intactRecord,
  isIntact,
  type LmdbTables,
  READABLE_KEY,
  type StreamKey,
  SUMMED_KEY,
  summed,
  tablesOf,
  VERSION,
  VERSION_KEY,
  type VersionKey,
  versionKey,
} from './lmdb-records.ts';
import type { LmdbStoreOptions } from './lmdb-store.ts';
import { TOMBSTONE_MS } from './log.ts';
import { LogState, NO_HEAD } from './log-state.ts';
import { Removals } from './removals.ts';
import { fromRecord, type LogContent, type LogStorage, type MemberRecord, ownVersion, recordOf } from './storage.ts';

const COMPACTION_FREE_BYTES = 64 * 1024 * 1024;

export type LmdbLogFile = LmdbFile<LmdbTables>;

export async function openLmdb(options: LmdbStoreOptions): Promise<LmdbLogFile> {
  const { path, compactionFreeBytes = COMPACTION_FREE_BYTES, onWarning = () => {} } = options;
  const file = await openLmdbFile(path, (root) => tablesOf(root, path), compactionFreeBytes, onWarning);
  try {
    const { store } = file.tables;
    const found = store.get(VERSION_KEY);
    if (found === undefined) {
      await store.put(READABLE_KEY, 1);
      await store.put(SUMMED_KEY, 1);
    }
    // From here on records have checksums, which an earlier release would leave out.
    if (found !== VERSION) await store.put(VERSION_KEY, VERSION);
  } catch (cause) {
    await file.close();
    throw errors.ERR_STORE_OPEN({ path, reason: (cause as Error).message }, cause);
  }
  return file;
}

/**
 * What a store has of a log, which may be nothing yet. Its history is not read, only its latest state.
 *
 * @throws `ERR_STREAM_DAMAGED`: some of that is not as it was stored
 */
export function readLog(
  file: LmdbLogFile,
  { name: stream, publicUrl, sequencePath: givenPath }: Pick<StreamDescription, 'name' | 'publicUrl' | 'sequencePath'>,
  { clock, tombstoneMs = TOMBSTONE_MS, onWarning }: LmdbStoreOptions,
) {
  const { streams, store, latest: living, removals: removed } = file.tables;
  const isSumless = store.get(SUMMED_KEY) !== 1;
  const record = intactRecord(streams, stream, isSumless);
  if (!record && streams.doesExist(stream)) throw errors.ERR_STREAM_DAMAGED({ stream, part: 'its head' });
  const stored = record?.publicUrl ?? publicUrl;
  if (stored !== publicUrl) throw errors.ERR_STREAM_MOVED({ stream, stored, given: publicUrl });
  const sequencePath = record ? (record.sequencePath ?? formerSequencePath(publicUrl)) : givenPath;
  const description = { name: stream, publicUrl, sequencePath };
  const head = record && { cursor: { epoch: record.epoch, sequence: record.sequence }, timeMs: record.timeMs };
  const read = { stream, isSumless };
  const ranges = record ? intactRecords(removed, { ...read, part: 'its removed pages', count: record.removals }) : [];
  const latest = record ? intactRecords(living, { ...read, part: 'its latest state', count: record.entities }) : [];
  const storage = lmdbStorage(file, description, isSumless, onWarning);
  const removals = new Removals(
    ranges.map(([first, range]) => ({ ...range, first })),
    clock,
    tombstoneMs,
  );
  // A store by itself has been written in one term.
  const term = record ? (record.term ?? 1) : 0;
  const entries = latest.map(([sequence, entry]) => ({ ...entry, sequence }));
  const state = new LogState(head ?? NO_HEAD, entries, removals, term);
  const mark = record?.position === undefined ? undefined : { position: record.position, id: record.entryId ?? '' };
  return { state, storage, description, mark, isEmpty: record === undefined };
}

/** Whether a store has members of a log. */
export function hasMembers({ tables }: LmdbLogFile, stream: string): boolean {
  return [...tables.members.getKeys({ ...everyKey(stream), limit: 1 })].length > 0;
}

interface IntactRead {
  readonly stream: string;
  readonly isSumless: boolean;
  readonly part: string;
  readonly count: number | undefined;
}

/** All records of a stream in a table, by sequence; what is missing or changed would make a state that never was. */
function intactRecords<Content extends object>(
  table: Database<Content & { readonly sum?: number }, StreamKey>,
  { stream, isSumless, part, count }: IntactRead,
): (readonly [sequence: number, content: Content])[] {
  const records: (readonly [number, Content])[] = [];
  try {
    for (const { key, value } of table.getRange(everyKey(stream))) {
      if (!isIntact(key, value, isSumless)) throw errors.ERR_STREAM_DAMAGED({ stream, part });
      const { sum: _, ...content } = value;
      records.push([key[1], content as Content]);
    }
  } catch (cause) {
    throw isStreamError(cause) ? cause : errors.ERR_STREAM_DAMAGED({ stream, part }, cause);
  }
  if (count !== undefined && count !== records.length) throw errors.ERR_STREAM_DAMAGED({ stream, part });
  return records;
}

function lmdbStorage(
  { root, tables, assertRoom }: LmdbLogFile,
  { name: stream, publicUrl, sequencePath }: Pick<StreamDescription, 'name' | 'publicUrl' | 'sequencePath'>,
  isSumless: boolean,
  onWarning: LmdbStoreOptions['onWarning'],
): LogStorage {
  const { store, streams, members, latest, removals, versions } = tables;
  /** Sequence numbers of members that are read without a line. */
  const reported = new Set<number>();
  const damaged = new Set<number>();
  const keyOf = (record: MemberRecord) => {
    const own = ownVersion(record);
    return own === undefined ? undefined : versionKey(stream, own);
  };
  const memberOf = (sequence: number) => intactRecord(members, [stream, sequence], isSumless);
  const put = <Content extends object>(
    table: Database<Content & { readonly sum?: number }, StreamKey>,
    sequence: number,
    content: Content,
  ) => void table.put([stream, sequence], summed([stream, sequence], content));
  return {
    async apply(entry, change, mark) {
      // Made before the transaction begins: what throws within it would leave a part of it to be committed.
      const records = entry.kind === 'commit' ? entry.members.map((member) => recordOf(member, entry.time)) : [];
      const first = entry.kind === 'commit' ? entry.first : 0;
      const keys = records.map(keyOf);
      const write = () => {
        for (const [index, record] of records.entries()) {
          put(members, first + index, record);
          const key = keys[index];
          if (key) void versions.put(key, first + index);
        }
        for (const sequence of change.freed) {
          const record = memberOf(sequence);
          const key = record && keyOf(record);
          if (key) void versions.remove(key);
          void members.remove([stream, sequence]);
        }
        for (const { sequence } of change.latest.removed) void latest.remove([stream, sequence]);
        for (const { sequence, ...rest } of change.latest.added) put(latest, sequence, rest);
        for (const range of change.ranges.removed) void removals.remove([stream, range.first]);
        for (const { first: from, ...rest } of change.ranges.added) put(removals, from, rest);
        const { head, term, entities, ranges } = change;
        const counts = { entities, removals: ranges.all.length };
        const place = mark && { position: mark.position, entryId: mark.id, term };
        const record = { publicUrl, ...head.cursor, timeMs: head.timeMs, sequencePath, ...counts, ...place };
        void streams.put(stream, summed(stream, record));
      };
      assertRoom(stream, records, change.freed.length);
      await inTransaction(root, stream, write);
      for (const sequence of change.freed) damaged.delete(sequence);
    },
    hasVersions: (iris) => new Set(iris.filter((iri) => versions.doesExist(versionKey(stream, iri)))),
    damaged: () => [...damaged],
    read(sequences) {
      const isReadable = store.get(READABLE_KEY) === 1;
      return sequences.map((sequence) => {
        const record = memberOf(sequence);
        if (!record) {
          const error = errors.ERR_STORE_DAMAGED({ stream, sequence });
          if (damaged.size < LIMIT_DAMAGED && !damaged.has(sequence)) {
            damaged.add(sequence);
            onWarning?.(error);
          }
          throw error;
        }
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

// What a health report can name; more of them are no more news.
const LIMIT_DAMAGED = 1000;

/** Members that are put, or removed, in one transaction. */
const SLICE_RECORDS = 1000;

/** Puts all that a log has in place of what there is of it; cut short, there is nothing of it. */
export async function replaceLog(file: LmdbLogFile, stream: string, content: LogContent): Promise<void> {
  const { root, tables, assertRoom } = file;
  const { streams, members, latest, removals, versions } = tables;
  const { ranges, ...summary } = content.summary;
  const record = { ...summary, entities: content.latest.length, removals: ranges.length };
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
    assertRoom(
      stream,
      slice.map(([, member]) => member),
    );
    await inTransaction(root, stream, () => {
      for (const [sequence, member] of slice) {
        void members.put([stream, sequence], summed([stream, sequence], member));
        const own = ownVersion(member);
        if (own !== undefined) void versions.put(versionKey(stream, own), sequence);
      }
    });
  }
  await inTransaction(root, stream, () => {
    for (const { sequence, ...rest } of content.latest)
      void latest.put([stream, sequence], summed([stream, sequence], rest));
    for (const { first, ...rest } of ranges) void removals.put([stream, first], summed([stream, first], rest));
    void streams.put(stream, summed(stream, record));
  });
}

export async function inTransaction(root: RootDatabase, stream: string, write: () => void): Promise<void> {
  try {
    await root.batch(write);
  } catch (error) {
    // lmdb-js tells what made a commit fail by a promise of its own, which must not be left unhandled.
    const failure = error as Error & { commitError?: Promise<never> };
    const cause = (await failure.commitError?.catch((told: Error) => told)) ?? failure;
    throw errors.ERR_STORE_WRITE({ stream, reason: cause.message }, cause);
  }
}

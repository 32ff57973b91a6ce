// What a log stores, and what a store has to do. A member becomes text once, and terms again only for who asks for its quads.
//   draft, member --entryMember--> EntryMember --recordOf--> MemberRecord, under its sequence number --fromRecord--> member
//   { "id": "http://h/S/entities/1#...", "entity": "http://h/S/entities/1", "kind": "upsert", "time": "2026-11-22T10:00:00.000Z",
//     "versionTime": "...", "nquads": "<...> <...> <...> .\n" }
import {
  type Commit,
  type Cursor,
  type Draft,
  isStreamError,
  type LatestEntry,
  type LogHead,
  type Member,
  parseNQuads,
  type StreamDescription,
  versionIri,
  writeNewQuads,
  writeQuads,
} from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';
import type { Log, LogStore, LogStoreOptions } from './log.ts';
import {
  type CommitEntry,
  type EntryMember,
  type LogEntry,
  type LogState,
  newEpoch,
  type StateChange,
} from './log-state.ts';
import type { RemovedRange } from './removals.ts';
import type { JournalMark } from './replica.ts';

/** Where an ordered log keeps what its entries make. It is given one entry at a time. */
export interface LogStorage {
  /**
   * Stores what an entry brings and changes: all or nothing, durably once the promise resolves.
   *
   * @param mark - where it stands in the journal, if there is one: stored with it
   */
  apply(entry: LogEntry, change: StateChange, mark?: JournalMark): Promise<void>;
  /**
   * The members of these sequence numbers, all of them stored, in the order asked for.
   *
   * @throws `ERR_STORE_DAMAGED`: one of them is not as it was stored
   */
  read(sequences: readonly number[]): Member[];
  /** Sequence numbers of members that were to be read and are not as they were stored. */
  damaged(): readonly number[];
  /** Which of these are IRIs of stored versions that have IRIs of their own. */
  hasVersions(versionIris: readonly string[]): ReadonlySet<string>;
}

/** Those of these members that can be read: that one is damaged is no reason to keep it, or its entity, for ever. */
export function intactOf(storage: LogStorage, sequences: readonly number[]): Member[] {
  return sequences.flatMap((sequence) => {
    try {
      return storage.read([sequence]);
    } catch (error) {
      if (isStreamError(error, 'ERR_STORE_DAMAGED')) return [];
      throw error;
    }
  });
}

/** What a log knows besides its members, at one position of its journal. */
export interface LogSummary extends Cursor {
  readonly publicUrl: string;
  readonly sequencePath: string;
  readonly timeMs: number;
  readonly position: number;
  /** Of the entry that stands there. */
  readonly entryId: string;
  readonly term: number;
  readonly ranges: readonly RemovedRange[];
}

/** All that a log has at one position of its journal. */
export interface LogContent {
  readonly summary: LogSummary;
  /** By sequence. */
  readonly latest: readonly LatestEntry[];
  /** Those that can be read, by sequence, some at a time. */
  readonly members: AsyncIterable<readonly (readonly [sequence: number, record: MemberRecord])[]>;
}

/** A member as it is stored under its sequence number. */
export interface MemberRecord extends Omit<Member, 'sequence' | 'quads'> {
  /** The quads as N-Quads, in their order and with their blank node labels. */
  readonly nquads: string;
}

export function recordOf({ id, entity, kind, versionTime, isOlder, nquads }: EntryMember, time: string): MemberRecord {
  if (versionTime === undefined) return { id, entity, kind, time, nquads };
  return { id, entity, kind, time, versionTime, ...(isOlder && { isOlder }), nquads };
}

/** Of a member that was read. */
export function recordOfMember({ id, entity, kind, time, versionTime, isOlder, quads, nquads }: Member): MemberRecord {
  // Of a stored member the text is at hand, and its quads are not.
  const text = nquads ?? writeQuads(quads, 'nquads', {});
  return {
    id,
    entity,
    kind,
    time,
    ...(versionTime !== undefined && { versionTime }),
    ...(isOlder && { isOlder }),
    nquads: text,
  };
}

// In a datatype such a line is one that earlier releases took and no parser does; an object may well be so.
const DOUBTFUL = 'angString> .\n';

/** @param onUnreadable - gets each line that is left out as unreadable; absent where none can be, since looking takes as long as reading */
export function fromRecord(record: MemberRecord, sequence: number, onUnreadable?: (line: string) => void): Member {
  if (!onUnreadable || !record.nquads.includes(DOUBTFUL)) return new StoredMember(record, sequence);
  return new StoredMember({ ...record, nquads: readableLines(record.nquads, onUnreadable) }, sequence);
}

function readableLines(nquads: string, onUnreadable: (line: string) => void): string {
  const lines = nquads.split('\n').slice(0, -1);
  const readable = lines.filter((line) => {
    try {
      return parseNQuads(line).length > 0;
    } catch {
      onUnreadable(line);
      return false;
    }
  });
  return readable.map((line) => `${line}\n`).join('');
}

// A class, since every object literal with a getter gets a hidden class of its own, which outlives many members.
class StoredMember implements Member {
  readonly id: string;
  readonly entity: string;
  readonly kind: Member['kind'];
  readonly sequence: number;
  readonly time: string;
  declare readonly versionTime?: string;
  declare readonly isOlder?: true;
  readonly nquads: string;
  #quads: Member['quads'] | undefined;

  constructor(record: MemberRecord, sequence: number) {
    this.id = record.id;
    this.entity = record.entity;
    this.kind = record.kind;
    this.sequence = sequence;
    this.time = record.time;
    if (record.versionTime !== undefined) this.versionTime = record.versionTime;
    if (record.isOlder) this.isOlder = true;
    this.nquads = record.nquads;
  }

  get quads(): Member['quads'] {
    this.#quads ??= parseNQuads(this.nquads);
    return this.#quads;
  }
}

/** The IRI of a version that has one of its own; `undefined` where the log made it. */
export function ownVersion({ id, entity, time }: Pick<Member, 'id' | 'entity' | 'time'>): string | undefined {
  return id === versionIri(entity, time) ? undefined : id;
}

export function entryMember(draft: Draft, { id, entity, kind, versionTime, isOlder, quads }: Member): EntryMember {
  const fingerprint = draft.kind === 'upsert' ? draft.fingerprint : undefined;
  const nquads = writeNewQuads(quads);
  return { id, entity, kind, origin: draft.origin, fingerprint, versionTime, isOlder, nquads };
}

/** The commit that an entry of another process publishes. */
export function commitOf({ time, first, members }: CommitEntry, { cursor }: LogHead): Commit {
  return { cursor, time, members: members.map((member, index) => fromRecord(recordOf(member, time), first + index)) };
}

/** Begins a log that has no entry yet, under an epoch of its own, so that this holds even before there are members. */
export async function beginLog(
  state: LogState,
  storage: LogStorage,
  { publicUrl, sequencePath }: Pick<StreamDescription, 'publicUrl' | 'sequencePath'>,
  { clock, random }: Pick<LogStoreOptions, 'clock' | 'random'>,
): Promise<void> {
  if (state.head.cursor.epoch !== '') return;
  const entry = { kind: 'term', epoch: newEpoch(clock(), random), publicUrl, sequencePath, term: 1 } as const;
  const change = state.take(entry);
  await storage.apply(entry, change);
  state.become(change);
}

/** A store whose logs are open once each, and do not outlive it. */
export function createLogStore(
  openLog: (description: StreamDescription, onClosed: () => void) => Promise<Log>,
  closeStorage: () => Promise<void>,
): LogStore {
  const logs = new Map<string, Promise<Log>>();
  let closed: Promise<void> | undefined;
  const closeAll = async () => {
    for (const log of await Promise.allSettled(logs.values())) if (log.status === 'fulfilled') await log.value.close();
    await closeStorage();
  };
  return {
    async open(description) {
      const stream = description.name;
      if (closed) throw errors.ERR_STORE_CLOSED({ stream });
      if (logs.has(stream)) throw errors.ERR_LOG_OPEN({ stream });
      const forget = () => void logs.delete(stream);
      const log = openLog(description, forget);
      logs.set(stream, log);
      log.catch(forget);
      return log;
    },
    close() {
      closed ??= closeAll();
      return closed;
    },
  };
}

// Reads all of a store that nobody has open, and says what the disk has changed of it. Where that is asked for it is repaired:
// what cannot be read is dropped, and the log can be opened again.
//   verifyStore({ path }) -> { "streams": [{ "stream": "vehicles", "members": 756, "entities": 252, "findings": [
//     { "what": "member", "sequence": 42, "isRepaired": false } ] }] }
// A member that is dropped leaves a delete of an entity that never was, ".../vehicles#dropped-42": sequences have no gaps, since
// pages and cursors count on them, and nothing is said of the entity whose version is lost.
import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { CommitBuilder, type DeleteDraft, formerSequencePath, type LatestEntry } from '@ldes-live/rdf-stream';
import { damagedDocuments, openDiskCache } from './disk-cache.ts';
import { errors } from './errors.ts';
import { openLmdbFile } from './lmdb-file.ts';
import { inTransaction, type LmdbLogFile } from './lmdb-log.ts';
import { everyKey, intactRecord, type StreamRecord, SUMMED_KEY, summed, tablesOf, versionKey } from './lmdb-records.ts';
import { newEpoch } from './log-state.ts';
import { Removals, type RemovedRange } from './removals.ts';
import { entryMember, type MemberRecord, ownVersion, recordOf } from './storage.ts';

/** What the disk has changed of a log. */
export interface StoreFinding {
  /**
   * `head`, `removals`: where the log ends, or which pages it removed; there is no repair. `member`: repaired by dropping it.
   * `latest`: that a member is the newest of its entity; made again from the member, or dropped with it. `versions`: which
   * IRIs of versions are held; made again. `document`: of the cache; deleted, and made again on request.
   */
  readonly what: 'head' | 'removals' | 'member' | 'latest' | 'versions' | 'document';
  /** Of a member, or of the newest version of an entity. */
  readonly sequence?: number;
  /** Of a document: its file. */
  readonly file?: string;
  readonly isRepaired: boolean;
}

/** What there is of a log, and what is damaged of it. */
export interface StreamReport {
  readonly stream: string;
  /** How many members can be read. */
  readonly members: number;
  /** How many of them an earlier release stored without a checksum. */
  readonly unchecked: number;
  /** How many entities live. */
  readonly entities: number;
  readonly findings: readonly StoreFinding[];
}

/** What {@link verifyStore} takes. */
export interface VerifyOptions {
  /** The folder of the store. */
  readonly path: string;
  /**
   * Whether what is damaged is repaired; it is not by default. A log of a cluster never is: a node with an empty folder gets
   * it from the others.
   */
  readonly repair?: boolean;
  /**
   * Whether the folder comes from a backup. Its logs get new epochs then, so that readers who know of later members are told
   * of a gap, and no sealed page gets other members. Not those of a cluster.
   */
  readonly restored?: boolean;
  readonly clock: () => number;
  /** Gives random numbers in [0, 1), for epochs. */
  readonly random: () => number;
}

/**
 * Reads every record and cached document of a store in an LMDB folder, and compares their checksums.
 *
 * @throws `ERR_STORE_LOCKED`: somebody has it open
 * @throws `ERR_STORE_OPEN`: there is no store, or the structure of its file is damaged: only a backup helps
 * @throws `ERR_STORE_VERSION`: a release with another storage format wrote it
 * @throws `ERR_STORE_WRITE`: a repair failed; what is reported as repaired by an earlier call is
 */
export async function verifyStore(options: VerifyOptions): Promise<StreamReport[]> {
  const { path } = options;
  await access(join(path, 'data.mdb')).catch((cause: Error) => {
    throw errors.ERR_STORE_OPEN({ path, reason: cause.message }, cause);
  });
  const file = await openLmdbFile(
    path,
    (root) => tablesOf(root, path),
    Number.POSITIVE_INFINITY,
    () => {},
    true,
  );
  try {
    const reports: StreamReport[] = [];
    for (const stream of [...file.tables.streams.getKeys()]) {
      reports.push(await new StreamCheck(file, options, stream).report());
    }
    return reports;
  } finally {
    await file.close();
  }
}

// Records that are read before others get their turn on the event loop.
const SLICE_RECORDS = 250;

class StreamCheck {
  readonly #file: LmdbLogFile;
  readonly #options: VerifyOptions;
  readonly #stream: string;
  readonly #isSumless: boolean;
  #repair = false;
  readonly #findings: StoreFinding[] = [];
  readonly #writes: (() => void)[] = [];

  constructor(file: LmdbLogFile, options: VerifyOptions, stream: string) {
    this.#file = file;
    this.#options = options;
    this.#stream = stream;
    this.#isSumless = file.tables.store.get(SUMMED_KEY) !== 1;
  }

  async report(): Promise<StreamReport> {
    const { tables, root } = this.#file;
    const stream = this.#stream;
    const head = intactRecord(tables.streams, stream, this.#isSumless);
    const ranges = head && this.#ranges(head);
    if (!ranges) {
      this.#find({ what: head ? 'removals' : 'head', isRepaired: false });
      return { stream, members: 0, unchecked: 0, entities: 0, findings: this.#findings };
    }
    // The other nodes have the same log, and documents must be equal on all of them.
    const { repair = false, restored = false, clock, random } = this.#options;
    const isAlone = head.position === undefined;
    this.#repair = repair && isAlone;
    const removals = new Removals(ranges, clock, 0);
    const latest = new Set([...tables.latest.getKeys(everyKey(stream))].map(([, sequence]) => sequence));
    const { members, unchecked, damaged } = await this.#members(head, removals, latest);
    const entities = await this.#latest(head, latest, damaged);
    await this.#documents(head, removals, damaged);
    const { sum: _, ...kept } = { sum: 0, ...head };
    const epoch = restored && isAlone ? newEpoch(clock(), random) : head.epoch;
    if (epoch !== head.epoch || (this.#repair && entities !== head.entities)) {
      this.#writes.push(() => void tables.streams.put(stream, summed(stream, { ...kept, epoch, entities })));
    }
    if (this.#writes.length > 0) {
      await inTransaction(root, stream, () => {
        for (const write of this.#writes) write();
      });
    }
    return { stream, members, unchecked, entities, findings: this.#findings };
  }

  #find(finding: StoreFinding, write?: () => void): void {
    this.#findings.push(finding);
    if (write && this.#repair) this.#writes.push(write);
  }

  #ranges({ removals: count }: StreamRecord): RemovedRange[] | undefined {
    const { removals } = this.#file.tables;
    const ranges: RemovedRange[] = [];
    for (const key of [...removals.getKeys(everyKey(this.#stream))]) {
      const range = intactRecord(removals, key, this.#isSumless);
      if (!range) return undefined;
      ranges.push({ ...range, first: key[1] });
    }
    return count === undefined || count === ranges.length ? ranges : undefined;
  }

  async #members(head: StreamRecord, removals: Removals, latest: ReadonlySet<number>) {
    const { members: table, versions } = this.#file.tables;
    const repair = this.#repair;
    const stream = this.#stream;
    const damaged = new Set<number>();
    const lost: (() => void)[] = [];
    let [members, unchecked] = [0, 0];
    let timeMs: number | undefined;
    for (let sequence = 1; sequence <= head.sequence; sequence += 1) {
      if (removals.isErased(sequence) && !latest.has(sequence)) continue;
      if (sequence % SLICE_RECORDS === 0) await setImmediate();
      const record = intactRecord(table, [stream, sequence], this.#isSumless);
      if (!record) {
        damaged.add(sequence);
        timeMs ??= this.#timeAfter(sequence, head);
        const dropped = droppedMember(stream, head, sequence, timeMs);
        const write = () => void table.put([stream, sequence], summed([stream, sequence], dropped));
        this.#find({ what: 'member', sequence, isRepaired: repair }, write);
        continue;
      }
      members += 1;
      if (!('sum' in record)) unchecked += 1;
      timeMs = Date.parse(record.time);
      const own = ownVersion(record);
      if (own === undefined) continue;
      const key = versionKey(stream, own);
      if (!versions.doesExist(key)) lost.push(() => void versions.put(key, sequence));
    }
    // One that is there without its member, as after a repair, is kept: that IRI has been given.
    if (lost.length > 0) {
      this.#find({ what: 'versions', isRepaired: repair }, () => {
        for (const write of lost) write();
      });
    }
    return { members, unchecked, damaged };
  }

  /** When the first one after a member was published that can be read. */
  #timeAfter(sequence: number, head: StreamRecord): number {
    for (let next = sequence + 1; next <= head.sequence; next += 1) {
      const record = intactRecord(this.#file.tables.members, [this.#stream, next], this.#isSumless);
      if (record) return Date.parse(record.time);
    }
    return head.timeMs;
  }

  /** How many entities live, after a repair where there is one. */
  async #latest(head: StreamRecord, sequences: ReadonlySet<number>, damaged: ReadonlySet<number>): Promise<number> {
    const { latest: table, members } = this.#file.tables;
    const repair = this.#repair;
    const stream = this.#stream;
    const origins = new Map<string, number>();
    const living = new Set<string>();
    const broken: number[] = [];
    for (const sequence of sequences) {
      if (sequence % SLICE_RECORDS === 0) await setImmediate();
      const entry = damaged.has(sequence) ? undefined : intactRecord(table, [stream, sequence], this.#isSumless);
      if (!entry) {
        broken.push(sequence);
        continue;
      }
      origins.set(entry.origin, (origins.get(entry.origin) ?? 0) + 1);
      living.add(entry.entity);
    }
    // Nearly always there is one, and it tells which source may end the entity.
    const [origin] = [...origins].sort(([, left], [, right]) => right - left)[0] ?? [''];
    let entities = sequences.size;
    for (const sequence of broken) {
      const member = damaged.has(sequence) ? undefined : intactRecord(members, [stream, sequence], this.#isSumless);
      // Where its sequence number was changed, it is of another member, which may be a delete or no longer the newest one.
      const isNewest = member?.kind === 'upsert' && !living.has(member.entity);
      const entry = isNewest ? latestEntry(member, origin) : undefined;
      if (entry) living.add(entry.entity);
      else entities -= 1;
      this.#find({ what: 'latest', sequence, isRepaired: repair }, () => {
        if (entry) void table.put([stream, sequence], summed([stream, sequence], entry));
        else void table.remove([stream, sequence]);
      });
    }
    const isShort = head.entities !== undefined && head.entities !== sequences.size;
    if (isShort) this.#find({ what: 'latest', isRepaired: repair });
    return repair ? entities : sequences.size;
  }

  async #documents({ epoch }: StreamRecord, removals: Removals, damaged: ReadonlySet<number>): Promise<void> {
    const { path } = this.#options;
    const repair = this.#repair;
    for await (const file of damagedDocuments(path, this.#stream, epoch)) {
      if (repair) await rm(file);
      this.#find({ what: 'document', file, isRepaired: repair });
    }
    if (!repair || damaged.size === 0) return;
    // They say what the log says no more.
    const cache = await openDiskCache(path, this.#stream, epoch, removals);
    for (const sequence of damaged) await cache.erase({ first: sequence, last: sequence });
    await cache.close();
  }
}

// Without a fingerprint, so that the next state of its source replaces it.
function latestEntry({ entity, versionTime }: MemberRecord, origin: string): Omit<LatestEntry, 'sequence'> {
  return { entity, origin, fingerprint: '', ...(versionTime !== undefined && { versionTime }) };
}

/** @param timeMs - of a neighbour, so that it belongs to a commit that there was */
function droppedMember(stream: string, head: StreamRecord, sequence: number, timeMs: number): MemberRecord {
  const { publicUrl, epoch, sequencePath = formerSequencePath(publicUrl) } = head;
  const before = { cursor: { epoch, sequence: sequence - 1 }, timeMs: timeMs - 1 };
  const builder = new CommitBuilder(before, timeMs, sequencePath);
  const draft: DeleteDraft = { kind: 'delete', entity: `${publicUrl}${stream}#dropped-${sequence}`, origin: '' };
  return recordOf(entryMember(draft, builder.add(draft)), builder.time);
}

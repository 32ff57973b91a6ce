/* The newest state of what changed after a position of a log, for readers who lack too much to be sent each commit.
 *   Snapshots.after(40) -> { "after": 32, "to": 91, "length": 2, "lasts": [71, 91] }, part(0) -> EncodedCommit, part(1) …
 * A snapshot has its members by sequence, and so the end of one from an earlier position is the one from a later position:
 * readers at many positions share a few. Of each only the sequence numbers are kept; its parts are read from the log when
 * somebody comes so far, and the parts asked for last are remembered by bytes. */
import type { ReadableLog } from '@ldes-live/log';
import { type Cursor, isStreamError } from '@ldes-live/rdf-stream';
import { LRUCache } from 'lru-cache';
import type { MemberTexts } from '../documents/member-texts.ts';
import { type EncodedCommit, encodeInSlices, Turns, textBytes } from './encoded-commits.ts';
import type { ReplayMemory } from './replay-memory.ts';

/** Members in one part of a snapshot. */
const PART_MEMBERS = 250;

/** Members read from the log at a time. */
const READ_MEMBERS = 1000;

/** Text of parts that is kept for those who come to them later, bytes. */
const PART_BYTES = 32 * 1024 * 1024;

/** Snapshots that are looked up for those who ask a little later. */
const MAX_GIVEN = 100;

/** How many members may have followed a snapshot that is given again: they are sent after it. */
const LATER_MEMBERS = 250;

/** As a part of what a reader lacks: who lacks much is given an older one too. */
const LATER_SHARE = 0.25;

/** The newest state of what changed between two positions, in parts. */
export interface Snapshot {
  /** It has what changed after this sequence number. */
  readonly after: number;
  /** The head that it is as of. */
  readonly to: number;
  /** How many parts; 0 where nothing changed. */
  readonly length: number;
  /** Sequence number of the last member of each part; absent where that is known only of those that have come. */
  readonly lasts?: readonly number[];
  /**
   * A part, in order of sequence; the last has the cursor of `to` as its id.
   *
   * @param replays - what is waited for before the log is read
   */
  part(index: number, replays?: ReplayMemory): Promise<EncodedCommit>;
}

/** Where the push of one stream takes its snapshots from. */
export type SnapshotSource = Pick<Snapshots, 'after'>;

interface Making {
  from: number;
  /** The head when it began; infinite while it has not. */
  to: number;
  readonly snapshot: Promise<Snapshot>;
}

/** The snapshots of a log, which their readers share. One is made at a time; those who have to wait share the next. */
export class Snapshots {
  readonly #log: ReadableLog;
  readonly #texts: MemberTexts;
  #making: Making[] = [];
  readonly #makingTurns = new Turns();
  // For those who are given one at the time; what nobody reads any more is not kept.
  #given: WeakRef<Snapshot>[] = [];
  #made = 0;
  readonly #parts: LRUCache<string, EncodedCommit, () => Promise<EncodedCommit>>;
  readonly #partTurns = new Turns();

  /** @param limitBytes - how much text of parts to keep, bytes */
  constructor(log: ReadableLog, texts: MemberTexts, limitBytes = PART_BYTES) {
    this.#log = log;
    this.#texts = texts;
    this.#parts = new LRUCache({
      maxSize: limitBytes,
      sizeCalculation: textBytes,
      fetchMethod: (_key, _stale, { context: read }) => this.#partTurns.take(read),
      // A part that others push out while it is read is still given to those who wait for it.
      ignoreFetchAbort: true,
    });
  }

  /**
   * The newest state of what changed after a position, up to some head not long ago: each entity once. It may begin with
   * entities that changed last at the position or before it, since it is shared: these are to be left out.
   *
   * @param position - 0 for the whole state, which is the living entities; else entities that ended since are in it too
   * @throws {@link StreamError} `ERR_MEMBERS_REMOVED` - it cannot be made any more
   */
  async after(position: number): Promise<Snapshot> {
    for (const given of this.#given) {
      const snapshot = given.deref();
      if (snapshot && this.#serves(snapshot.after, snapshot.to, position)) return snapshot;
    }
    let making = this.#making.find(({ from, to }) => this.#serves(from, to, position));
    if (!making) {
      const isWhole = position === 0;
      making = this.#making.find(({ from, to }) => to === Number.POSITIVE_INFINITY && (from === 0) === isWhole);
      making ??= this.#queue(position);
      making.from = Math.min(making.from, this.#roundedDown(position));
    }
    const { heldFrom } = this.#log;
    try {
      return await making.snapshot;
    } catch (error) {
      // What others asked for may have been erased, and what this one asks for not.
      const hasMoved = this.#log.heldFrom > heldFrom && this.#log.heldFrom <= position + 1;
      if (!hasMoved || !isStreamError(error, 'ERR_MEMBERS_REMOVED')) throw error;
      return this.after(position);
    }
  }

  #queue(from: number): Making {
    const make = async () => {
      making.to = this.#log.head.cursor.sequence;
      const snapshot = await this.#make(making.from, this.#log.head.cursor);
      this.#given = [new WeakRef(snapshot), ...this.#given.filter((given) => given.deref())].slice(0, MAX_GIVEN);
      return snapshot;
    };
    const snapshot = this.#makingTurns.take(make).finally(() => {
      this.#making = this.#making.filter((each) => each !== making);
    });
    const making: Making = { from, to: Number.POSITIVE_INFINITY, snapshot };
    this.#making.push(making);
    return making;
  }

  #serves(from: number, to: number, position: number): boolean {
    // The whole state has nothing of what has ended, and one that ends no later leads nowhere.
    if (from > position || (from === 0) !== (position === 0) || to <= position) return false;
    if (to === Number.POSITIVE_INFINITY) return true;
    const { sequence } = this.#log.head.cursor;
    const share = position === 0 ? 0 : LATER_SHARE * (sequence - position);
    return sequence - to <= Math.max(LATER_MEMBERS, share);
  }

  /** So that it serves those a little further behind too: back to at most twice as much, as far as that is held. */
  #roundedDown(position: number): number {
    if (position === 0) return 0;
    const { sequence } = this.#log.head.cursor;
    const back = 2 ** Math.ceil(Math.log2(Math.max(1, sequence - position)));
    return Math.min(position, Math.max(1, this.#log.heldFrom - 1, sequence - back));
  }

  async #make(after: number, head: Cursor): Promise<Snapshot> {
    // In one tick with the head, so the snapshot is as of it.
    const sequences = after === 0 ? this.#log.latest.sequences() : await this.#changedAfter(after, head.sequence);
    const length = Math.ceil(sequences.length / PART_MEMBERS);
    const lastOf = (index: number) => Math.min((index + 1) * PART_MEMBERS, sequences.length) - 1;
    this.#made += 1;
    const number = this.#made;
    const read = async (index: number, replays?: ReplayMemory) => {
      await replays?.room();
      // Replaced and erased since, one of them is said to be gone.
      const members = await this.#log.readMembers(sequences.slice(index * PART_MEMBERS, lastOf(index) + 1));
      return encodeInSlices(this.#texts, members, index === length - 1 ? head : undefined);
    };
    return {
      after,
      to: head.sequence,
      length,
      lasts: Array.from({ length }, (_, index) => sequences[lastOf(index)] as number),
      part: (index, replays) =>
        this.#parts.fetch(`${number}/${index}`, { context: () => read(index, replays) }) as Promise<EncodedCommit>,
    };
  }

  /** The newest versions that came after a position, and the ends of what has not begun anew. */
  async #changedAfter(after: number, to: number): Promise<number[]> {
    const changed = this.#log.latest.sequences().filter((sequence) => sequence > after);
    const ended = new Map<string, number>();
    let position = after;
    while (position < to) {
      const read = await this.#log.read(position, Math.min(READ_MEMBERS, to - position));
      if (read.length === 0) break;
      for (const { entity, kind, sequence } of read) {
        if (kind === 'delete') ended.set(entity, sequence);
        else ended.delete(entity);
      }
      position += read.length;
    }
    return [...changed, ...ended.values()].sort((left, right) => left - right);
  }
}

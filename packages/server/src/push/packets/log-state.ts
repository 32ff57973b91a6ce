import type { ReadableLog } from '@ldes-live/log';
import type { Cursor } from '@ldes-live/rdf-stream';
import { PacketMaker, type PacketWriting } from './packet-of.ts';
import type { State } from './packet-source.ts';
import { PartMemory } from './part-memory.ts';
import { SharedStates } from './shared-states.ts';

/** Members in one part of a state. */
const PART_MEMBERS = 250;

/** Members read from the log at a time. */
const READ_MEMBERS = 1000;

/** Text of parts that is kept for those who come to them later, bytes. */
const PART_BYTES = 32 * 1024 * 1024;

/**
 * The newest state of what changed after a position of a log. Readers at many positions share a few states; of each only
 * the sequence numbers are kept, and its parts are read from the log when somebody comes so far.
 *
 * @see specs/push.md PUSH-60
 */
export class LogState {
  readonly #log: ReadableLog;
  readonly #packets: PacketMaker;
  readonly #parts: PartMemory;
  readonly #shared: SharedStates;
  #made = 0;

  /** @param limitBytes - how much text of parts to keep, bytes */
  constructor(log: ReadableLog, writing: PacketWriting, limitBytes = PART_BYTES) {
    this.#log = log;
    this.#packets = new PacketMaker(log, writing);
    this.#parts = new PartMemory(limitBytes);
    this.#shared = new SharedStates({
      get head() {
        return log.head.cursor;
      },
      get heldFrom() {
        return log.heldFrom;
      },
    });
  }

  /**
   * What changed after a position, and maybe more, by sequence before it.
   *
   * @throws {@link StreamError} `ERR_MEMBERS_REMOVED` - it cannot be told any more
   */
  after(position: number): Promise<State> {
    return this.#shared.after(position, (from) => this.#make(from, this.#log.head.cursor));
  }

  async #make(after: number, head: Cursor): Promise<State> {
    // In one tick with the head, so the state is as of it.
    const sequences = after === 0 ? this.#log.latest.sequences() : await this.#changedAfter(after, head.sequence);
    const length = Math.ceil(sequences.length / PART_MEMBERS);
    const partAt = (index: number) => ({ start: index * PART_MEMBERS, end: (index + 1) * PART_MEMBERS });
    this.#made += 1;
    const number = this.#made;
    return {
      after,
      to: head.sequence,
      length,
      lasts: Array.from(
        { length },
        (_, index) => sequences[Math.min(partAt(index).end, sequences.length) - 1] as number,
      ),
      part: (index) =>
        this.#parts.part(`${number}/${index}`, async () => {
          const { start, end } = partAt(index);
          // Replaced and erased since, one of them is told to be gone.
          const members = await this.#log.readMembers(sequences.slice(start, end));
          return this.#packets.inSlices(members, index === length - 1 ? head : undefined);
        }),
    };
  }

  /** Sequence numbers of the newest versions that came after a position, and of the ends of what has not begun anew. */
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

import type { StreamLog } from '@ldes-live/log';
import type { Cursor, Member } from '@ldes-live/rdf-stream';
import { type PacketWriting, packetOf } from './packet-of.ts';
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
  readonly #log: StreamLog;
  readonly #writing: PacketWriting;
  readonly #parts: PartMemory;
  readonly #shared: SharedStates;
  #made = 0;

  /** @param limitBytes - how much text of parts to keep, bytes */
  constructor(log: StreamLog, writing: PacketWriting, limitBytes = PART_BYTES) {
    this.#log = log;
    this.#writing = writing;
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
    // Living entities are read in one tick with the head, so the state is as of it.
    const newest =
      after === 0 ? byEntity(await this.#log.latestMembers()) : await this.#changedAfter(after, head.sequence);
    const sequences = [...newest.values()];
    // Of those that live the newest versions outlast what retention erases.
    const entities = after === 0 ? [...newest.keys()] : undefined;
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
          const members = await this.#read(sequences.slice(start, end), entities?.slice(start, end));
          return packetOf(members, index === length - 1 ? head : undefined, this.#writing);
        }),
    };
  }

  /** The sequence number of the newest version of each entity that changed, ends included, in sequence. */
  async #changedAfter(after: number, to: number): Promise<ReadonlyMap<string, number>> {
    const newest = new Map<string, number>();
    let position = after;
    while (position < to) {
      const read = await this.#log.members(position, Math.min(READ_MEMBERS, to - position));
      if (read.length === 0) break;
      for (const { entity, sequence } of read) {
        // Put in anew, so that the order is that of the newest versions.
        newest.delete(entity);
        newest.set(entity, sequence);
      }
      position += read.length;
    }
    return newest;
  }

  /** @param entities - of each, where it lives and is not to be found by sequence for ever */
  async #read(sequences: readonly number[], entities: readonly string[] | undefined): Promise<readonly Member[]> {
    const members: Member[] = [];
    for (let index = 0; index < sequences.length; ) {
      const first = sequences[index] as number;
      let count = 1;
      while (sequences[index + count] === first + count) count += 1;
      const entity = first < this.#log.heldFrom ? entities?.[index] : undefined;
      const newest = entity === undefined ? undefined : await this.#log.latestMember(entity);
      // Replaced and erased since, it is told to be gone.
      const isThere = newest?.sequence === first;
      const read = isThere ? [newest] : await this.#log.members(first - 1, entity === undefined ? count : 1);
      members.push(...read);
      index += read.length;
    }
    return members;
  }
}

function byEntity(members: readonly Member[]): ReadonlyMap<string, number> {
  return new Map(members.map(({ entity, sequence }) => [entity, sequence]));
}

import type { StreamLog } from '@ldes-live/log';
import type { Cursor, Member } from '@ldes-live/rdf-stream';
import type { Packet } from './packet.ts';
import { type PacketWriting, packetOf } from './packet-of.ts';
import type { State } from './packet-source.ts';
import { SharedStates } from './shared-states.ts';

/** Members in one part of a state. */
const PART_MEMBERS = 250;

/** Members read from the log at a time. */
const READ_MEMBERS = 1000;

/**
 * The newest state of what changed after a position of a log. Those who ask at about the same time get the same one, in
 * parts that are written when the first of them comes so far.
 *
 * @see specs/push.md PUSH-60
 */
export class LogState {
  readonly #log: StreamLog;
  readonly #writing: PacketWriting;
  readonly #shared = new SharedStates();

  constructor(log: StreamLog, writing: PacketWriting) {
    this.#log = log;
    this.#writing = writing;
  }

  /** @throws {@link StreamError} `ERR_MEMBERS_REMOVED` - it cannot be told any more */
  after(position: number): Promise<State> {
    const head = this.#log.head.cursor;
    return this.#shared.after(position, head.sequence, () => this.#make(position, head));
  }

  async #make(after: number, head: Cursor): Promise<State> {
    // Living entities are read in one tick with the head, so the state is as of it.
    const members = after === 0 ? await this.#log.latestMembers() : await this.#changedAfter(after, head.sequence);
    const parts: (Promise<Packet> | undefined)[] = [];
    const length = Math.ceil(members.length / PART_MEMBERS);
    return {
      after,
      to: head.sequence,
      length,
      part: (index) => {
        parts[index] ??= (async () => {
          const part = members.slice(index * PART_MEMBERS, (index + 1) * PART_MEMBERS);
          return packetOf(part, index === length - 1 ? head : undefined, this.#writing);
        })();
        return parts[index];
      },
    };
  }

  /** The newest version of each entity that changed, ends included, in sequence. */
  async #changedAfter(after: number, to: number): Promise<readonly Member[]> {
    const newest = new Map<string, Member>();
    let position = after;
    while (position < to) {
      const read = await this.#log.members(position, Math.min(READ_MEMBERS, to - position));
      if (read.length === 0) break;
      for (const member of read) {
        // Put in anew, so that the order is that of the newest versions.
        newest.delete(member.entity);
        newest.set(member.entity, member);
      }
      position += read.length;
    }
    return [...newest.values()];
  }
}

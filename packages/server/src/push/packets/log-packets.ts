import type { ReadableLog } from '@ldes-live/log';
import type { Commit, Cursor, Member } from '@ldes-live/rdf-stream';
import { commitsOf } from './commits-of.ts';
import { LogState } from './log-state.ts';
import type { Packet } from './packet.ts';
import { PacketMemory } from './packet-memory.ts';
import { type PacketWriting, packetOf } from './packet-of.ts';
import type { PacketSource, State } from './packet-source.ts';
import { SharedReads } from './shared-reads.ts';

/** Members read from the log at a time. */
const READ_MEMBERS = 1000;

/** The packets of a log in this process. */
export class LogPackets implements PacketSource {
  readonly #log: ReadableLog;
  readonly #writing: PacketWriting;
  readonly #memory: PacketMemory;
  readonly #listeners = new Set<(packet: Packet) => void>();
  readonly #reads: SharedReads;
  readonly #states: LogState;
  readonly #unsubscribe: () => void;

  /** @param limitBytes - how much text of packets to remember, bytes */
  constructor(log: ReadableLog, writing: PacketWriting, limitBytes: number) {
    this.#log = log;
    this.#writing = writing;
    this.#memory = new PacketMemory(limitBytes);
    this.#reads = new SharedReads(this.#memory, (after) => this.#readLog(after));
    this.#states = new LogState(log, writing);
    this.#unsubscribe = log.subscribe((commit) => {
      // Nobody to push to: who comes later reads it from the log.
      if (this.#listeners.size === 0) return;
      const packet = this.#packetOf(commit);
      this.#memory.append(packet);
      for (const listener of this.#listeners) listener(packet);
    });
  }

  get head(): Cursor {
    return this.#log.head.cursor;
  }

  get heldFrom(): number {
    return this.#log.heldFrom;
  }

  subscribe(listener: (packet: Packet) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  read(after: number): readonly Packet[] | Promise<readonly Packet[]> {
    return this.#reads.after(after);
  }

  bytesAfter(position: number): number | undefined {
    return this.#memory.bytesAfter(position);
  }

  state(after: number): Promise<State> {
    return this.#states.after(after);
  }

  close(): void {
    this.#unsubscribe();
    this.#listeners.clear();
  }

  /** A commit is given whole even where it is larger than one read; memory holds one read and one commit. */
  async #readLog(after: number): Promise<readonly Packet[]> {
    let members: readonly Member[] = [];
    for (;;) {
      const read = await this.#log.read(after + members.length, READ_MEMBERS);
      // Never, by what a log promises; but to go on asking would be a loop without an end or a wait.
      if (read.length === 0) throw new RangeError('the log gives no members before its head');
      members = [...members, ...read];
      const commits = commitsOf(members, this.head.epoch);
      // The read may have cut the last commit; at the head it cannot have.
      const isWhole = (members.at(-1) as Member).sequence >= this.head.sequence;
      const whole = isWhole ? commits : commits.slice(0, -1);
      if (whole.length > 0) return whole.map((commit) => this.#packetOf(commit));
    }
  }

  #packetOf({ members, cursor }: Commit): Packet {
    return packetOf(members, cursor, this.#writing);
  }
}

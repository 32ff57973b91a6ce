import type { ReadableLog } from '@ldes-live/log';
import { type Commit, type Cursor, isStreamError, type Member } from '@ldes-live/rdf-stream';
import { MemberTexts } from '../../documents/member-texts.ts';
import { commitsOf } from './commits-of.ts';
import { LogState } from './log-state.ts';
import type { Packet } from './packet.ts';
import { PacketMemory } from './packet-memory.ts';
import { PacketMaker, type PacketWriting } from './packet-of.ts';
import type { PacketSource, State } from './packet-source.ts';
import { SharedReads } from './shared-reads.ts';

/** Members read from the log at a time. */
const READ_MEMBERS = 1000;

/** The packets of a log in this process. */
export class LogPackets implements PacketSource {
  readonly #log: ReadableLog;
  readonly #packets: PacketMaker;
  readonly #memory: PacketMemory;
  readonly #listeners = new Set<(packet: Packet) => void>();
  readonly #reads: SharedReads;
  readonly #states: LogState;
  readonly #unsubscribe: () => void;
  #sending: Promise<void> | undefined;
  #sent: Cursor | undefined;

  /** @param limitBytes - how much text of packets to remember, bytes */
  constructor(log: ReadableLog, writing: PacketWriting, limitBytes: number) {
    this.#log = log;
    const texts = writing.texts ?? new MemberTexts(log, writing);
    this.#packets = new PacketMaker(log, { ...writing, texts });
    this.#memory = new PacketMemory(limitBytes);
    this.#reads = new SharedReads(this.#memory, (after) => this.#readLog(after));
    this.#states = new LogState(log, { ...writing, texts });
    this.#unsubscribe = log.subscribe((commit) => {
      // Nobody to push to: who comes later reads it from the log.
      if (this.#listeners.size === 0) return;
      if (this.#sending) return;
      const packet = this.#packets.atOnce(commit.members, commit.cursor);
      if (packet) this.#send(packet);
      else this.#sending = this.#sendInSlices(commit);
    });
  }

  /** While a large commit is written, the end of the one before it. */
  get head(): Cursor {
    return this.#sent ?? this.#log.head.cursor;
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

  /** Who has read a document may know of a commit before it was sent. */
  caughtUp(): Promise<void> {
    return this.#sending ?? Promise.resolve();
  }

  close(): void {
    this.#unsubscribe();
    this.#listeners.clear();
  }

  #send(packet: Packet): void {
    this.#memory.append(packet);
    for (const listener of this.#listeners) listener(packet);
  }

  /** Sends a commit that takes long to write, and those that come meanwhile: of these nothing waits in memory. */
  async #sendInSlices(commit: Commit): Promise<void> {
    const { epoch, sequence } = commit.cursor;
    this.#sent = { epoch, sequence: sequence - commit.members.length };
    try {
      let packets: readonly Packet[] = [await this.#packets.inSlices(commit.members, commit.cursor)];
      for (;;) {
        for (const packet of packets) {
          this.#sent = { epoch, sequence: packet.last };
          this.#send(packet);
        }
        const { sequence: sent } = this.#sent;
        if (this.#listeners.size === 0 || sent >= this.#log.head.cursor.sequence) break;
        packets = await this.#readLog(sent);
      }
    } catch (error) {
      // On a server that stops there is nobody left. Any other fault ends the process, as a fault of a listener does: readers
      // resume after what they have, where those who stayed would lack a commit.
      if (!isStreamError(error, 'ERR_LOG_CLOSED')) throw error;
    } finally {
      this.#sending = undefined;
      this.#sent = undefined;
    }
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
      const isWhole = (members.at(-1) as Member).sequence >= this.#log.head.cursor.sequence;
      const whole = isWhole ? commits : commits.slice(0, -1);
      if (whole.length === 0) continue;
      const packets: Packet[] = [];
      for (const { members: own, cursor } of whole) packets.push(await this.#packets.inSlices(own, cursor));
      return packets;
    }
  }
}

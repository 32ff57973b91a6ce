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

interface Listener {
  readonly take: (packet: Packet) => void;
  readonly onFault: ((error: unknown) => void) | undefined;
}

/** The packets of a log in this process. */
export class LogPackets implements PacketSource {
  readonly #log: ReadableLog;
  readonly #packets: PacketMaker;
  readonly #memory: PacketMemory;
  // Objects, so that a function that subscribes twice is called twice.
  readonly #listeners = new Set<Listener>();
  readonly #reads: SharedReads;
  readonly #states: LogState;
  readonly #unsubscribe: () => void;
  /** How far a large commit, and what came since it began to be written, were sent. */
  #sent: Cursor | undefined;
  /** Those who wait for a commit to be sent. */
  readonly #waiting = new Set<{ readonly sequence: number; readonly resolve: () => void }>();

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
      if (this.#sent) return;
      const packet = this.#packets.atOnce(commit.members, commit.cursor);
      if (packet) this.#send(packet);
      else void this.#sendInSlices(commit);
    });
  }

  /** While a large commit is written, the end of the one before it. */
  get head(): Cursor {
    return this.#sent ?? this.#log.head.cursor;
  }

  get published(): Cursor {
    return this.#log.head.cursor;
  }

  get heldFrom(): number {
    return this.#log.heldFrom;
  }

  subscribe(take: (packet: Packet) => void, onFault?: (error: unknown) => void): () => void {
    const listener = { take, onFault };
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

  /** Who has read a document may know of a commit before it was sent. For those that came after it nobody waits. */
  async caughtUp(): Promise<void> {
    const { sequence } = this.#log.head.cursor;
    if (this.head.sequence >= sequence) return;
    await new Promise<void>((resolve) => this.#waiting.add({ sequence, resolve }));
  }

  close(): void {
    this.#unsubscribe();
    this.#listeners.clear();
  }

  #send(packet: Packet): void {
    this.#memory.append(packet);
    for (const { take } of this.#listeners) take(packet);
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
          this.#resolveWaiting();
        }
        const { sequence: sent } = this.#sent;
        if (this.#listeners.size === 0 || sent >= this.#log.head.cursor.sequence) break;
        packets = await this.#readLog(sent);
      }
    } catch (error) {
      // On a server that stops there is nobody left.
      if (isStreamError(error, 'ERR_LOG_CLOSED')) return;
      this.#sent = undefined;
      for (const { onFault } of this.#listeners) onFault?.(error);
    } finally {
      this.#sent = undefined;
      this.#resolveWaiting();
    }
  }

  #resolveWaiting(): void {
    const { sequence } = this.head;
    for (const waiting of this.#waiting) {
      if (waiting.sequence > sequence) continue;
      this.#waiting.delete(waiting);
      waiting.resolve();
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

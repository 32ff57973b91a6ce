import type { Cursor } from '@ldes-live/rdf-stream';
import type { Packet } from '../push/packets/packet.ts';
import { PacketMemory } from '../push/packets/packet-memory.ts';
import type { PacketSource, State } from '../push/packets/packet-source.ts';
import { SharedReads } from '../push/packets/shared-reads.ts';
import { SharedStates } from '../push/packets/shared-states.ts';
import type { WorkerStream } from './worker-messages.ts';

/** Where {@link RemotePackets} asks for what it does not remember. */
export interface PacketOwner {
  /** As {@link PacketSource.read}, of a stream. */
  read(stream: string, after: number): Promise<readonly Packet[]>;
  /** As {@link PacketSource.state}, of a stream. */
  state(stream: string, after: number): Promise<State>;
  /** Resolves once what the owner had told when it was asked has come, or it is gone. */
  caughtUp(): Promise<void>;
}

/**
 * The packets of a log in another process: that process tells each commit, and is asked for what came before.
 *
 * @see specs/push.md PUSH-46, PUSH-47
 */
export class RemotePackets implements PacketSource {
  head: Cursor;
  heldFrom: number;
  readonly #owner: PacketOwner;
  readonly #stream: string;
  readonly #memory: PacketMemory;
  readonly #listeners = new Set<(packet: Packet) => void>();
  readonly #reads: SharedReads;
  readonly #states = new SharedStates(this);

  /** @param limitBytes - how much text of packets to remember, bytes */
  constructor(owner: PacketOwner, { description, head, heldFrom }: WorkerStream, limitBytes: number) {
    this.#owner = owner;
    this.#stream = description.name;
    this.head = head;
    this.heldFrom = heldFrom;
    this.#memory = new PacketMemory(limitBytes);
    this.#reads = new SharedReads(this.#memory, (after) => owner.read(description.name, after));
  }

  /** Takes the next commit, which the owner tells. */
  take(packet: Packet, heldFrom: number): void {
    this.head = { epoch: this.head.epoch, sequence: packet.last };
    this.heldFrom = heldFrom;
    this.#memory.append(packet);
    for (const listener of this.#listeners) listener(packet);
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
    return this.#states.after(after, (from) => this.#owner.state(this.#stream, from));
  }

  caughtUp(): Promise<void> {
    return this.#owner.caughtUp();
  }

  close(): void {
    this.#listeners.clear();
  }
}

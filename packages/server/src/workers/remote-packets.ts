import type { Cursor } from '@ldes-live/rdf-stream';
import type { Packet } from '../push/packet.ts';
import { PacketMemory } from '../push/packet-memory.ts';
import type { PacketSource, State } from '../push/packet-source.ts';
import { SharedStates } from '../push/shared-states.ts';
import type { WorkerStream } from './worker-messages.ts';

/** Packets given at a time of what is remembered. */
const MOST_REMEMBERED = 100;

/** Where {@link RemotePackets} asks for what it does not remember. */
export interface PacketOwner {
  /** As {@link PacketSource.read}, of a stream. */
  read(stream: string, after: number): Promise<readonly Packet[]>;
  /** As {@link PacketSource.state}, of a stream. */
  state(stream: string, after: number): Promise<State>;
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
  readonly #reads = new Map<number, Promise<readonly Packet[]>>();
  readonly #states = new SharedStates();

  /** @param limitBytes - how much text of packets to remember, bytes */
  constructor(owner: PacketOwner, { description, head, heldFrom }: WorkerStream, limitBytes: number) {
    this.#owner = owner;
    this.#stream = description.name;
    this.head = head;
    this.heldFrom = heldFrom;
    this.#memory = new PacketMemory(limitBytes);
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
    const remembered = this.#memory.following(after, MOST_REMEMBERED);
    if (remembered.length > 0) return remembered;
    // Those who ask for the same at the same time share one answer, as readers do that were cut together.
    let read = this.#reads.get(after);
    if (!read) {
      read = this.#owner
        .read(this.#stream, after)
        .then((packets) => packets.map((packet) => this.#memory.keep(packet)))
        .finally(() => this.#reads.delete(after));
      this.#reads.set(after, read);
    }
    return read;
  }

  bytesAfter(position: number): number | undefined {
    return this.#memory.bytesAfter(position);
  }

  state(after: number): Promise<State> {
    return this.#states.after(after, this.head.sequence, () => this.#owner.state(this.#stream, after));
  }

  close(): void {
    this.#listeners.clear();
  }
}

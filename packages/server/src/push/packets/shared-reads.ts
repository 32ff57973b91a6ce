import type { Packet } from './packet.ts';
import type { PacketMemory } from './packet-memory.ts';

/** Packets given at a time of what is remembered. */
const MOST_REMEMBERED = 100;

/**
 * What is remembered of a stream, and the rest read: those who ask for the same at the same time share one read, as
 * readers do that were cut together.
 */
export class SharedReads {
  readonly #memory: PacketMemory;
  readonly #read: (after: number) => Promise<readonly Packet[]>;
  readonly #reading = new Map<number, Promise<readonly Packet[]>>();

  /** @param read - reads what is not remembered, see `PacketSource.read` */
  constructor(memory: PacketMemory, read: (after: number) => Promise<readonly Packet[]>) {
    this.#memory = memory;
    this.#read = read;
  }

  /** @throws what reading does */
  after(position: number): readonly Packet[] | Promise<readonly Packet[]> {
    const remembered = this.#memory.following(position, MOST_REMEMBERED);
    if (remembered.length > 0) return remembered;
    let reading = this.#reading.get(position);
    if (!reading) {
      reading = this.#read(position)
        .then((packets) => packets.map((packet) => this.#memory.keep(packet)))
        .finally(() => this.#reading.delete(position));
      this.#reading.set(position, reading);
    }
    return reading;
  }
}

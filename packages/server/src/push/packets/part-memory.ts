import type { Packet } from './packet.ts';
import { packetBytes } from './packet-memory.ts';

/** The parts of states that were asked for last, within a limit: those that are asked for again are made again. */
export class PartMemory {
  readonly #limitBytes: number;
  readonly #kept = new Map<string, Packet>();
  readonly #making = new Map<string, Promise<Packet>>();
  #bytes = 0;

  /** @param limitBytes - how much text to keep, bytes; one part is kept however large it is */
  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /**
   * The part of a name, made where it is not kept; those who ask meanwhile share it.
   *
   * @throws what making it does
   */
  part(name: string, make: () => Promise<Packet>): Promise<Packet> {
    const kept = this.#kept.get(name);
    if (kept) {
      // Put in anew, so that those that were asked for last are kept longest.
      this.#kept.delete(name);
      this.#kept.set(name, kept);
      return Promise.resolve(kept);
    }
    let making = this.#making.get(name);
    if (!making) {
      making = make()
        .then((packet) => this.#keep(name, packet))
        .finally(() => this.#making.delete(name));
      this.#making.set(name, making);
    }
    return making;
  }

  #keep(name: string, packet: Packet): Packet {
    this.#kept.set(name, packet);
    this.#bytes += packetBytes(packet);
    for (const [oldest, part] of this.#kept) {
      if (this.#bytes <= this.#limitBytes || oldest === name) break;
      this.#kept.delete(oldest);
      this.#bytes -= packetBytes(part);
    }
    return packet;
  }
}

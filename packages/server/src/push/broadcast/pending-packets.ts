import type { Packet } from '../packets/packet.ts';
import { packetBytes } from '../packets/packet-memory.ts';

/** A packet that has not been sent. */
export interface PendingPacket {
  readonly packet: Packet;
  readonly bytes: number;
  /** When it came, milliseconds. */
  readonly sinceMs: number;
}

/** The packets of a stream that have not been sent, in order. */
export class PendingPackets {
  readonly #packets: PendingPacket[] = [];
  #bytes = 0;

  /** How many there are. */
  get size(): number {
    return this.#packets.length;
  }

  /** Their text, bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  add(packet: Packet, sinceMs: number): void {
    const bytes = packetBytes(packet);
    this.#packets.push({ packet, bytes, sinceMs });
    this.#bytes += bytes;
  }

  /**
   * Takes the first ones out.
   *
   * @param mostBytes - how much text that may be; one packet is taken however large it is
   */
  take(mostBytes: number): readonly PendingPacket[] {
    let count = 0;
    let bytes = 0;
    for (const pending of this.#packets) {
      if (count > 0 && bytes + pending.bytes > mostBytes) break;
      bytes += pending.bytes;
      count += 1;
    }
    this.#bytes -= bytes;
    return this.#packets.splice(0, count);
  }

  clear(): void {
    this.#packets.length = 0;
    this.#bytes = 0;
  }
}

import type { Packet } from '../packets/packet.ts';
import { bytesOf, eventOf } from '../wire/packet-bytes.ts';
import { onWire, type Wire } from '../wire/wire.ts';

/** Consecutive packets that go out in one write. */
export class PacketBatch {
  readonly packets: readonly Packet[];
  /** Sequence number of the member before the first. */
  readonly after: number;
  /** Sequence number of the last member. */
  readonly last: number;
  readonly #byWire: Buffer[] = [];
  #events: Uint8Array | undefined;

  /** @param packets - at least one */
  constructor(packets: readonly Packet[]) {
    this.packets = packets;
    this.after = (packets[0] as Packet).after;
    this.last = (packets.at(-1) as Packet).last;
  }

  /** The events, one after the other. */
  get events(): Uint8Array {
    this.#events ??=
      this.packets.length === 1
        ? eventOf(this.packets[0] as Packet)
        : Buffer.concat(this.packets.map((packet) => eventOf(packet)));
    return this.#events;
  }

  /** The events as they go over a kind of connection. */
  bytes(wire: Wire): Buffer {
    this.#byWire[wire.index] ??=
      this.packets.length === 1 ? bytesOf(this.packets[0] as Packet, wire) : onWire(this.events, wire, true);
    return this.#byWire[wire.index] as Buffer;
  }

  /** The events after a position within the batch, for who came in between. */
  bytesAfter(position: number, wire: Wire): Buffer {
    return Buffer.concat(this.packetsAfter(position).map((packet) => bytesOf(packet, wire)));
  }

  /** The packets after a position within the batch. */
  packetsAfter(position: number): readonly Packet[] {
    return this.packets.filter(({ after }) => after >= position);
  }
}

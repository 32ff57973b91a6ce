import type { Packet } from './packet.ts';

/** A packet that is remembered. */
interface Kept {
  readonly packet: Packet;
  readonly bytes: number;
}

/**
 * The packets that were published or asked for last: a commit is encoded once, however many readers are pushed it, and
 * however many come back at the same time and lack it.
 *
 * @see specs/push.md PUSH-3
 */
export class PacketMemory {
  readonly #limitBytes: number;
  readonly #kept = new Map<number, Kept>();
  /**
   * Bytes of all commits that were appended before one, by its first member. Not with the packets, since what is read
   * from the log for some takes the place of these, and must not make others seem to be further behind than they are.
   */
  readonly #before = new Map<number, number>();
  #bytes = 0;
  #appendedBytes = 0;
  #newest: number | undefined;

  /** @param limitBytes - how much text to keep, bytes; one packet is kept however large it is */
  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Takes the packet of a new commit. */
  append(packet: Packet): void {
    const bytes = packetBytes(packet);
    this.#before.set(packet.after + 1, this.#appendedBytes);
    this.#appendedBytes += bytes;
    this.#newest = packet.last;
    for (const [first, before] of this.#before) {
      if (this.#appendedBytes - before <= this.#limitBytes || first === packet.after + 1) break;
      this.#before.delete(first);
    }
    this.#put({ packet, bytes });
  }

  /** Takes a packet that was read from the log; the one that is remembered already where there is one. */
  keep(packet: Packet): Packet {
    const known = this.#kept.get(packet.after + 1)?.packet;
    if (known) return known;
    this.#put({ packet, bytes: packetBytes(packet) });
    return packet;
  }

  /** The packet that begins with a member. */
  startingAt(sequence: number): Packet | undefined {
    return this.#kept.get(sequence)?.packet;
  }

  /** The packets that follow a position without gaps, at most so many; none where the first is not remembered. */
  following(position: number, most: number): readonly Packet[] {
    const packets: Packet[] = [];
    let next = this.startingAt(position + 1);
    while (next && packets.length < most) {
      packets.push(next);
      next = this.startingAt(next.last + 1);
    }
    return packets;
  }

  /** Bytes from a position to the newest commit, as far back as the limit on bytes; else `undefined`. */
  bytesAfter(position: number): number | undefined {
    if (position === this.#newest) return 0;
    const before = this.#before.get(position + 1);
    return before === undefined ? undefined : this.#appendedBytes - before;
  }

  #put(kept: Kept): void {
    const first = kept.packet.after + 1;
    const replaced = this.#kept.get(first);
    if (replaced) {
      this.#kept.delete(first);
      this.#bytes -= replaced.bytes;
    }
    this.#kept.set(first, kept);
    this.#bytes += kept.bytes;
    for (const [oldestFirst, oldest] of this.#kept) {
      if (this.#bytes <= this.#limitBytes || oldest === kept) break;
      this.#kept.delete(oldestFirst);
      this.#bytes -= oldest.bytes;
    }
  }
}

/** About what a packet takes as an event: its text is nearly all ASCII. */
export function packetBytes({ pieces }: Packet): number {
  let bytes = pieces.context.length + pieces.stream.length;
  for (const { node, others } of pieces.members) bytes += node.length + others.length;
  return bytes;
}

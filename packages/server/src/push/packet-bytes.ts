import { updateEvent } from '@ldes-live/codec';
import type { Packet } from './packet.ts';
import { onWire, type Wire } from './wire.ts';

interface Made {
  event?: Uint8Array;
  readonly byWire: Buffer[];
}

const made = new WeakMap<Packet, Map<string, Made>>();

/**
 * The event of a packet, or of some members of it, as it goes over a kind of connection. Made once for all connections.
 *
 * @param chosen - indices of members, at least one; all when absent
 * @see specs/push.md PUSH-3
 */
export function bytesOf(packet: Packet, wire: Wire, chosen?: readonly number[]): Buffer {
  const parts = partsOf(packet, chosen);
  parts.byWire[wire.index] ??= onWire(eventOf(packet, chosen), wire, true);
  return parts.byWire[wire.index] as Buffer;
}

/** The event of a packet, or of some members of it. */
export function eventOf(packet: Packet, chosen?: readonly number[]): Uint8Array {
  const parts = partsOf(packet, chosen);
  parts.event ??= updateEvent(packet.pieces, packet.id, chosen);
  return parts.event;
}

function partsOf(packet: Packet, chosen: readonly number[] | undefined): Made {
  let all = made.get(packet);
  if (!all) {
    all = new Map();
    made.set(packet, all);
  }
  const key = keyOf(packet, chosen);
  let parts = all.get(key);
  if (!parts) {
    parts = { byWire: [] };
    all.set(key, parts);
  }
  return parts;
}

const keys = new WeakMap<readonly number[], string>();

function keyOf({ pieces }: Packet, chosen: readonly number[] | undefined): string {
  // All members chosen is the whole.
  if (chosen === undefined || chosen.length === pieces.members.length) return '';
  // Those who want the same are given the same array.
  let key = keys.get(chosen);
  if (key === undefined) {
    key = chosen.join();
    keys.set(chosen, key);
  }
  return key;
}

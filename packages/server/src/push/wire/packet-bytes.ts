import { eventText } from '@ldes-live/rdf-stream';
import type { Packet } from '../packets/packet.ts';
import { onWire, type Wire } from './wire.ts';

interface Made {
  event?: Uint8Array;
  readonly byWire: Buffer[];
}

/** Of whole packets: as long as these are remembered. */
const whole = new WeakMap<Packet, Made>();

/** Of some of their members: as long as those who want the same are being given it, who are given the same array. */
const some = new WeakMap<Packet, WeakMap<readonly number[], Made>>();

/** Below this an event for one reader is not compressed: to begin a compression costs more than its bytes, bytes. */
const SQUEEZED_BYTES = 4096;

/**
 * The event of a packet, or of some members of it, as it goes over a kind of connection. Made once for all connections.
 *
 * @param chosen - indices of members, at least one; all when absent
 * @param isForOne - whether one reader alone is given what is chosen
 * @see specs/push.md PUSH-3
 */
export function bytesOf(packet: Packet, wire: Wire, chosen?: readonly number[], isForOne = false): Buffer {
  const parts = partsOf(packet, chosen);
  const event = eventOf(packet, chosen);
  parts.byWire[wire.index] ??= onWire(event, wire, !isForOne || event.length >= SQUEEZED_BYTES);
  return parts.byWire[wire.index] as Buffer;
}

/** The event of a packet, or of some members of it. */
export function eventOf(packet: Packet, chosen?: readonly number[]): Uint8Array {
  const parts = partsOf(packet, chosen);
  parts.event ??= Buffer.from(eventText(packet.pieces, packet.id, chosen));
  return parts.event;
}

function partsOf(packet: Packet, chosen: readonly number[] | undefined): Made {
  if (chosen === undefined || chosen.length === packet.pieces.members.length) return kept(whole, packet, newlyMade);
  return kept(
    kept(some, packet, () => new WeakMap<readonly number[], Made>()),
    chosen,
    newlyMade,
  );
}

function newlyMade(): Made {
  return { byWire: [] };
}

function kept<Key extends object, Value>(map: WeakMap<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

import { deserialize, serialize } from 'node:v8';
import type { Packet } from '../push/packets/packet.ts';

/** A packet as bytes for other processes. */
export function pack(packet: Packet): Uint8Array {
  return serialize(packet);
}

/** The packet that another process has packed. */
export function unpack(bytes: Uint8Array): Packet {
  return deserialize(bytes) as Packet;
}

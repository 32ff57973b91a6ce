import { deserialize, serialize } from 'node:v8';
import type { EncodedCommit } from '../push/encoded-commits.ts';

/** A packet as bytes for other processes. */
export function pack(packet: EncodedCommit): Uint8Array {
  return serialize(packet);
}

/** The packet that another process has packed. */
export function unpack(bytes: Uint8Array): EncodedCommit {
  return deserialize(bytes) as EncodedCommit;
}

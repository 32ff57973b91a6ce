import { parseNQuads, writeQuads } from '@ldes-live/codec';
import type { Member } from '@ldes-live/rdf-stream';

/** A member as it is stored under its sequence number. */
export interface MemberRecord extends Omit<Member, 'sequence' | 'quads'> {
  /** The quads as N-Quads, in their order and with their blank node labels. */
  readonly nquads: string;
}

/** What is stored of a member. */
export function toRecord({ sequence: _, quads, ...rest }: Member): MemberRecord {
  return { ...rest, nquads: writeQuads(quads, 'nquads', {}) };
}

/** The member that was stored. */
export function fromRecord({ nquads, ...rest }: MemberRecord, sequence: number): Member {
  return { ...rest, sequence, quads: parseNQuads(nquads) };
}

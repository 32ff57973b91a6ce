import { commitPieces, filterSubject, formatCursor, type Member, type StreamDescription } from '@ldes-live/rdf-stream';
import type { Packet } from './packet.ts';

/** What packets are written with. */
export interface PacketWriting {
  readonly description: StreamDescription;
  /** Namespaces by prefix. */
  readonly prefixes: Readonly<Record<string, string>>;
}

/**
 * The packet of a commit, of the rest of one, or of a part of the state.
 *
 * @param members - at least one, in sequence
 * @param cursor - after it; absent for a part of the state that others follow
 */
export function packetOf(
  members: readonly Member[],
  cursor: { readonly epoch: string; readonly sequence: number } | undefined,
  { description, prefixes }: PacketWriting,
): Packet {
  const after = (members[0] as Member).sequence - 1;
  const last = (members.at(-1) as Member).sequence;
  return {
    after,
    last,
    ...(last - after !== members.length && { sequences: members.map(({ sequence }) => sequence) }),
    id: cursor ? formatCursor(cursor) : '',
    subjects: members.map(filterSubject),
    pieces: commitPieces(members, description, prefixes),
  };
}

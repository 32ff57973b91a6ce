import type { FilterSubject, Joined } from '@ldes-live/rdf-stream';

/**
 * A commit, or the rest of one, or a part of the state, as push has it: text whose parts can be left out, and no quads.
 * It is what crosses from the process that owns the log to those that hold connections, as it is.
 */
export interface Packet {
  /** Sequence number of the member before its first. */
  readonly after: number;
  /** Sequence number of its last member. */
  readonly last: number;
  /** Sequence numbers of its members where some between them are left out, as in a part of the state. */
  readonly sequences?: readonly number[];
  /** `id:` of its event; empty for a part of the state that others follow. */
  readonly id: string;
  /** What each member is about, in the order of the pieces; as many as there are pieces. */
  readonly subjects: readonly FilterSubject[];
  readonly pieces: Joined;
}

import type { Mode } from '@ldes-live/latency';
import type { Member } from '@ldes-live/rdf-stream';

/** What a reader of a stream gets, one after the other. Tell them apart by `kind`. */
export type Change = MemberChange | GapChange;

/** An entity has a new state, or is no more. */
export interface MemberChange {
  readonly kind: 'upsert' | 'delete';
  /** The version, with its quads as RDF/JS. */
  readonly member: Member;
  /** `<epoch>-<sequence>`: following from here goes on after this change, with nothing lost. */
  readonly cursor: string;
  /** The way it came. */
  readonly via: Mode;
  /** Time from its publication to its delivery, by the server's clock, in milliseconds, 0 or more. */
  readonly lagMs: number;
}

/**
 * What was read so far cannot be continued: the log was rebuilt, or no longer holds what follows. The
 * state is delivered anew after this: forget the entities known before.
 *
 * @see specs/mal.md
 */
export interface GapChange {
  readonly kind: 'gap';
  /** Where the log now begins for this reader: following from here misses nothing that it still holds. */
  readonly cursor: string;
  /** The cursor that could not be continued. */
  readonly from: string;
  /** The way it was found out. */
  readonly via: Mode;
  readonly member?: never;
  readonly lagMs?: never;
}

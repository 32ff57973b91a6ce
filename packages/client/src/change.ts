import type { Mode } from '@ldes-live/latency';
import type { Member } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';

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
  /**
   * Whether it was published while the reading went on: then its lag counts in the status. Of what is older the lag is the
   * age of the version, and no miss.
   */
  readonly isLive: boolean;
  /**
   * Older versions of this entity that were left out, as this one came before they were read: 0 but for a follower of
   * `versions: 'newest'`. What the server left out already is in `status.conflated` only.
   */
  readonly conflated: number;
  /**
   * Whether this is the newest state of its entity by what was read so far: false for a version that is older, by the
   * source's own time, than one published before it. It is a part of the history, and `latest()` does not take it.
   */
  readonly isNewest: boolean;
  /**
   * Whether nothing more follows of what was published with it. False while more does or may: whoever applies commits whole
   * waits for true, for a member of another time, or for `caught-up`. Of no meaning for a follower of `versions: 'newest'`.
   */
  readonly endsCommit: boolean;
  /**
   * Whether the version is within `entity`, `type` and `bbox`; true where none is asked for. False for a version outside of
   * the boxes, of an entity that was or may have been in one: `latest()` drops the entity then.
   */
  readonly inFilter: boolean;
}

/**
 * What was read so far cannot be continued: the log was rebuilt, or no longer holds what follows. The
 * state is delivered anew after this: forget the entities known before.
 *
 * @see specs/mal.md
 */
export interface GapChange extends Absent<Exclude<keyof MemberChange, 'kind' | 'cursor' | 'via'>> {
  readonly kind: 'gap';
  /** Where the log now begins for this reader: following from here misses nothing that it still holds. */
  readonly cursor: string;
  /** The cursor that could not be continued. */
  readonly from: string;
  /** The way it was found out. */
  readonly via: Mode;
}

type Absent<Name extends string> = { readonly [Key in Name]?: never };

// Of a quad's object, which may be a text of any length.
const QUAD_CHARACTERS = 512;

/** What quads take in memory, in quads: one counts again for each 512 characters of its object. */
export function weightOf(quads: readonly Quad[]): number {
  return quads.reduce((sum, { object }) => sum + 1 + Math.floor(object.value.length / QUAD_CHARACTERS), 0);
}

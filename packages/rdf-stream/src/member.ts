import type { Quad } from '@rdfjs/types';

/**
 * One immutable version of an entity, as published: a member of an LDES.
 *
 * @see specs/documents.md DOC-3
 */
export interface Member {
  /** IRI of this version. */
  readonly id: string;
  /** IRI of the entity that this is a version of. */
  readonly entity: string;
  /** Whether the entity has this state from now on, or is no more. */
  readonly kind: 'upsert' | 'delete';
  /** Position in the log: 1 for the first member, one more for each next. */
  readonly sequence: number;
  /** Publication time (`ldes:timestampPath`): xsd:dateTime in UTC with milliseconds. Never goes back. */
  readonly time: string;
  /** The source's own time (`ldes:versionTimestampPath`), in any order; absent when the source has none. */
  readonly versionTime?: string;
  /** Everything said of this version, its own type and times included. Blank node labels are unique in the stream. */
  readonly quads: readonly Quad[];
  /** The same quads as N-Quads, in their order, where that text exists already: it spares writing them again. */
  readonly nquads?: string;
}

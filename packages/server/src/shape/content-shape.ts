import type { Quad } from '@rdfjs/types';

/** The SHACL shape of what the members of a stream say, besides what every member of every stream says. */
export interface ContentShape {
  /** IRI of the node shape that every member has, ends of entities excepted. */
  readonly iri: string;
  /** The shape and those that it refers to. */
  readonly quads: readonly Quad[];
}

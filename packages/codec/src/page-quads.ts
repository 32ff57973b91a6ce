import type { Member, StreamDescription } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { memberQuads } from './member-quads.ts';
import { nodeQuads, type TreeNode } from './node-quads.ts';

/** A page of members. */
export interface PageDocument extends TreeNode {
  /** Its members, by sequence. */
  readonly members: readonly Member[];
}

/**
 * The document of a page: the node, then its members in the order of the TREE profile.
 *
 * @see specs/documents.md
 */
export function pageQuads(description: StreamDescription, page: PageDocument): Quad[] {
  return [...nodeQuads(page), ...memberQuads(description, page.members)];
}

import type { Quad } from '@rdfjs/types';
import { nodeQuads, type TreeNode } from './node-quads.ts';
import { type NodeLink, relationQuads } from './relation-quads.ts';

/** A range of pages. */
export interface RangeDocument extends TreeNode {
  /** Its pages, in order. */
  readonly pages: readonly NodeLink[];
}

/**
 * The document of a range of pages: the relations to them.
 *
 * @see specs/documents.md
 */
export function rangeQuads(range: RangeDocument): Quad[] {
  return [...nodeQuads(range), ...relationQuads(range.url, range.pages)];
}

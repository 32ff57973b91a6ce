import type { Quad } from '@rdfjs/types';
import { literal, namedNode, quad } from './terms.ts';
import { ldes, rdf, tree, xsd } from './vocabulary.ts';

/** A node of the search tree below the root. */
export interface TreeNode {
  /** Its URL. */
  readonly url: string;
  /** Whether it is full and can never change. */
  readonly sealed: boolean;
}

/** What a node below the root says of itself: that it never changes, if so; nothing of the kind otherwise. */
export function nodeQuads({ url, sealed }: TreeNode): Quad[] {
  const node = namedNode(url);
  const type = quad(node, namedNode(rdf.type), namedNode(tree.Node));
  return sealed ? [type, quad(node, namedNode(ldes.immutable), literal('true', xsd.boolean))] : [type];
}

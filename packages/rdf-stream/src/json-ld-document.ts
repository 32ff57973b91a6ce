import type { Quad } from '@rdfjs/types';
import { coercionsOf } from './coercion.ts';
import { iriCompactor } from './iri-compactor.ts';
import { jsonLdContext } from './json-ld-context.ts';
import { type JsonLdObject, topLevelObjects } from './json-ld-node.ts';
import { groupNodes, nestedAt } from './nodes.ts';
import { tree } from './vocabulary.ts';

const EMBEDDED: ReadonlySet<string> = new Set([tree.member]);

/**
 * Makes the compact JSON-LD 1.1 document of checked quads: self-contained, with an inline context of the
 * prefixes and the type coercions that it uses. Reading it gives the same quads, lexical forms included.
 *
 * Nodes come in order of first appearance. Blank nodes that are referred to once, and members, stand inside
 * what refers to them. A document of one node is that node; of several, they are its `@graph`.
 *
 * @param quads - as `checkQuads` lets pass
 * @param prefixes - namespaces by prefix
 * @see specs/documents.md
 */
export function jsonLdDocument(quads: readonly Quad[], prefixes: Readonly<Record<string, string>>): JsonLdObject {
  const nodes = groupNodes(quads, EMBEDDED);
  // What is nested is an object anyway: the context need not say how to read it.
  const coercions = coercionsOf(quads.filter((quad) => !nestedAt(nodes, quad)));
  const writer = { compactor: iriCompactor(quads, prefixes), coercions };
  const objects = topLevelObjects(nodes, writer);
  const [only] = objects;
  const body = objects.length === 1 && only ? only : { '@graph': objects };
  // The context last, since writing the rest decides which prefixes are used.
  return { '@context': jsonLdContext(writer), ...body };
}

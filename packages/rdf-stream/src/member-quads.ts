import type { Quad } from '@rdfjs/types';
import type { Member } from './member.ts';
import type { StreamDescription } from './stream-description.ts';
import { namedNode, quad } from './terms.ts';
import { tree } from './vocabulary.ts';

/**
 * Members of a stream as a document has them, in the order of the TREE profile: for each the `tree:member`
 * triple, then what is said of it.
 *
 * @see https://treecg.github.io/specification/profile
 */
export function memberQuads(description: StreamDescription, members: readonly Member[]): Quad[] {
  const stream = namedNode(description.iri);
  const member = namedNode(tree.member);
  const all: Quad[] = [];
  for (const { id, quads } of members) {
    all.push(quad(stream, member, namedNode(id)));
    for (const stated of quads) all.push(stated);
  }
  return all;
}

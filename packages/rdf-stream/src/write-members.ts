import type { Member } from './member.ts';
import { angleBrackets } from './n-quads.ts';
import type { StreamDescription } from './stream-description.ts';
import { namedNode, quad } from './terms.ts';
import { tree } from './vocabulary.ts';
import { writeQuads } from './write-quads.ts';

// A line of canonical N-Quads that has a fourth term: no other than a literal's text holds a space.
const GRAPH_LINE = /^\S+ \S+ (?:"(?:[^"\\]|\\.)*"\S*|[^"\s]\S*) \S+ \.$/m;

/**
 * Writes members of a stream as {@link memberQuads} has them, in a line format. A member whose N-Quads text exists is
 * not read for it.
 *
 * @throws {@link StreamError} `ERR_GRAPH_UNSUPPORTED` - a named graph in N-Triples
 * @throws {@link StreamError} `ERR_TERM_UNSUPPORTED` - a term of a member without text that cannot be written
 */
export function writeMembers(
  description: StreamDescription,
  members: readonly Member[],
  format: 'nquads' | 'ntriples',
): string {
  const stream = namedNode(description.iri);
  const link = `${angleBrackets(description.iri)} ${angleBrackets(tree.member)} `;
  let text = '';
  for (const member of members) {
    const { id, nquads } = member;
    // Text with a named graph takes the way on which N-Triples refuses it.
    if (nquads === undefined || (format === 'ntriples' && GRAPH_LINE.test(nquads))) {
      text += writeQuads([quad(stream, namedNode(tree.member), namedNode(id)), ...member.quads], format, {});
    } else {
      text += `${link}${angleBrackets(id)} .\n${nquads}`;
    }
  }
  return text;
}

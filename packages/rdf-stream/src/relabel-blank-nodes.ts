import type { Quad, Term } from '@rdfjs/types';
import { blankNode, namedNode, quad } from './data-factory.ts';

/**
 * Quads with other blank node labels: `m<sequence>b0` for the first blank node, and so on, in order of
 * appearance. So the labels of a member follow from its place in the log, and no two members share any.
 *
 * @param sequence - the member's sequence number
 * @see specs/documents.md DOC-3
 */
export function relabelBlankNodes(quads: readonly Quad[], sequence: number): Quad[] {
  const labels = new Map<string, ReturnType<typeof blankNode>>();
  const rename = <Kind extends Term>(term: Kind): Kind => {
    if (term.termType !== 'BlankNode') return term;
    let renamed = labels.get(term.value);
    if (!renamed) {
      renamed = blankNode(`m${sequence}b${labels.size}`);
      labels.set(term.value, renamed);
    }
    return renamed as Term as Kind;
  };
  return quads.map((said) =>
    [said.subject, said.object, said.graph].some(({ termType }) => termType === 'BlankNode')
      ? quad(rename(said.subject), namedNode(said.predicate.value), rename(said.object), rename(said.graph))
      : said,
  );
}

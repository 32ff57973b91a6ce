import { blankNode, quad } from '@ldes-live/rdf-stream';
import type { Term } from '@rdfjs/types';

/**
 * The name that Comunica is told for the one source of an evaluation. Comunica puts it before the labels of the source's
 * blank nodes; the space keeps what comes of it apart from any label that a document can have.
 */
export const SOURCE_ID = 'the store';

const SCOPED = `bc_${SOURCE_ID}_`;

/** A term as Comunica hands it back, with blank nodes of the source as the source has them. */
export function unscoped<T extends Term>(term: T): T;
export function unscoped(term: Term): Term {
  if (term.termType === 'BlankNode' && term.value.startsWith(SCOPED)) return blankNode(term.value.slice(SCOPED.length));
  return term.termType === 'Quad' ? mapTriple(term, unscoped) : term;
}

/**
 * A term of an answer as it is told: blank nodes of the source keep their labels, those that the query made are given others
 * where the source has one of the same label.
 *
 * @param isTaken - whether the source has a blank node of that label
 */
export function told<T extends Term>(term: T, isTaken: (label: string) => boolean): T;
export function told(term: Term, isTaken: (label: string) => boolean): Term {
  if (term.termType === 'Quad') return mapTriple(term, (part) => told(part, isTaken));
  if (term.termType !== 'BlankNode') return term;
  if (term.value.startsWith(SCOPED)) return unscoped(term);
  let label = term.value;
  while (isTaken(label)) label += '-n';
  return blankNode(label);
}

type Triple = Extract<Term, { termType: 'Quad' }>;

function mapTriple(triple: Triple, map: <T extends Term>(term: T) => T): Triple {
  const { subject, predicate, object, graph } = triple as ReturnType<typeof quad>;
  return quad(map(subject), map(predicate) as never, map(object), map(graph));
}

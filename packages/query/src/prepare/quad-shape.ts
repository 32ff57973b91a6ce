import { xsd } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';

/** The constants that a quad must have; what is absent, any term is. */
export interface QuadShape {
  readonly subject?: Term;
  readonly predicate?: string;
  readonly object?: Term;
  /** IRI of the graph, empty for the default graph; absent for any graph that has a name. */
  readonly graph?: string;
}

/** Whether a quad has all the constants of a shape. */
export function fitsShape(shape: QuadShape, quad: Quad): boolean {
  if (shape.predicate !== undefined && quad.predicate.value !== shape.predicate) return false;
  const isDefault = quad.graph.termType === 'DefaultGraph';
  if (shape.graph === undefined ? isDefault : shape.graph !== (isDefault ? '' : quad.graph.value)) return false;
  if (shape.subject && !fitsTerm(shape.subject, quad.subject)) return false;
  return !shape.object || fitsTerm(shape.object, quad.object);
}

/** The term as a shape takes it: `undefined` for what may be any, so for triple terms, which may hold variables. */
export function constantOf(term: Term): Term | undefined {
  return term.termType === 'NamedNode' || term.termType === 'Literal' ? term : undefined;
}

/**
 * Whether an engine may take a term for a constant of the query.
 *
 * Engines differ on literals that are written differently and have one value, `1` and `01`: only strings are told apart.
 */
function fitsTerm(constant: Term, term: Term): boolean {
  if (constant.termType === 'NamedNode') return term.termType === 'NamedNode' && term.value === constant.value;
  if (constant.termType !== 'Literal') return true;
  if (term.termType !== 'Literal') return false;
  if (constant.language) {
    return term.value === constant.value && term.language.toLowerCase() === constant.language.toLowerCase();
  }
  return constant.datatype.value !== xsd.string || (term.value === constant.value && !term.language);
}

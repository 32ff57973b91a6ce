import type { Quad, Term } from '@rdfjs/types';
import { Parser, Store } from 'n3';
import { canonize } from 'rdf-canonize';

/** Canonical N-Quads (RDFC-1.0): equal for isomorphic datasets. Nothing of ours reads or writes them. */
export async function canonical(quads: readonly Quad[]): Promise<string> {
  // A dataset is a set. Generated blank nodes may be alike, which takes more than the guard against hostile data allows.
  return await canonize([...new Store([...quads])], { algorithm: 'RDFC-1.0', maxDeepIterations: 100_000 });
}

/** Canonical N-Quads of TriG, or of another format by its media type; relative IRIs are refused. */
export async function canonicalText(text: string, format = 'application/n-quads'): Promise<string> {
  return await canonical(new Parser({ format }).parse(text));
}

/** What quads say of a subject, blank nodes within each other, in a form that compares. */
export function describedTree(quads: readonly Quad[], subject: Term): unknown {
  const said = quads.filter((quad) => quad.subject.equals(subject));
  return said
    .map(({ predicate, object }) => [predicate.value, described(quads, object)])
    .sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1));
}

function described(quads: readonly Quad[], term: Term): unknown {
  if (term.termType === 'BlankNode') return describedTree(quads, term);
  return term.termType === 'Literal' ? [term.value, term.language, term.datatype.value] : term.value;
}

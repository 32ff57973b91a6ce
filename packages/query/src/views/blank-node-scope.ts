import { blankNode, quad } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';

/** Gives quads the blank node labels that they have in a view; the same array where none changes. */
export type BlankNodeScope = (quads: readonly Quad[]) => readonly Quad[];

/** The data that always holds: its labels are of its own. */
export const dataScope: BlankNodeScope = scopeBy((label) => `static_${label}`);

/**
 * How the blank nodes of each source are labelled, so that no two sources share any. Those of an only source keep their labels.
 *
 * @param sources - how many there are
 * @see specs/query.md QUERY-31
 */
export function sourceScopes(sources: number): readonly BlankNodeScope[] {
  // A label that looks like one of the data's is moved out of its way, and one that looks moved is moved too.
  if (sources === 1) return [scopeBy((label) => (/^(?:static|stream)_/.test(label) ? `stream_${label}` : label))];
  return Array.from({ length: sources }, (_, source) => scopeBy((label) => `s${source}_${label}`));
}

function scopeBy(relabel: (label: string) => string): BlankNodeScope {
  const rename = <Kind extends Term>(term: Kind): Kind => {
    if (term.termType === 'Quad') return renameQuad(term as Quad) as Term as Kind;
    if (term.termType !== 'BlankNode') return term;
    const label = relabel(term.value);
    return label === term.value ? term : (blankNode(label) as Term as Kind);
  };
  const renameQuad = (said: Quad): Quad => {
    const subject = rename(said.subject);
    const object = rename(said.object);
    const graph = rename(said.graph);
    if (subject === said.subject && object === said.object && graph === said.graph) return said;
    return quad(subject, said.predicate as Parameters<typeof quad>[1], object, graph);
  };
  return (quads) => {
    const renamed = quads.map(renameQuad);
    return renamed.some((said, index) => said !== quads[index]) ? renamed : quads;
  };
}

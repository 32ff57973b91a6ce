import type { Quad } from '@rdfjs/types';

/** The quads of a document by what the extraction of members looks for. */
export interface QuadIndex {
  /** What the default graph says of an IRI. */
  defaultStar(iri: string): readonly Quad[];
  /** Everything in the graph that an IRI names. */
  graph(iri: string): readonly Quad[];
  /** What any graph says of a blank node. */
  blankStar(label: string): readonly Quad[];
}

/** Indexes a document, in one pass. */
export function indexQuads(quads: readonly Quad[]): QuadIndex {
  const stars = new Map<string, Quad[]>();
  const graphs = new Map<string, Quad[]>();
  const blankStars = new Map<string, Quad[]>();
  for (const quad of quads) {
    const { subject, graph } = quad;
    if (subject.termType === 'BlankNode') add(blankStars, subject.value, quad);
    else if (graph.termType === 'DefaultGraph') add(stars, subject.value, quad);
    if (graph.termType === 'NamedNode') add(graphs, graph.value, quad);
  }
  return {
    defaultStar: (iri) => stars.get(iri) ?? [],
    graph: (iri) => graphs.get(iri) ?? [],
    blankStar: (label) => blankStars.get(label) ?? [],
  };
}

function add(index: Map<string, Quad[]>, key: string, quad: Quad): void {
  const list = index.get(key);
  if (list) list.push(quad);
  else index.set(key, [quad]);
}

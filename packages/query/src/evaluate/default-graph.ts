import type { DefaultGraph } from '@rdfjs/types';

/** The default graph as an RDF/JS term. */
export const defaultGraph: DefaultGraph = {
  termType: 'DefaultGraph',
  value: '',
  equals: (other) => other?.termType === 'DefaultGraph',
};

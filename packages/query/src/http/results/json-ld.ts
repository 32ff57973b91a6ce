import type { Literal, Quad, Term } from '@rdfjs/types';
import { errors } from '../../errors.ts';
import { literalKind } from './write-term.ts';

const RDF_TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';

interface NodeObject {
  readonly '@id': string;
  [key: string]: unknown;
}

/**
 * Quads as JSON-LD 1.1 in expanded form, which needs no context: a node object for each subject of a graph, and lists as
 * the triples that they are made of.
 *
 * @throws {@link StreamError} `ERR_QUERY_UNSUPPORTED` - a triple term, which JSON-LD 1.1 cannot say
 */
export function jsonLd(quads: readonly Quad[]): string {
  const graphs = new Map<string, Map<string, NodeObject>>();
  for (const { subject, predicate, object, graph } of quads) {
    const key = graph.termType === 'DefaultGraph' ? '' : idOf(graph);
    let nodes = graphs.get(key);
    if (!nodes) {
      nodes = new Map();
      graphs.set(key, nodes);
    }
    const node = nodeOf(nodes, idOf(subject));
    const isType = predicate.value === RDF_TYPE && object.termType !== 'Literal';
    const name = isType ? '@type' : predicate.value;
    const values = (node[name] as unknown[] | undefined) ?? [];
    node[name] = values;
    values.push(isType ? idOf(object) : objectOf(object));
  }
  const top = graphs.get('') ?? new Map<string, NodeObject>();
  for (const [graph, nodes] of graphs) {
    if (graph !== '') nodeOf(top, graph)['@graph'] = [...nodes.values()];
  }
  return JSON.stringify([...top.values()]);
}

function nodeOf(nodes: Map<string, NodeObject>, id: string): NodeObject {
  const known = nodes.get(id);
  if (known) return known;
  const node = { '@id': id };
  nodes.set(id, node);
  return node;
}

function idOf(term: Term): string {
  if (term.termType === 'Quad') {
    throw errors.ERR_QUERY_UNSUPPORTED({ what: 'a triple term in JSON-LD', remedy: 'ask for application/n-quads' });
  }
  return term.termType === 'BlankNode' ? `_:${term.value}` : term.value;
}

function objectOf(term: Term): object {
  return term.termType === 'Literal' ? literalOf(term) : { '@id': idOf(term) };
}

function literalOf(literal: Literal): object {
  const { language, direction, datatype } = literalKind(literal);
  return {
    '@value': literal.value,
    ...(language !== undefined && { '@language': language }),
    ...(direction !== undefined && { '@direction': direction }),
    ...(datatype !== undefined && { '@type': datatype }),
  };
}

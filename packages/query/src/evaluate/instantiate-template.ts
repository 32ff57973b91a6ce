import { blankNode, quad as makeQuad } from '@ldes-live/rdf-stream';
import type { Quad, Quad_Graph, Quad_Object, Quad_Subject, Term } from '@rdfjs/types';
import type { Row } from '../live-result.ts';
import { rowLabel } from './row-label.ts';

/**
 * The quads that a template makes of a solution. Those with an unbound or illegal position are left out.
 *
 * @param key - of the solution and which of its copies it is: the labels of the template's blank nodes follow from it
 * @see specs/query.md QUERY-104
 * @see https://www.w3.org/TR/sparql11-query/#construct
 */
export function instantiateTemplate(template: readonly Quad[], row: Row, key: string): Quad[] {
  let label: string | undefined;
  const labels = new Map<string, Term>();
  const fill = (term: Term): Term | undefined => {
    switch (term.termType) {
      case 'Variable':
        return row[term.value];
      case 'BlankNode': {
        label ??= rowLabel(key);
        const known = labels.get(term.value) ?? blankNode(`${label}b${labels.size}`);
        labels.set(term.value, known);
        return known;
      }
      case 'Quad':
        return fillQuad(term as Quad);
      default:
        return term;
    }
  };
  const fillQuad = (quad: Quad): Quad | undefined => {
    const subject = fill(quad.subject);
    const predicate = fill(quad.predicate);
    const object = fill(quad.object);
    const graph = fill(quad.graph);
    if (!isNode(subject) || predicate?.termType !== 'NamedNode' || object === undefined) return undefined;
    if (!isNode(graph) && graph?.termType !== 'DefaultGraph') return undefined;
    return makeQuad(subject as Quad_Subject, predicate, object as Quad_Object, graph as Quad_Graph);
  };
  return template.flatMap((quad) => fillQuad(quad) ?? []);
}

function isNode(term: Term | undefined): boolean {
  return term?.termType === 'NamedNode' || term?.termType === 'BlankNode';
}

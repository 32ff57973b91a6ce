import { literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import { fc } from '@ldes-live/test-support/properties';
import type { Quad, Term } from '@rdfjs/types';
import { E } from './prepared.ts';

const value = fc.oneof(
  fc.constantFrom('1', '01', '3', '3', '7').map((text) => literal(text, xsd.integer)),
  fc.constantFrom('x', 'y').map((text) => literal(text)),
  fc.constant(literal('true', xsd.boolean)),
);
const graph = fc.oneof(
  { weight: 7, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: fc.constantFrom(namedNode(`${E}g`), namedNode(`${E}h`)) },
);

/** A quad of few terms, so that quads meet: of subjects and objects with these names, and by these predicates. */
function quadOf(nodes: readonly string[], predicates: readonly string[]): fc.Arbitrary<Quad> {
  const node = fc.constantFrom(...nodes).map((name) => namedNode(E + name));
  const predicate = fc.constantFrom(...predicates).map((name) => namedNode(E + name));
  const object: fc.Arbitrary<Term> = fc.oneof({ weight: 3, arbitrary: node }, { weight: 2, arbitrary: value });
  return fc
    .tuple(node, predicate, object, graph)
    .map(([subject, by, to, where]) => quad(subject, by, to as Quad['object'], where));
}

const anyPredicate = ['p', 'q', 'r', 'route', 'name', 'gone', 'lat'];

/** Any quad. */
export const anyQuad: fc.Arbitrary<Quad> = quadOf(['a', 'b', 'c', 'd', 'e'], anyPredicate);

/** A set of quads, most of them by predicates that a query names. */
export function dataFor(sparql: string): fc.Arbitrary<Quad[]> {
  const named = [...sparql.matchAll(/:([a-z]+)/g)].map(([, name]) => name as string);
  const quads = quadOf(['a', 'a', 'b', 'c'], [...named, ...named, 'p', 'other']);
  return fc.uniqueArray(fc.oneof({ weight: 9, arbitrary: quads }, anyQuad), {
    maxLength: 40,
    size: 'max',
    selector: textOf,
  });
}

/** A quad as a text that tells it from others. */
export function textOf({ subject, predicate: by, object, graph: where }: Quad): string {
  const datatype = object.termType === 'Literal' ? object.datatype.value : '';
  return `${subject.value} ${by.value} ${object.termType} ${object.value} ${datatype} ${where.value}`;
}

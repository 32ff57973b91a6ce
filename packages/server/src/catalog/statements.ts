import { namedNode, quad } from '@ldes-live/rdf-stream';
import type { Quad, Quad_Object } from '@rdfjs/types';

/** What is said of a thing: by which property, and what. */
export type Statement = readonly [predicate: string, object: Quad_Object];

/** The quads of statements about one thing. */
export function statements(subject: string, said: readonly Statement[]): Quad[] {
  const about = namedNode(subject);
  return said.map(([predicate, object]) => quad(about, namedNode(predicate), object));
}

/** The same property with each of some IRIs. */
export function eachIri(predicate: string, iris: readonly string[]): Statement[] {
  return iris.map((iri) => [predicate, namedNode(iri)]);
}

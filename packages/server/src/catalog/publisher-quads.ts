import { foaf, literal, namedNode, type Publisher, rdf, type StreamDescription } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { statements } from './statements.ts';

/** The IRI of a publisher; one who has none gets one in the catalogue, the same for all streams. */
export function publisherIri(publicUrl: string, { name, iri }: Publisher): string {
  return iri ?? `${publicUrl}#publisher-${encodeURIComponent(name)}`;
}

/** What the catalogue says of a publisher. */
export function publisherQuads(publicUrl: string, publisher: Publisher): Quad[] {
  return statements(publisherIri(publicUrl, publisher), [
    [rdf.type, namedNode(foaf.Agent)],
    [foaf.name, literal(publisher.name)],
  ]);
}

/** The publishers of streams, each once, in the order in which they come up. */
export function publishersOf(publicUrl: string, descriptions: readonly StreamDescription[]): Publisher[] {
  const publishers = new Map<string, Publisher>();
  for (const { publisher } of descriptions.map(({ about }) => about)) {
    if (publisher) publishers.set(publisherIri(publicUrl, publisher), publisher);
  }
  return [...publishers.values()];
}

import { dcat, dct, languageLiteral, literal, namedNode, rdf, vocals } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { entryPoints, type PublishedStream } from '../views/published-stream.ts';
import { datasetQuads } from './dataset-quads.ts';
import { distributionQuads } from './distribution-quads.ts';
import { publisherIri, publisherQuads, publishersOf } from './publisher-quads.ts';
import { serviceIris, serviceQuads } from './service-quads.ts';
import { eachIri, type Statement, statements } from './statements.ts';

/**
 * The catalogue: each stream as a dataset, with its entry points as distributions and its ways of delivery as data
 * services. Equal streams on equal schedules give equal quads.
 *
 * @see specs/documents.md DOC-15, DOC-50 to DOC-53
 * @see https://www.w3.org/TR/vocab-dcat-3/
 */
export function catalogQuads(publicUrl: string, streams: readonly PublishedStream[]): Quad[] {
  const descriptions = streams.map(({ description }) => description);
  const publishers = publishersOf(publicUrl, descriptions);
  const [sole] = publishers;
  const publisher: Statement[] =
    // Whose streams are whose says each of them; the whole has a publisher where that is one.
    sole && publishers.length === 1 ? eachIri(dct.publisher, [publisherIri(publicUrl, sole)]) : [];
  return [
    ...statements(publicUrl, [
      ...eachIri(rdf.type, [dcat.Catalog, vocals.StreamDescriptor]),
      [dct.title, literal(`Live streams at ${publicUrl}`)],
      [dct.description, languageLiteral('Linked Data Event Streams, as documents and as Server-Sent Events.', 'en')],
      ...publisher,
      ...descriptions.flatMap((description): Statement[] => [
        [dcat.dataset, namedNode(description.iri)],
        ...eachIri(dcat.service, serviceIris(description)),
      ]),
    ]),
    ...publishers.flatMap((one) => publisherQuads(publicUrl, one)),
    ...streams.flatMap((stream) => [
      ...datasetQuads(stream),
      ...entryPoints(stream).flatMap((entry) => distributionQuads(stream.description, entry)),
      ...serviceQuads(stream.description),
    ]),
  ];
}

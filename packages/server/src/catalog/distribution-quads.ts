import { dcat, dct, languageLiteral, ldes, rdf, retentionQuads, type StreamDescription } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { OFFERED_MEDIA_TYPES } from '../http/negotiate.ts';
import { viewIri } from '../views/published-stream.ts';
import type { EntryPoint } from '../views/view.ts';
import { mediaTypeIri } from './media-type-iri.ts';
import { serviceIris } from './service-quads.ts';
import { eachIri, statements } from './statements.ts';

/**
 * What the catalogue says of an entry point of a stream.
 *
 * @see specs/documents.md DOC-52
 */
export function distributionQuads(description: StreamDescription, entry: EntryPoint): Quad[] {
  const { url, retention } = entry;
  const view = viewIri(url);
  const { licence } = description.about;
  return [
    ...statements(view, [
      ...eachIri(rdf.type, [dcat.Distribution, ldes.EventSource]),
      [dct.title, languageLiteral(entry.title, 'en')],
      ...eachIri(dcat.accessURL, [url]),
      ...eachIri(dcat.downloadURL, [url]),
      ...eachIri(dcat.mediaType, OFFERED_MEDIA_TYPES.map(mediaTypeIri)),
      ...eachIri(dcat.accessService, serviceIris(description)),
      ...eachIri(dct.license, licence === undefined ? [] : [licence]),
    ]),
    ...(retention ? retentionQuads(view, `${url}#retention`, retention) : []),
  ];
}

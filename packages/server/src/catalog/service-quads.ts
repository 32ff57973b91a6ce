import {
  dcat,
  dct,
  EVENT_STREAM_MEDIA_TYPE,
  languageLiteral,
  namedNode,
  rdf,
  type StreamDescription,
  vocals,
} from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { streamUrls } from '../documents/stream-urls.ts';
import { mediaTypeIri } from './media-type-iri.ts';
import { eachIri, statements } from './statements.ts';

/** The specifications that streams, and how they are pulled, conform to. */
export const SPECIFICATIONS = ['https://w3id.org/ldes/specification', 'https://w3id.org/tree/specification'] as const;

const SERVER_SENT_EVENTS = 'https://html.spec.whatwg.org/multipage/server-sent-events.html';

/** Where `specs/` is published. */
const SPECS = 'https://github.com/ldes-live/ldes-live/blob/main/specs/';

/** IRI of a stream's documents as a service. */
function pullIri({ url }: StreamDescription): string {
  return `${url}#pull`;
}

/** IRI of a stream's push endpoint as a service, as the root names it. */
export function pushIri({ url }: StreamDescription): string {
  return `${url}#push`;
}

/** IRIs of the two ways in which a stream is delivered. */
export function serviceIris(description: StreamDescription): string[] {
  return [pullIri(description), pushIri(description)];
}

/**
 * What the catalogue says of the two ways in which a stream is delivered.
 *
 * @see specs/documents.md DOC-53
 */
export function serviceQuads(description: StreamDescription): Quad[] {
  const urls = streamUrls(description);
  const served = eachIri(dcat.servesDataset, [description.iri]);
  return [
    ...statements(pullIri(description), [
      [rdf.type, namedNode(dcat.DataService)],
      [dct.title, languageLiteral(`${description.title}: documents`, 'en')],
      ...eachIri(dcat.endpointURL, [urls.root]),
      ...eachIri(dcat.endpointDescription, [`${SPECS}documents.md`]),
      ...eachIri(dct.conformsTo, SPECIFICATIONS),
      ...served,
    ]),
    ...statements(pushIri(description), [
      ...eachIri(rdf.type, [dcat.DataService, vocals.StreamEndpoint]),
      [dct.title, languageLiteral(`${description.title}: Server-Sent Events`, 'en')],
      ...eachIri(dcat.endpointURL, [urls.events]),
      // What VoCaLS has for the same.
      ...eachIri(dcat.accessURL, [urls.events]),
      ...eachIri(dct.format, [mediaTypeIri(EVENT_STREAM_MEDIA_TYPE)]),
      ...eachIri(dcat.endpointDescription, [`${SPECS}push.md`]),
      ...eachIri(dct.conformsTo, [SERVER_SENT_EVENTS]),
      ...served,
    ]),
  ];
}

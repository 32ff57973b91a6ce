import { dcat, dct, ldes, literal, namedNode, quad, rdf } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { streamUrls } from './documents/stream-urls.ts';
import type { LiveStream } from './live-stream.ts';

/**
 * The catalogue: each stream as a dataset, with its root and its push endpoint.
 *
 * @see specs/documents.md DOC-15
 * @see https://www.w3.org/TR/vocab-dcat-3/
 */
export function catalogQuads(publicUrl: string, streams: readonly LiveStream[]): Quad[] {
  const catalog = namedNode(publicUrl);
  const quads = [quad(catalog, namedNode(rdf.type), namedNode(dcat.Catalog))];
  for (const { description } of streams) {
    quads.push(quad(catalog, namedNode(dcat.dataset), namedNode(description.iri)));
    quads.push(quad(catalog, namedNode(dcat.service), namedNode(`${description.url}#push`)));
  }
  for (const { description } of streams) quads.push(...streamQuads(description));
  return quads;
}

function streamQuads(description: LiveStream['description']): Quad[] {
  const stream = namedNode(description.iri);
  const urls = streamUrls(description);
  // As the root names them.
  const push = namedNode(`${description.url}#push`);
  const view = namedNode(`${description.url}#view`);
  return [
    quad(stream, namedNode(rdf.type), namedNode(ldes.EventStream)),
    quad(stream, namedNode(rdf.type), namedNode(dcat.Dataset)),
    quad(stream, namedNode(dct.title), literal(description.title)),
    quad(stream, namedNode(dcat.distribution), view),
    quad(view, namedNode(rdf.type), namedNode(dcat.Distribution)),
    quad(view, namedNode(dcat.accessURL), namedNode(urls.root)),
    quad(push, namedNode(rdf.type), namedNode(dcat.DataService)),
    quad(push, namedNode(dcat.endpointURL), namedNode(urls.events)),
    quad(push, namedNode(dcat.servesDataset), stream),
  ];
}

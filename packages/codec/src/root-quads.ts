import { dcat, ldes, namedNode, quad, rdf, type StreamDescription, tree } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { type NodeLink, relationQuads } from './relation-quads.ts';
import { type StreamState, streamQuads } from './stream-quads.ts';

/** The root node of a stream. */
export interface RootDocument extends StreamState {
  /** Its ranges of pages, in order. */
  readonly ranges: readonly NodeLink[];
}

/**
 * The document of the root node: the stream, the push endpoint, and the relations to the ranges of pages.
 *
 * @see specs/documents.md
 */
export function rootQuads(description: StreamDescription, root: RootDocument): Quad[] {
  const node = namedNode(description.url);
  const view = namedNode(`${description.url}#view`);
  const push = namedNode(`${description.url}#push`);
  return [
    ...streamQuads(description, description.url, root),
    quad(node, namedNode(rdf.type), namedNode(tree.Node)),
    quad(node, namedNode(tree.viewDescription), view),
    quad(view, namedNode(rdf.type), namedNode(ldes.EventSource)),
    quad(view, namedNode(dcat.accessService), push),
    quad(push, namedNode(rdf.type), namedNode(dcat.DataService)),
    quad(push, namedNode(dcat.endpointURL), namedNode(`${description.url}/events`)),
    quad(push, namedNode(dcat.servesDataset), namedNode(description.iri)),
    ...relationQuads(description.url, root.ranges),
  ];
}

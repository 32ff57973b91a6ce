import {
  dcat,
  dct,
  ldes,
  literal,
  namedNode,
  quad,
  rdf,
  type StreamDescription,
  tree,
  xsd,
} from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { type NodeLink, relationQuads } from './relation-quads.ts';
import { retentionQuads } from './retention-quads.ts';
import { streamQuads } from './stream-quads.ts';

/** The root node of a stream. */
export interface RootDocument {
  /**
   * Expected seconds between updates, where known; written as whole seconds, at least 1, since
   * `ldes:pollingInterval` is an integer.
   */
  readonly pollingIntervalSeconds?: number;
  /** IRI of the shape of its members, where it has one. */
  readonly shape?: string;
  /** Its ranges of pages, in order. */
  readonly ranges: readonly NodeLink[];
}

/**
 * The document of the root node: the stream, what it keeps, the push endpoint, and the relations to the ranges of
 * pages.
 *
 * @see specs/documents.md
 */
export function rootQuads(description: StreamDescription, root: RootDocument): Quad[] {
  const stream = namedNode(description.iri);
  const node = namedNode(description.url);
  const view = namedNode(`${description.url}#view`);
  const push = namedNode(`${description.url}#push`);
  return [
    ...streamQuads(description, description.url),
    quad(stream, namedNode(dct.title), literal(description.title)),
    ...(root.shape === undefined ? [] : [quad(stream, namedNode(tree.shape), namedNode(root.shape))]),
    ...pollingInterval(stream, root.pollingIntervalSeconds),
    quad(node, namedNode(rdf.type), namedNode(tree.Node)),
    quad(node, namedNode(tree.viewDescription), view),
    quad(view, namedNode(rdf.type), namedNode(ldes.EventSource)),
    ...(description.retention ? retentionQuads(view.value, `${description.url}#retention`, description.retention) : []),
    quad(view, namedNode(dcat.accessService), push),
    quad(push, namedNode(rdf.type), namedNode(dcat.DataService)),
    quad(push, namedNode(dcat.endpointURL), namedNode(`${description.url}/events`)),
    quad(push, namedNode(dcat.servesDataset), namedNode(description.iri)),
    ...relationQuads(description.url, root.ranges),
  ];
}

function pollingInterval(stream: ReturnType<typeof namedNode>, seconds: number | undefined): Quad[] {
  if (seconds === undefined) return [];
  const whole = String(Math.max(1, Math.floor(seconds)));
  return [quad(stream, namedNode(ldes.pollingInterval), literal(whole, xsd.integer))];
}

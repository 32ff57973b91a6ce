import type { Quad } from '@rdfjs/types';
import { type NodeLink, relationQuads } from './relation-quads.ts';
import { retentionQuads } from './retention-quads.ts';
import type { StreamDescription } from './stream-description.ts';
import { streamQuads } from './stream-quads.ts';
import { literal, namedNode, quad } from './terms.ts';
import { dcat, dct, ldes, rdf, tree, xsd } from './vocabulary.ts';

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
  const node = namedNode(description.url);
  const view = namedNode(`${description.url}#view`);
  const push = namedNode(`${description.url}#push`);
  return [
    ...streamQuads(description, description.url),
    ...statedQuads(description, root),
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

/**
 * What the root and the catalogue say of a stream in the same words: its title, its shape, and how often to ask.
 *
 * @see specs/documents.md DOC-2, DOC-50
 */
export function statedQuads(
  { iri, title }: StreamDescription,
  { pollingIntervalSeconds, shape }: Pick<RootDocument, 'pollingIntervalSeconds' | 'shape'>,
): Quad[] {
  const stream = namedNode(iri);
  const quads = [quad(stream, namedNode(dct.title), literal(title))];
  if (shape !== undefined) quads.push(quad(stream, namedNode(tree.shape), namedNode(shape)));
  if (pollingIntervalSeconds !== undefined) {
    const whole = String(Math.max(1, Math.floor(pollingIntervalSeconds)));
    quads.push(quad(stream, namedNode(ldes.pollingInterval), literal(whole, xsd.integer)));
  }
  return quads;
}

import {
  as,
  dct,
  ldes,
  literal,
  namedNode,
  prov,
  quad,
  rdf,
  type StreamDescription,
  sosa,
  tree,
  xsd,
} from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';

/** What an entry to a stream says besides its description. */
export interface StreamState {
  /**
   * Expected seconds between updates, where known; written as whole seconds, at least 1, since
   * `ldes:pollingInterval` is an integer.
   */
  readonly pollingIntervalSeconds?: number;
}

/**
 * What a document that is an entry to a stream says of the stream: that the document is a view of it, and how
 * to read its members.
 *
 * @param view - URL of the document
 * @see specs/documents.md
 */
export function streamQuads(description: StreamDescription, view: string, state: StreamState): Quad[] {
  const stream = namedNode(description.iri);
  const seconds = state.pollingIntervalSeconds;
  const statements: [predicate: string, object: Quad['object']][] = [
    [rdf.type, namedNode(ldes.EventStream)],
    [tree.view, namedNode(view)],
    [dct.title, literal(description.title)],
    [ldes.timestampPath, namedNode(prov.generatedAtTime)],
    [ldes.versionOfPath, namedNode(dct.isVersionOf)],
    [ldes.versionTimestampPath, namedNode(sosa.resultTime)],
    [ldes.sequencePath, namedNode(description.sequencePath)],
    [ldes.versionDeleteObject, namedNode(as.Delete)],
  ];
  if (seconds !== undefined) {
    statements.push([ldes.pollingInterval, literal(String(Math.max(1, Math.floor(seconds))), xsd.integer)]);
  }
  return statements.map(([predicate, object]) => quad(stream, namedNode(predicate), object));
}

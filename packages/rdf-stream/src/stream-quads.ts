import type { Quad } from '@rdfjs/types';
import type { StreamDescription } from './stream-description.ts';
import { namedNode, quad } from './terms.ts';
import { as, dct, ldes, prov, rdf, sosa, tree } from './vocabulary.ts';

/**
 * What a document that is an entry to a stream says of the stream: that the document is a view of it, and how
 * to read its members.
 *
 * @param view - URL of the document
 * @see specs/documents.md
 */
export function streamQuads(description: StreamDescription, view: string): Quad[] {
  const stream = namedNode(description.iri);
  const statements: [predicate: string, object: Quad['object']][] = [
    [rdf.type, namedNode(ldes.EventStream)],
    [tree.view, namedNode(view)],
    [ldes.timestampPath, namedNode(prov.generatedAtTime)],
    [ldes.versionOfPath, namedNode(dct.isVersionOf)],
    [ldes.versionTimestampPath, namedNode(sosa.resultTime)],
    [ldes.sequencePath, namedNode(description.sequencePath)],
    [ldes.versionDeleteObject, namedNode(as.Delete)],
  ];
  return statements.map(([predicate, object]) => quad(stream, namedNode(predicate), object));
}

import type { Quad } from '@rdfjs/types';
import { retentionQuads } from './retention-quads.ts';
import type { RetentionPolicy, StreamDescription } from './stream-description.ts';
import { streamQuads } from './stream-quads.ts';
import { namedNode, quad } from './terms.ts';
import { ldes, rdf, tree } from './vocabulary.ts';

/** What a view of the latest state keeps: one version of what lives, and no deletions. @see specs/documents.md DOC-6 */
export const LATEST_RETENTION: RetentionPolicy = { versionAmount: 1, versionDeleteMs: 0 };

/**
 * What the root of a view of the latest state says: the stream, and what it keeps. It says nothing that may change
 * without a commit, since the entity tag of `/latest` is the cursor.
 *
 * @param url - of the root
 * @see specs/documents.md DOC-6
 */
export function latestViewQuads(description: StreamDescription, url: string): Quad[] {
  const node = namedNode(url);
  const view = namedNode(`${url}#view`);
  return [
    ...streamQuads(description, url),
    quad(node, namedNode(rdf.type), namedNode(tree.Node)),
    quad(node, namedNode(tree.viewDescription), view),
    quad(view, namedNode(rdf.type), namedNode(ldes.EventSource)),
    ...retentionQuads(view.value, `${url}#retention`, LATEST_RETENTION),
  ];
}

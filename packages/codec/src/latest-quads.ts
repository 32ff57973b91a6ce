import { ldes, type Member, namedNode, quad, rdf, type StreamDescription, tree } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { memberQuads } from './member-quads.ts';
import { retentionQuads } from './retention-quads.ts';
import { streamQuads } from './stream-quads.ts';

/**
 * The latest-state document: a view of the stream of its own. It says nothing that may change without a commit, since
 * its entity tag is the cursor.
 *
 * @param members - the newest version of each living entity, by sequence
 * @see specs/documents.md DOC-6
 */
export function latestQuads(description: StreamDescription, members: readonly Member[]): Quad[] {
  return [...latestViewQuads(description, `${description.url}/latest`), ...memberQuads(description, members)];
}

/**
 * What the root of a view of the latest state says: the stream, and that it keeps one version of each entity and no
 * deletions.
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
    ...retentionQuads(view.value, `${url}#retention`, { versionAmount: 1, versionDeleteMs: 0 }),
  ];
}

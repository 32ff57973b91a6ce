import {
  ldes,
  literal,
  type Member,
  namedNode,
  quad,
  rdf,
  type StreamDescription,
  tree,
  xsd,
} from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { memberQuads } from './member-quads.ts';
import { streamQuads } from './stream-quads.ts';

/**
 * The latest-state document: a view of the stream of its own, whose retention policy keeps one version of each
 * entity and no deletions. It says nothing that may change without a commit, since its entity tag is the cursor.
 *
 * @param members - the newest version of each living entity, by sequence
 * @see specs/documents.md
 */
export function latestQuads(description: StreamDescription, members: readonly Member[]): Quad[] {
  const url = `${description.url}/latest`;
  const node = namedNode(url);
  const view = namedNode(`${url}#view`);
  // An IRI, since LDES asks for one, and described here, since otherwise it would say that nothing is kept.
  const policy = namedNode(`${url}#retention`);
  return [
    ...streamQuads(description, url),
    quad(node, namedNode(rdf.type), namedNode(tree.Node)),
    quad(node, namedNode(tree.viewDescription), view),
    quad(view, namedNode(rdf.type), namedNode(ldes.EventSource)),
    quad(view, namedNode(ldes.retentionPolicy), policy),
    quad(policy, namedNode(rdf.type), namedNode(ldes.RetentionPolicy)),
    quad(policy, namedNode(ldes.versionAmount), literal('1', xsd.integer)),
    quad(policy, namedNode(ldes.versionDeleteDuration), literal('PT0S', xsd.duration)),
    ...memberQuads(description, members),
  ];
}

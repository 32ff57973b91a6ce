import type { Quad } from '@rdfjs/types';
import { blankNode, literal, namedNode, quad } from './terms.ts';
import { prov, rdf, tree, xsd } from './vocabulary.ts';

/** A node that another node leads to, with what is known of the times of its members. */
export interface NodeLink {
  /** URL of the node. */
  readonly url: string;
  /** Publication time of its first member; absent while it has none. */
  readonly firstTime?: string;
  /** Publication time of its last member; only of a sealed node, which no member will be added to. */
  readonly lastTime?: string;
}

/**
 * The relations of a node to others: from the first member's time on, and before the millisecond that follows
 * the last member's where that is known. A node with no members yet gets a relation without a bound.
 *
 * @param node - URL of the node that they stand on
 * @see specs/documents.md
 */
export function relationQuads(node: string, links: readonly NodeLink[]): Quad[] {
  const relations = links.flatMap(relationsTo);
  return relations.flatMap(({ type, url, bound }, index) => {
    const relation = blankNode(`r${index}`);
    return [
      quad(namedNode(node), namedNode(tree.relation), relation),
      quad(relation, namedNode(rdf.type), namedNode(type)),
      quad(relation, namedNode(tree.node), namedNode(url)),
      ...(bound === undefined
        ? []
        : [
            quad(relation, namedNode(tree.path), namedNode(prov.generatedAtTime)),
            quad(relation, namedNode(tree.value), literal(bound, xsd.dateTime)),
          ]),
    ];
  });
}

interface Relation {
  readonly type: string;
  readonly url: string;
  readonly bound?: string;
}

function relationsTo({ url, firstTime, lastTime }: NodeLink): Relation[] {
  if (firstTime === undefined) return [{ type: tree.Relation, url }];
  const lower = { type: tree.GreaterThanOrEqualToRelation, url, bound: firstTime };
  if (lastTime === undefined) return [lower];
  return [lower, { type: tree.LessThanRelation, url, bound: nextMillisecond(lastTime) }];
}

function nextMillisecond(time: string): string {
  return new Date(Date.parse(time) + 1).toISOString();
}

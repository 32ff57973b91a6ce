import type { Quad } from '@rdfjs/types';
import { latestViewQuads } from './latest-view-quads.ts';
import { nodeQuads } from './node-quads.ts';
import type { StreamDescription } from './stream-description.ts';
import { blankNode, literal, namedNode, quad } from './terms.ts';
import { prefixes, rdf, tree } from './vocabulary.ts';

/** A node of the place view that another leads to. */
export interface TileLink {
  /** URL of the node. */
  readonly url: string;
  /** The area in which its members are, WKT in degrees of longitude and latitude; absent where they have no place. */
  readonly area?: string;
}

/** A node of the place view. */
export interface TileDocument {
  /** Its URL. */
  readonly url: string;
  /** Whether it is the root of the view. */
  readonly isRoot: boolean;
  /** Where it leads. */
  readonly links: readonly TileLink[];
}

/**
 * The document of a node of the place view, its members excepted.
 *
 * @see specs/documents.md DOC-31
 */
export function tileQuads(description: StreamDescription, { url, isRoot, links }: TileDocument): Quad[] {
  const said = isRoot ? latestViewQuads(description, url) : nodeQuads({ url, sealed: false });
  return [...said, ...relationsQuads(url, links)];
}

function relationsQuads(url: string, links: readonly TileLink[]): Quad[] {
  const say = (subject: Quad['subject'], predicate: string, object: Quad['object']) =>
    quad(subject, namedNode(predicate), object);
  const relations = links.flatMap(({ url: target, area }, index) => {
    const relation = blankNode(`r${index}`);
    const type = area === undefined ? tree.Relation : tree.GeospatiallyContainsRelation;
    return [
      say(namedNode(url), tree.relation, relation),
      say(relation, rdf.type, namedNode(type)),
      say(relation, tree.node, namedNode(target)),
      ...(area === undefined
        ? []
        : [say(relation, tree.path, PATH[0]), say(relation, tree.value, literal(area, `${prefixes.geo}wktLiteral`))]),
    ];
  });
  if (links.every(({ area }) => area === undefined)) return relations;
  return [
    ...relations,
    say(PATH[0], rdf.first, namedNode(`${prefixes.geo}hasGeometry`)),
    say(PATH[0], rdf.rest, PATH[1]),
    say(PATH[1], rdf.first, namedNode(`${prefixes.geo}asWKT`)),
    say(PATH[1], rdf.rest, namedNode(rdf.nil)),
  ];
}

// The way from a member to its WKT, a SHACL property path: one list for all relations of a node.
const PATH = [blankNode('path0'), blankNode('path1')] as const;

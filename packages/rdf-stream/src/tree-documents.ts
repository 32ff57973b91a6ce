// The quads of TREE documents, their members excepted: what a document says of the stream, of itself, and of where it
// leads. Equal input gives equal quads in equal order, blank node labels included, so that every server over the same
// log writes the same bytes.
//
//   rootQuads         /vehicles             the stream, what it keeps, the push endpoint  -> ranges
//   rangeQuads        /vehicles/pages/...   itself                                        -> pages
//   nodeQuads         a page, a tail        itself
//   latestViewQuads   /vehicles/latest      the stream, that one version is kept
//   tileQuads         /vehicles/tiles/...   as latestViewQuads at its root                -> tiles
//
//   { url: 'http://h/S/pages/0', firstTime: '2026-01-01T00:00:00.000Z', lastTime: '2026-01-01T23:59:59.999Z' }
//     becomes a tree:GreaterThanOrEqualToRelation from firstTime on, and a tree:LessThanRelation before the millisecond
//     after lastTime.

import type { Quad, Quad_Object, Quad_Subject } from '@rdfjs/types';
import type { RetentionPolicy, StreamDescription } from './stream-description.ts';
import { blankNode, literal, namedNode, quad } from './terms.ts';
import { as, dcat, dct, ldes, prefixes, prov, rdf, sosa, tree, xsd } from './vocabulary.ts';

/** The root node of a stream. */
export interface RootDocument {
  /**
   * Expected seconds between updates, where known; written as whole seconds, at least 1, since
   * `ldes:pollingInterval` is an integer.
   */
  readonly pollingIntervalSeconds?: number | undefined;
  /** IRI of the shape of its members, where it has one. */
  readonly shape?: string | undefined;
  /** Its ranges of pages, in order. */
  readonly ranges: readonly NodeLink[];
}

/** A node of the search tree below the root. */
export interface TreeNode {
  /** Its URL. */
  readonly url: string;
  /** Whether it is full and can never change. */
  readonly sealed: boolean;
}

/** A range of pages. */
export interface RangeDocument extends TreeNode {
  /** Its pages, in order. */
  readonly pages: readonly NodeLink[];
}

/** A node that another node leads to, with what is known of the times of its members. */
export interface NodeLink {
  /** URL of the node. */
  readonly url: string;
  /** Publication time of its first member; absent while it has none. */
  readonly firstTime?: string | undefined;
  /** Publication time of its last member; only of a sealed node, which no member will be added to. */
  readonly lastTime?: string | undefined;
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

/** A node of the place view that another leads to. */
export interface TileLink {
  /** URL of the node. */
  readonly url: string;
  /** The area in which its members are, WKT in degrees of longitude and latitude; absent where they have no place. */
  readonly area?: string | undefined;
}

/** What a view of the latest state keeps: one version of what lives, and no deletions. @see specs/documents.md DOC-6 */
export const LATEST_RETENTION: RetentionPolicy = { versionAmount: 1, versionDeleteMs: 0 };

/**
 * The document of the root node: the stream, what it keeps, the push endpoint, and the relations to the ranges of
 * pages.
 *
 * @see specs/documents.md
 */
export function rootQuads(description: StreamDescription, root: RootDocument): Quad[] {
  const { iri, url, retention } = description;
  const [view, push] = [`${url}#view`, `${url}#push`];
  return [
    ...streamQuads(description, url),
    ...streamSummaryQuads(description, root),
    statement(url, rdf.type, namedNode(tree.Node)),
    statement(url, tree.viewDescription, namedNode(view)),
    statement(view, rdf.type, namedNode(ldes.EventSource)),
    ...(retention ? retentionQuads(view, `${url}#retention`, retention) : []),
    statement(view, dcat.accessService, namedNode(push)),
    statement(push, rdf.type, namedNode(dcat.DataService)),
    statement(push, dcat.endpointURL, namedNode(`${url}/events`)),
    statement(push, dcat.servesDataset, namedNode(iri)),
    ...relationQuads(url, root.ranges),
  ];
}

/**
 * The document of a range of pages: the relations to them, from the first member's time on, and before the millisecond
 * that follows the last member's where that is known. A page with no members yet gets a relation without a bound.
 *
 * @see specs/documents.md DOC-5
 */
export function rangeQuads(range: RangeDocument): Quad[] {
  return [...nodeQuads(range), ...relationQuads(range.url, range.pages)];
}

/** What a node below the root says of itself: that it never changes, if so; nothing of the kind otherwise. */
export function nodeQuads({ url, sealed }: TreeNode): Quad[] {
  const type = statement(url, rdf.type, namedNode(tree.Node));
  return sealed ? [type, statement(url, ldes.immutable, literal('true', xsd.boolean))] : [type];
}

/**
 * What the root of a view of the latest state says: the stream, and what it keeps. It says nothing that may change
 * without a commit, since the entity tag of `/latest` is the cursor.
 *
 * @param url - of the root
 * @see specs/documents.md DOC-6
 */
export function latestViewQuads(description: StreamDescription, url: string): Quad[] {
  const view = `${url}#view`;
  return [
    ...streamQuads(description, url),
    statement(url, rdf.type, namedNode(tree.Node)),
    statement(url, tree.viewDescription, namedNode(view)),
    statement(view, rdf.type, namedNode(ldes.EventSource)),
    ...retentionQuads(view, `${url}#retention`, LATEST_RETENTION),
  ];
}

/**
 * The document of a node of the place view, its members excepted.
 *
 * @see specs/documents.md DOC-31
 */
export function tileQuads(description: StreamDescription, { url, isRoot, links }: TileDocument): Quad[] {
  const quads = isRoot ? latestViewQuads(description, url) : nodeQuads({ url, sealed: false });
  for (const [index, { url: target, area }] of links.entries()) {
    const bound = area === undefined ? undefined : literal(area, `${prefixes.geo}wktLiteral`);
    const type = bound ? tree.GeospatiallyContainsRelation : tree.Relation;
    quads.push(...relation(url, index, { type, target, path: PLACE_PATH[0], bound }));
  }
  if (links.every(({ area }) => area === undefined)) return quads;
  // One list for all relations of a node.
  return [
    ...quads,
    statement(PLACE_PATH[0], rdf.first, namedNode(`${prefixes.geo}hasGeometry`)),
    statement(PLACE_PATH[0], rdf.rest, PLACE_PATH[1]),
    statement(PLACE_PATH[1], rdf.first, namedNode(`${prefixes.geo}asWKT`)),
    statement(PLACE_PATH[1], rdf.rest, namedNode(rdf.nil)),
  ];
}

/**
 * What a document that is an entry to a stream says of the stream: that the document is a view of it, and how
 * to read its members.
 *
 * @param view - URL of the document
 * @see specs/documents.md
 */
export function streamQuads({ iri, sequencePath }: StreamDescription, view: string): Quad[] {
  return [
    statement(iri, rdf.type, namedNode(ldes.EventStream)),
    statement(iri, tree.view, namedNode(view)),
    statement(iri, ldes.timestampPath, namedNode(prov.generatedAtTime)),
    statement(iri, ldes.versionOfPath, namedNode(dct.isVersionOf)),
    statement(iri, ldes.versionTimestampPath, namedNode(sosa.resultTime)),
    statement(iri, ldes.sequencePath, namedNode(sequencePath)),
    statement(iri, ldes.versionDeleteObject, namedNode(as.Delete)),
  ];
}

/**
 * What the root and the catalogue say of a stream in the same words: its title, its shape, and how often to ask.
 *
 * @see specs/documents.md DOC-2, DOC-50
 */
export function streamSummaryQuads(
  { iri, title }: StreamDescription,
  { pollingIntervalSeconds, shape }: Pick<RootDocument, 'pollingIntervalSeconds' | 'shape'>,
): Quad[] {
  const quads = [statement(iri, dct.title, literal(title))];
  if (shape !== undefined) quads.push(statement(iri, tree.shape, namedNode(shape)));
  if (pollingIntervalSeconds !== undefined) {
    const whole = String(Math.max(1, Math.floor(pollingIntervalSeconds)));
    quads.push(statement(iri, ldes.pollingInterval, literal(whole, xsd.integer)));
  }
  return quads;
}

/**
 * What a view keeps: the policy, and what it is.
 *
 * The policy has an IRI, since LDES asks for one, and is described beside it, since otherwise it would say that
 * nothing is kept.
 *
 * @param view - IRI of the view's description
 * @param policyIri - IRI of the policy
 * @see specs/documents.md DOC-26
 * @see https://w3id.org/ldes/specification#retention
 */
export function retentionQuads(view: string, policyIri: string, policy: RetentionPolicy): Quad[] {
  const { startingFrom, fullLogMs, versionAmount, versionMs, versionDeleteMs } = policy;
  const duration = (ms: number | undefined) => (ms === undefined ? undefined : literal(xsdDuration(ms), xsd.duration));
  const parts: [predicate: string, object: Quad_Object | undefined][] = [
    [rdf.type, namedNode(ldes.RetentionPolicy)],
    [ldes.startingFrom, startingFrom === undefined ? undefined : literal(startingFrom, xsd.dateTime)],
    [ldes.fullLogDuration, duration(fullLogMs)],
    [ldes.versionAmount, versionAmount === undefined ? undefined : literal(String(versionAmount), xsd.integer)],
    [ldes.versionDuration, duration(versionMs)],
    [ldes.versionDeleteDuration, duration(versionDeleteMs)],
  ];
  return [
    statement(view, ldes.retentionPolicy, namedNode(policyIri)),
    ...parts.flatMap(([predicate, object]) => (object ? [statement(policyIri, predicate, object)] : [])),
  ];
}

interface Relation {
  readonly type: string;
  readonly target: string;
  readonly path: Quad_Object;
  /** What it is bounded by; without it, it has no path either. */
  readonly bound?: Quad_Object | undefined;
}

function relationQuads(node: string, links: readonly NodeLink[]): Quad[] {
  const path = namedNode(prov.generatedAtTime);
  const relations = links.flatMap(({ url: target, firstTime, lastTime }): Relation[] => {
    if (firstTime === undefined) return [{ type: tree.Relation, target, path }];
    const bound = literal(firstTime, xsd.dateTime);
    const lower = { type: tree.GreaterThanOrEqualToRelation, target, path, bound };
    if (lastTime === undefined) return [lower];
    const next = new Date(Date.parse(lastTime) + 1).toISOString();
    return [lower, { type: tree.LessThanRelation, target, path, bound: literal(next, xsd.dateTime) }];
  });
  return relations.flatMap((one, index) => relation(node, index, one));
}

function relation(node: string, index: number, { type, target, path, bound }: Relation): Quad[] {
  const subject = blankNode(`r${index}`);
  const quads = [
    statement(node, tree.relation, subject),
    statement(subject, rdf.type, namedNode(type)),
    statement(subject, tree.node, namedNode(target)),
  ];
  if (bound) quads.push(statement(subject, tree.path, path), statement(subject, tree.value, bound));
  return quads;
}

// The way from a member to its WKT, a SHACL property path.
const PLACE_PATH = [blankNode('path0'), blankNode('path1')] as const;

function statement(subject: string | Quad_Subject, predicate: string, object: Quad_Object): Quad {
  return quad(typeof subject === 'string' ? namedNode(subject) : subject, namedNode(predicate), object);
}

const UNITS = [
  { letter: 'D', ms: 86_400_000 },
  { letter: 'H', ms: 3_600_000 },
  { letter: 'M', ms: 60_000 },
] as const;

// Of whole milliseconds, 0 or more, in days and less: P7D, PT1H30M, PT0.5S.
function xsdDuration(ms: number): string {
  let rest = ms;
  const [days, hours, minutes] = UNITS.map((unit) => {
    const count = Math.floor(rest / unit.ms);
    rest -= count * unit.ms;
    return count === 0 ? '' : `${count}${unit.letter}`;
  });
  const seconds = rest === 0 ? '' : `${rest / 1000}S`;
  const time = `${hours}${minutes}${seconds}`;
  if (time !== '') return `P${days}T${time}`;
  return days === '' ? 'PT0S' : `P${days}`;
}

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
import { as, dcat, dct, ldes, prefixes, prov, rdf, sosa, tree, voidTerms, xsd } from './vocabulary.ts';

/** The root node of a stream. */
export interface RootDocument {
  /** Expected seconds between updates; written as whole ones, since `ldes:pollingInterval` is an integer. Below 1, none. */
  readonly pollingIntervalSeconds?: number | undefined;
  /** IRI of the shape of its members, where it has one. */
  readonly shape?: string | undefined;
  /** Where it takes SPARQL queries. */
  readonly sparqlEndpoint?: string | undefined;
  /** Its ranges of pages, in order. */
  readonly ranges: readonly NodeLink[];
}

/** A node of the search tree below the root. */
export interface TreeNode {
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
  readonly url: string;
  /** Publication time of its first member; absent while it has none. */
  readonly firstTime?: string | undefined;
  /** Publication time of its last member; only of a sealed node, which no member will be added to. */
  readonly lastTime?: string | undefined;
}

/** A node of the place view. */
export interface TileDocument {
  readonly url: string;
  /** Whether it is the root of the view. */
  readonly isRoot: boolean;
  /** IRI of the shape of its members, which the root of the view names. */
  readonly shape?: string | undefined;
  readonly links: readonly TileLink[];
}

/** A node of the place view that another leads to. */
export interface TileLink {
  readonly url: string;
  /** The area in which its members are, WKT in degrees of longitude and latitude; absent where they have no place. */
  readonly area?: string | undefined;
}

/** What a view of the latest state keeps: one version of what lives, and no deletions. */
export const LATEST_RETENTION: RetentionPolicy = { versionAmount: 1, versionDeleteMs: 0 };

/**
 * The document of the root node: the stream, what it keeps, the push endpoint, and the relations to the ranges of pages.
 *
 * @see specs/documents.md DOC-2, DOC-5, DOC-6, DOC-26, DOC-31, DOC-15 for all that is here
 */
export function rootQuads(description: StreamDescription, root: RootDocument): Quad[] {
  const { iri, url, retention } = description;
  const [view, push] = [`${url}#view`, `${url}#push`];
  return [
    ...streamQuads(description, url),
    ...streamSummaryQuads(description, root),
    ...viewQuads(url),
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
 * What the root of a view of the latest state, at `url`, says: the stream, and what it keeps. It says nothing that may
 * change without a commit, since the entity tag of `/latest` is the cursor.
 *
 * @param shape - IRI of the shape of its members, where it has one
 */
export function latestViewQuads(description: StreamDescription, url: string, shape?: string): Quad[] {
  return [
    ...streamQuads(description, url),
    ...(shape === undefined ? [] : [statement(description.iri, tree.shape, namedNode(shape))]),
    ...viewQuads(url),
    ...retentionQuads(`${url}#view`, `${url}#retention`, LATEST_RETENTION),
  ];
}

/** The document of a node of the place view. */
export function tileQuads(description: StreamDescription, { url, isRoot, shape, links }: TileDocument): Quad[] {
  const quads = isRoot ? latestViewQuads(description, url, shape) : nodeQuads({ url, sealed: false });
  for (const [index, { url: target, area }] of links.entries()) {
    const bound = area === undefined ? undefined : literal(area, `${prefixes.geo}wktLiteral`);
    const type = bound ? tree.GeospatiallyContainsRelation : tree.Relation;
    quads.push(...relation(url, index, type, target, PLACE_PATH[0], bound));
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

/** What the document at `view`, an entry to a stream, says of it: that it is a view, and how to read its members. */
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

/** What the root and the catalogue say of a stream in the same words: its title, its shape, and how often to ask. */
export function streamSummaryQuads(
  { iri, title }: StreamDescription,
  { pollingIntervalSeconds, shape, sparqlEndpoint }: Omit<RootDocument, 'ranges'>,
): Quad[] {
  const quads = [statement(iri, dct.title, literal(title))];
  if (shape !== undefined) quads.push(statement(iri, tree.shape, namedNode(shape)));
  if (sparqlEndpoint !== undefined) quads.push(statement(iri, voidTerms.sparqlEndpoint, namedNode(sparqlEndpoint)));
  const wholeSeconds = Math.floor(pollingIntervalSeconds ?? 0);
  if (wholeSeconds >= 1) quads.push(statement(iri, ldes.pollingInterval, literal(String(wholeSeconds), xsd.integer)));
  return quads;
}

/**
 * What a view, by the IRI of its description, keeps. The policy has an IRI, since LDES asks for one, and is described
 * beside it, since otherwise it would say that nothing is kept.
 *
 * @see https://w3id.org/ldes/specification#retention
 */
export function retentionQuads(view: string, policyIri: string, policy: RetentionPolicy): Quad[] {
  const { startingFrom, fullLogMs, versionAmount, versionMs, versionDeleteMs } = policy;
  const duration = (ms: number | undefined) => (ms === undefined ? undefined : xsdDuration(ms));
  const parts = [
    [ldes.startingFrom, startingFrom, xsd.dateTime],
    [ldes.fullLogDuration, duration(fullLogMs), xsd.duration],
    [ldes.versionAmount, versionAmount?.toString(), xsd.integer],
    [ldes.versionDuration, duration(versionMs), xsd.duration],
    [ldes.versionDeleteDuration, duration(versionDeleteMs), xsd.duration],
  ] as const;
  return [
    statement(view, ldes.retentionPolicy, namedNode(policyIri)),
    statement(policyIri, rdf.type, namedNode(ldes.RetentionPolicy)),
    ...parts.flatMap(([predicate, value, type]) =>
      value === undefined ? [] : [statement(policyIri, predicate, literal(value, type))],
    ),
  ];
}

// What a document says of itself as a view; the description of the view is at `#view`.
function viewQuads(url: string): Quad[] {
  return [
    statement(url, rdf.type, namedNode(tree.Node)),
    statement(url, tree.viewDescription, namedNode(`${url}#view`)),
    statement(`${url}#view`, rdf.type, namedNode(ldes.EventSource)),
  ];
}

function relationQuads(node: string, links: readonly NodeLink[]): Quad[] {
  let index = 0;
  return links.flatMap(({ url, firstTime, lastTime }) => {
    const bounded = (type: string, time: string) =>
      relation(node, index++, type, url, namedNode(prov.generatedAtTime), literal(time, xsd.dateTime));
    if (firstTime === undefined) return relation(node, index++, tree.Relation, url);
    const lower = bounded(tree.GreaterThanOrEqualToRelation, firstTime);
    if (lastTime === undefined) return lower;
    return [...lower, ...bounded(tree.LessThanRelation, new Date(Date.parse(lastTime) + 1).toISOString())];
  });
}

function relation(
  node: string,
  index: number,
  type: string,
  target: string,
  path?: Quad_Object,
  value?: Quad_Object,
): Quad[] {
  const subject = blankNode(`r${index}`);
  const quads = [
    statement(node, tree.relation, subject),
    statement(subject, rdf.type, namedNode(type)),
    statement(subject, tree.node, namedNode(target)),
  ];
  if (path && value) quads.push(statement(subject, tree.path, path), statement(subject, tree.value, value));
  return quads;
}

// The way from a member to its WKT, a SHACL property path.
const PLACE_PATH = [blankNode('path0'), blankNode('path1')] as const;

function statement(subject: string | Quad_Subject, predicate: string, object: Quad_Object): Quad {
  return quad(typeof subject === 'string' ? namedNode(subject) : subject, namedNode(predicate), object);
}

// Of whole milliseconds, 0 or more, in days and less: P7D, PT1H30M, PT0.5S.
function xsdDuration(ms: number): string {
  const part = (count: number, letter: string) => (count === 0 ? '' : `${count}${letter}`);
  const days = part(Math.floor(ms / 86_400_000), 'D');
  const hours = part(Math.floor(ms / 3_600_000) % 24, 'H');
  const time = `${hours}${part(Math.floor(ms / 60_000) % 60, 'M')}${part((ms % 60_000) / 1000, 'S')}`;
  if (time !== '') return `P${days}T${time}`;
  return days === '' ? 'PT0S' : `P${days}`;
}

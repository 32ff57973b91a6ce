// What a check has seen: the survey gathers it, and rules are pure functions of it.
//
//   { knownNodes: 40,
//     way: [{ document, streams: ['http://a/s#stream'], isMoved: false, leadsTo: [] }],
//     stream: { iri: 'http://a/s#stream', timestampPath: 'http://www.w3.org/ns/prov#generatedAtTime' },
//     nodes: [{ url: 'http://a/s', status: 200, fields: { etag: '"k3x9a-42"' }, format: 'turtle', quads,
//       isMutable: true, maxAgeSeconds: 20, relations: [{ types: [], nodes: [], paths: [], values: [] }], members: [] }],
//     probes: [{ kind: 'conditional', about: node, answer: document }], push: [], refusals: [] }
//
// A document that cannot be read has a `problem`, and no quads.

import {
  type Format,
  formatOf,
  isStreamError,
  ldes,
  parsedUrl,
  parseQuads,
  prefixes,
  rdf,
  termText,
  tree,
} from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import type { Exchange } from './http.ts';

/** The answer to a request, after redirects, with what it says as far as it can be read. Its URL is the base IRI. */
export type CheckedDocument = Awaited<ReturnType<typeof checkedDocument>>;
export type CheckedRelation = ReturnType<typeof relationOf>;
export type CheckedMember = ReturnType<typeof memberOf>;

/** A document that has been read as a node of the view. */
export interface CheckedNode extends CheckedDocument {
  readonly relations: readonly CheckedRelation[];
  readonly members: readonly CheckedMember[];
  /** The node that it was first reached from, with the relations that lead here; absent of the root. */
  readonly from?: { readonly node: CheckedNode; readonly relations: readonly CheckedRelation[] } | undefined;
}

/** A document on the way to the root of a view, or the root. */
interface WayStep {
  readonly document: CheckedDocument;
  /** Of which it is the root: one stream or, which is wrong, several. */
  readonly streams: readonly string[];
  /** Whether it is so by the URL that was redirected here, and not by its own. */
  readonly isMoved: boolean;
  /** The views that a document leads to that is not a root. */
  readonly leadsTo: readonly string[];
}

/** A question about a node that has been read, beside the reading of it. */
export interface Probe {
  readonly kind:
    | 'conditional' // With `If-None-Match`, of the entity tag that the exchange before it had.
    | 'head'
    | 'format' // For another format.
    | 'weights' // For two formats, the one that came by itself at a low weight.
    | 'encoding' // With another `Accept-Encoding`.
    | 'again' // The same once more, at the end.
    | 'cross-origin' // As a browser on another site would.
    | 'unknown'; // For a document beside it that is not there.
  readonly about: CheckedNode;
  readonly answer: CheckedDocument;
}

/** All that a check has seen: what the rules judge. */
export interface Evidence {
  /** The documents on the way to the root, and the root as the last; more than one only where the first leads on. */
  readonly way: readonly WayStep[];
  /** Absent where no root was found. */
  readonly stream?: StreamFacts;
  /** The nodes that were read, the root first. */
  readonly nodes: readonly CheckedNode[];
  /** How many nodes are known, read or not. */
  readonly knownNodes: number;
  readonly probes: readonly Probe[];
  /** How the push endpoints answered, and where they are stated. */
  readonly push: readonly (Exchange & { readonly statedBy: string })[];
  /** The answers by 429 and 503. */
  readonly refusals: readonly Exchange[];
}

/** Reads what a URL, without fragment, was answered with, up to a number of statements. */
export async function checkedDocument(requestedUrl: string, exchange: Exchange, limitQuads: number) {
  const { url, fields } = exchange;
  const { format, quads = [], problem } = await readContent(exchange, limitQuads);
  const stated = objectsOf(aboutOf(quads, url), ldes.immutable).map(({ value }) => value);
  const isImmutable = stated.some((value) => /^(1|true)$/.test(value));
  const caching = readCacheControl(fields['cache-control']);
  const maxAges = ['max-age', 's-maxage'].flatMap((directive) => caching.secondsOf(directive) ?? []);
  const dateMs = timeMs(fields.date, HTTP_DATE);
  return {
    ...exchange,
    requestedUrl,
    format,
    /** In the order of the text, except of JSON-LD, which has none. */
    quads,
    /** Why it cannot be read. */
    problem,
    /** What it says of itself by `ldes:immutable`. */
    isImmutable,
    saysMutable: stated.some((value) => /^(0|false)$/.test(value)),
    /** Whether it may change, by all that it says. */
    isMutable: !isImmutable && !caching.has('immutable'),
    caching,
    /** For how long a cache may keep it; `undefined` when no directive says so. */
    maxAgeSeconds: maxAges.length === 0 ? undefined : Math.max(...maxAges),
    expiresMs: timeMs(fields.expires, HTTP_DATE),
    dateMs,
    /** The server's clock when it answered; ours where it did not say. */
    answeredMs: dateMs ?? exchange.sentMs,
    /** When the next update is expected. */
    nextUpdateMs: timeMs(fields['next-update'], INSTANT),
  };
}

// Date.parse takes much that is no HTTP-date ("0" is a year): a date begins with its weekday.
const HTTP_DATE = /^[A-Z][a-z]{2,8},? /;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function timeMs(text: string | undefined, pattern: RegExp): number | undefined {
  const ms = text !== undefined && pattern.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

interface Content {
  readonly format?: Format;
  readonly quads?: readonly Quad[];
  /** `saw` is for people. */
  readonly problem?: {
    readonly kind: 'unanswered' | 'status' | 'media-type' | 'content' | 'remote-context';
    readonly saw: string;
  };
}

async function readContent({ status, fields, text, url, failure }: Exchange, limitQuads: number): Promise<Content> {
  const { location, 'content-type': type } = fields;
  if (failure !== undefined) {
    const saw = status === 0 ? `no response: ${failure}` : `status ${status}, but ${failure}`;
    return { problem: { kind: 'unanswered', saw } };
  }
  if (status !== 200) {
    return { problem: { kind: 'status', saw: `status ${status}${location === undefined ? '' : ` to ${location}`}` } };
  }
  const format = formatOf(type ?? '');
  if (format === undefined) {
    return { problem: { kind: 'media-type', saw: type === undefined ? 'no Content-Type' : `Content-Type: ${type}` } };
  }
  try {
    return { format, quads: await parseQuads(text, format, url, { limitQuads }) };
  } catch (error) {
    if (!isStreamError(error)) throw error;
    const kind = isStreamError(error, 'ERR_JSONLD_CONTEXT_REFUSED') ? 'remote-context' : 'content';
    return { format, problem: { kind, saw: error.message } };
  }
}

/** A `Cache-Control` field, read. */
export type CacheControl = ReturnType<typeof readCacheControl>;

/** Reads a `Cache-Control` field. @see https://www.rfc-editor.org/rfc/rfc9111#section-5.2 */
export function readCacheControl(field: string | undefined) {
  const directives = new Map<string, string>();
  const repeated: string[] = [];
  for (const [, name = '', quoted, bare] of (field ?? '').matchAll(/([^\s,=]+)(?:\s*=\s*(?:"([^"]*)"|([^\s,]*)))?/g)) {
    const known = name.toLowerCase();
    if (directives.has(known)) repeated.push(known);
    else directives.set(known, quoted ?? bare ?? '');
  }
  return {
    field,
    /** Names that stand more than once. */
    repeated,
    /** Whether one of the directives is there. */
    has: (...names: string[]) => names.some((name) => directives.has(name)),
    /** Of the directive where it stands first; `undefined` when it is absent or no number of seconds. */
    secondsOf: (name: string) => {
      const value = directives.get(name) ?? '';
      return /^\d{1,10}$/.test(value) ? Number(value) : undefined;
    },
  };
}

/** What the value of a relation is to the members, `member OPERATOR value`, where it orders. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  [`${prefixes.tree}GreaterThanRelation`, '>'],
  [`${prefixes.tree}GreaterThanOrEqualToRelation`, '>='],
  [`${prefixes.tree}LessThanRelation`, '<'],
  [`${prefixes.tree}LessThanOrEqualToRelation`, '<='],
  [`${prefixes.tree}EqualToRelation`, '='],
]);

/** Reads a document as a node of the view. */
export function treeNode(document: CheckedDocument, stream: StreamFacts, from: CheckedNode['from']): CheckedNode {
  const stars = new Map<string, Quad[]>();
  for (const quad of document.quads) {
    const { subject, graph } = quad;
    const isOwn = graph.termType === 'DefaultGraph' || graph.value === subject.value;
    if (isOwn || subject.termType === 'BlankNode') addTo(stars, termText(subject), quad);
  }
  const starOf = (term: Term) => stars.get(termText(term)) ?? [];
  const members = membersOf(document.quads, stream.iri).map((term) => memberOf(term, starOf(term), stream));
  const relations = objectsOf(stars.get(`<${document.url}>`) ?? [], tree.relation);
  return { ...document, relations: relations.map((relation) => relationOf(starOf(relation))), members, from };
}

// The star is what is said of it in the default graph and in the graph that it names.
function memberOf(term: Term, star: readonly Quad[], { timestampPath }: StreamFacts) {
  /** Its times of publication, and those that can be read; none where the stream does not say what they are. */
  const times = objectsOf(star, timestampPath);
  return { term, star, times, instants: times.flatMap((time) => instantOf(time) ?? []) };
}

function relationOf(star: readonly Quad[]) {
  const values = (property: string) => objectsOf(star, property);
  const types = values(rdf.type).map(({ value }) => value);
  const nodes = values(tree.node);
  const [node] = nodes;
  return {
    types,
    operator: types.map((type) => OPERATORS.get(type)).find((known) => known !== undefined),
    nodes,
    /** Where it leads, without fragment; `undefined` unless it has one node that can be asked for. */
    target: nodes.length === 1 && node?.termType === 'NamedNode' ? withoutFragment(node.value) : undefined,
    paths: values(tree.path),
    values: values(tree.value),
  };
}

/** The members of a stream that a document has. */
export function membersOf(quads: readonly Quad[], stream: string): Term[] {
  return objectsOf(aboutOf(quads, stream), tree.member);
}

/** What some quads say of a subject. */
export function aboutOf(quads: readonly Quad[], subject: string): Quad[] {
  return quads.filter((quad) => quad.subject.value === subject);
}

/** The objects of what some quads say by a predicate, each once. */
export function objectsOf(quads: readonly Quad[], predicate: string | undefined): Term[] {
  const said = quads.filter((quad) => quad.predicate.value === predicate);
  return [...new Map(said.map(({ object }) => [termText(object), object])).values()];
}

/** What some quads say, to compare it: labels of blank nodes and the order of statements may differ. */
export function textOf(
  quads: readonly Quad[],
  ...parts: readonly ('subject' | 'predicate' | 'object' | 'graph')[]
): string {
  const text = ({ termType, value }: Term) => (termType === 'BlankNode' ? '_' : value);
  return [...new Set(quads.map((quad) => parts.map((part) => text(quad[part])).join(' ')))].sort().join('\n');
}

/** Adds to the list of a key, in place: a copy for each of very many would take for ever. */
export function addTo<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** A URL as it is asked for; `undefined` when it is none of HTTP. `base` is what a relative reference is resolved against. */
export function withoutFragment(url: string, base?: string): string | undefined {
  const parsed = parsedUrl(url, base);
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) return undefined;
  parsed.hash = '';
  return parsed.href;
}

/** What the root says of its stream. */
export type StreamFacts = ReturnType<typeof streamFacts>;

export function streamFacts(root: CheckedDocument, iri: string) {
  const views = objectsOf(aboutOf(root.quads, root.url), tree.viewDescription);
  const subjects = new Set([iri, root.url, ...views.map(({ value }) => value)]);
  const stated = root.quads.filter(({ subject }) => subjects.has(subject.value));
  const about = (property: string) => objectsOf(stated, property);
  const predicateOf = (property: string) => {
    const [object, ...others] = about(property);
    return object?.termType === 'NamedNode' && others.length === 0 ? object.value : undefined;
  };
  const polling = about(ldes.pollingInterval)[0]?.value ?? '';
  return {
    iri,
    /** What the stream, the root or the description of the view say by a property. */
    about,
    /** The single predicate that the property names, where it does: so here and of the next. */
    timestampPath: predicateOf(ldes.timestampPath),
    sequencePath: predicateOf(ldes.sequencePath),
    versionOfPath: predicateOf(ldes.versionOfPath),
    /** Where they are stated and make sense. */
    pollingIntervalSeconds: /^\d+$/.test(polling) && Number(polling) > 0 ? Number(polling) : undefined,
  };
}

export function readableNodes({ nodes }: Evidence): CheckedNode[] {
  return nodes.filter(({ problem }) => problem === undefined);
}

/** The nodes that may change, the root first where it does. */
export function mutableNodes(evidence: Evidence): CheckedNode[] {
  return readableNodes(evidence).filter(({ isMutable }) => isMutable);
}

/**
 * Whether the relations of a view go by the times of publication: then it is what readers replicate and keep in step
 * with, other than views of the latest state or by place.
 */
export function isViewByTime({ nodes, stream }: Evidence): boolean {
  const paths = nodes.flatMap(({ relations }) => relations.flatMap((relation) => relation.paths));
  return paths.some(({ value }) => value === stream?.timestampPath);
}

const DATE_TIME = /^(-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?$/;

/**
 * The instant of an xsd:dateTime in nanoseconds, so that no digit of one gets lost; one without timezone is taken
 * for UTC. `undefined` when the term is none.
 */
export function instantOf({ value }: Term): bigint | undefined {
  const [, seconds, fraction = '', zone = 'Z'] = DATE_TIME.exec(value) ?? [];
  const ms = seconds === undefined ? Number.NaN : Date.parse(`${seconds}${zone}`);
  return Number.isNaN(ms) ? undefined : BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9));
}

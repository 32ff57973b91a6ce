// Members out of a document that publishes them: first how the stream says that they are to be read, then the members.
//
//   quads --readStreamContext--> { stream: 'http://h/S#stream', timestampPath: '.../prov#generatedAtTime',
//                                  versionOfPath: '.../isVersionOf', sequencePath: '...#sequence', ... }
//   quads --readMembers(context)--> [{ id: 'http://h/S/entities/1#2026-...', entity, kind: 'upsert', sequence: 42, ... }]

import type { Quad, Term } from '@rdfjs/types';
import { errors } from './errors.ts';
import type { Member } from './member.ts';
import { relabelBlankNodes, termKey } from './terms.ts';
import { as, ldes, prefixes, rdf, tree } from './vocabulary.ts';

/** How to read the members of a stream, as an entry to it says. */
export interface StreamContext {
  /** IRI of the event stream. */
  readonly stream: string;
  /** Property that holds a member's publication time. */
  readonly timestampPath: string;
  /** Property that holds the entity that a member is a version of. */
  readonly versionOfPath: string;
  /** Property that holds a member's sequence number. */
  readonly sequencePath: string;
  /** Property that holds the source's own time; absent when the stream has none. */
  readonly versionTimestampPath?: string | undefined;
  /** The type of a member that ends its entity; `as:Delete` unless the stream names another. */
  readonly versionDeleteObject: string;
  /** Seconds between updates, as the publisher expects them. */
  readonly pollingIntervalSeconds?: number | undefined;
}

/**
 * Reads the context of a stream from the document that is an entry to it: the root node or the latest state. Properties
 * are looked up on the stream, on the node and on its view description.
 *
 * @param documentUrl - URL of the document, after redirects
 * @throws {@link StreamError} `ERR_VIEW_NOT_FOUND` - the document is the view of no stream
 * @throws {@link StreamError} `ERR_VIEW_AMBIGUOUS` - it is the view of several
 * @throws {@link StreamError} `ERR_STREAM_CONTEXT_INCOMPLETE` - timestampPath, versionOfPath or sequencePath is
 * missing, stated more than once, or not a single predicate
 * @see https://w3id.org/ldes/specification
 */
export function readStreamContext(quads: readonly Quad[], documentUrl: string): StreamContext {
  const stream = streamOf(quads, documentUrl);
  const subjects = new Set([stream, documentUrl]);
  for (const { subject, predicate, object } of quads) {
    if (subject.value === documentUrl && predicate.value === tree.viewDescription) subjects.add(object.value);
  }
  const objects = (property: string): Term[] =>
    distinct(
      quads.flatMap(({ subject, predicate, object }) =>
        predicate.value === property && subjects.has(subject.value) ? [object] : [],
      ),
    );
  const iri = (property: string): string | undefined => {
    const [object, ...others] = objects(property);
    return object?.termType === 'NamedNode' && others.length === 0 ? object.value : undefined;
  };
  const required = (property: string): string => {
    const found = iri(property);
    if (found === undefined) throw errors.ERR_STREAM_CONTEXT_INCOMPLETE({ stream, property });
    return found;
  };
  const seconds = Number(objects(ldes.pollingInterval)[0]?.value);
  return {
    stream,
    timestampPath: required(ldes.timestampPath),
    versionOfPath: required(ldes.versionOfPath),
    sequencePath: required(ldes.sequencePath),
    versionTimestampPath: iri(ldes.versionTimestampPath),
    versionDeleteObject: iri(ldes.versionDeleteObject) ?? as.Delete,
    pollingIntervalSeconds: seconds > 0 && Number.isFinite(seconds) ? seconds : undefined,
  };
}

function streamOf(quads: readonly Quad[], url: string): string {
  const views = quads.filter(({ predicate, object }) => predicate.value === tree.view && object.value === url);
  const streams = distinct(views.map(({ subject }) => subject)).map(({ value }) => value);
  const [stream] = streams;
  if (stream === undefined) throw errors.ERR_VIEW_NOT_FOUND({ url });
  if (streams.length > 1) throw errors.ERR_VIEW_AMBIGUOUS({ url, streams });
  return stream;
}

// By key, since comparing all with all would let a document of many cost the square of it.
function distinct(terms: readonly Term[]): Term[] {
  return [...new Map(terms.map((term) => [`${term.termType} ${term.value}`, term])).values()];
}

/** How much may be read. */
export interface ReadOptions {
  /**
   * The most quads that the members of one document may have together. Members that share blank nodes each get a copy, so
   * that a small document could otherwise ask for a lot of memory. @defaultValue 1,000,000
   */
  readonly limitQuads?: number | undefined;
}

/**
 * Reads the members of a stream from a document, by sequence.
 *
 * A member has what the default graph says of it, everything in the graph that it names, and, through blank nodes, what
 * any graph says of those. What the default graph says of an IRI that a member leads to, such as the sensor of an
 * observation, belongs to it too, unless that is another member, the entity, a class, or the document itself. Blank nodes
 * are renamed as `relabelBlankNodes` does.
 *
 * @throws {@link StreamError} `ERR_MEMBER_MALFORMED` - a member that is not an IRI, or lacks its entity, sequence or times
 * @throws {@link StreamError} `ERR_MEMBERS_TOO_LARGE` - more than `limitQuads`
 * @see specs/documents.md
 */
export function readMembers(
  quads: readonly Quad[],
  context: StreamContext,
  { limitQuads = 1_000_000 }: ReadOptions = {},
): Member[] {
  const terms = new Map<string, Term>();
  // The members, and what TREE and LDES speak of: documents and streams.
  const apart = new Set<string>();
  for (const { subject, predicate, object } of quads) {
    const { value } = predicate;
    if (value.startsWith(prefixes.tree) || value.startsWith(prefixes.ldes)) apart.add(subject.value);
    if (value !== tree.member || subject.value !== context.stream) continue;
    if (object.termType !== 'NamedNode') {
      throw errors.ERR_MEMBER_MALFORMED({ member: object.value, problem: 'is not an IRI' });
    }
    terms.set(object.value, object);
    apart.add(object.value);
  }
  const { stars, blankStars, graphs } = indexOf(quads);
  const distinctStars = new Map<string, readonly Quad[]>();
  // A page states a node again for each member that leads to it.
  const starOf = (iri: string): readonly Quad[] => {
    const star = stars.get(iri) ?? [];
    if (star.length < 2) return star;
    const distinctStar = distinctStars.get(iri) ?? withoutRepeats(star);
    distinctStars.set(iri, distinctStar);
    return distinctStar;
  };
  const leadsOn = ({ predicate, object }: Quad) =>
    predicate.value !== rdf.type && predicate.value !== context.versionOfPath && !apart.has(object.value);
  let total = 0;
  const members: Member[] = [];
  for (const [iri, term] of terms) {
    const found = new Set(stars.get(iri));
    for (const stated of graphs.get(iri) ?? []) found.add(stated);
    const followed = new Set<string>();
    // A set can grow while it is iterated: what is found through one node leads on to the next.
    for (const stated of found) {
      if (total + found.size > limitQuads) throw errors.ERR_MEMBERS_TOO_LARGE({ limitQuads });
      const { termType, value } = stated.object;
      if (termType !== 'BlankNode' && !(termType === 'NamedNode' && leadsOn(stated))) continue;
      const node = termKey(stated.object);
      if (followed.has(node)) continue;
      followed.add(node);
      for (const own of termType === 'BlankNode' ? (blankStars.get(value) ?? []) : starOf(value)) found.add(own);
    }
    total += found.size;
    members.push(toMember(term, [...found], context));
  }
  return members.sort((left, right) => left.sequence - right.sequence);
}

/** What is stated of one node, each statement once. */
function withoutRepeats(star: readonly Quad[]): readonly Quad[] {
  const keyOf = ({ predicate, object }: Quad) =>
    object.termType === 'Literal'
      ? `${predicate.value} "${object.value}" ${object.datatype.value} ${object.language}`
      : `${predicate.value} ${termKey(object)}`;
  return [...new Map(star.map((stated) => [keyOf(stated), stated])).values()];
}

// In one pass: what the default graph says of an IRI, what any graph says of a blank node, by its label, and what there is
// in the graph that an IRI names.
function indexOf(quads: readonly Quad[]): Record<'stars' | 'blankStars' | 'graphs', Map<string, Quad[]>> {
  const [stars, blankStars, graphs] = [new Map<string, Quad[]>(), new Map<string, Quad[]>(), new Map<string, Quad[]>()];
  const add = (index: Map<string, Quad[]>, key: string, stated: Quad) => {
    const list = index.get(key);
    if (list) list.push(stated);
    else index.set(key, [stated]);
  };
  for (const stated of quads) {
    const { subject, graph } = stated;
    if (subject.termType === 'BlankNode') add(blankStars, subject.value, stated);
    else if (graph.termType === 'DefaultGraph') add(stars, subject.value, stated);
    if (graph.termType === 'NamedNode') add(graphs, graph.value, stated);
  }
  return { stars, blankStars, graphs };
}

function toMember(term: Term, stated: readonly Quad[], context: StreamContext): Member {
  const own = stated.filter(({ subject }) => subject.equals(term));
  const values = (property: string) => own.filter(({ predicate }) => predicate.value === property);
  const one = (property: string, isValid: (object: Term) => boolean): string => {
    const [first, ...others] = values(property);
    if (!first || others.some(({ object }) => !object.equals(first.object)) || !isValid(first.object)) {
      throw errors.ERR_MEMBER_MALFORMED({ member: term.value, problem: `has no single valid ${property}` });
    }
    return first.object.value;
  };
  const sequence = Number(one(context.sequencePath, isSequence));
  const { versionTimestampPath } = context;
  const hasVersionTime = versionTimestampPath !== undefined && values(versionTimestampPath).length > 0;
  const isDelete = values(rdf.type).some(({ object }) => object.value === context.versionDeleteObject);
  return {
    id: term.value,
    entity: one(context.versionOfPath, ({ termType }) => termType === 'NamedNode'),
    kind: isDelete ? 'delete' : 'upsert',
    sequence,
    time: one(context.timestampPath, isTime),
    versionTime: hasVersionTime ? one(versionTimestampPath, isTime) : undefined,
    quads: relabelBlankNodes(stated, sequence),
  };
}

function isTime({ termType, value }: Term): boolean {
  // `Date.parse` alone would take much that is no xsd:dateTime.
  const isDateTime = termType === 'Literal' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value);
  return isDateTime && !Number.isNaN(Date.parse(value));
}

function isSequence({ termType, value }: Term): boolean {
  return termType === 'Literal' && /^\d+$/.test(value) && Number.isSafeInteger(Number(value));
}

import type { Quad, Term } from '@rdfjs/types';
import { errors } from './errors.ts';
import type { Member } from './member.ts';
import { indexQuads, type QuadIndex } from './quad-index.ts';
import type { StreamContext } from './stream-context.ts';
import { relabelBlankNodes } from './terms.ts';
import { prefixes, rdf, tree } from './vocabulary.ts';

/** How much may be extracted. */
export interface ExtractOptions {
  /**
   * The most quads that the members of one document may have together. Members that share blank nodes each get
   * a copy, so that a small document could otherwise ask for a lot of memory.
   *
   * @defaultValue 1,000,000
   */
  readonly limitQuads?: number;
}

/**
 * Extracts the members of a stream from a document, by sequence.
 *
 * A member has what the default graph says of it, everything in the graph that it names, and, through blank
 * nodes, what any graph says of those. What the default graph says of an IRI that a member leads to, such as the
 * sensor of an observation, belongs to it too, unless that is another member, the entity, a class, or the document
 * itself. Blank nodes are renamed `m<sequence>b<n>`, so that they are unique in the stream.
 *
 * @throws {@link StreamError} `ERR_MEMBER_MALFORMED` - a member that is no IRI, or lacks its entity, sequence or times
 * @throws {@link StreamError} `ERR_MEMBERS_TOO_LARGE` - more than `limitQuads`
 * @see specs/documents.md
 */
export function extractMembers(
  quads: readonly Quad[],
  context: StreamContext,
  { limitQuads = 1_000_000 }: ExtractOptions = {},
): Member[] {
  const index = indexQuads(quads);
  const members: Member[] = [];
  const terms = memberTerms(quads, context.stream);
  const apart = new Set([...terms.map(({ value }) => value), ...structureOf(quads)]);
  const leadsOn = ({ predicate, object }: Quad) =>
    predicate.value !== rdf.type && predicate.value !== context.versionOfPath && !apart.has(object.value);
  let total = 0;
  for (const term of terms) {
    const found = quadsOf(term, index, leadsOn, limitQuads - total);
    if (found === undefined) throw errors.ERR_MEMBERS_TOO_LARGE({ limitQuads });
    total += found.length;
    members.push(toMember(term, found, context));
  }
  return members.sort((left, right) => left.sequence - right.sequence);
}

function memberTerms(quads: readonly Quad[], stream: string): Term[] {
  const terms = new Map<string, Term>();
  for (const { subject, predicate, object } of quads) {
    if (predicate.value !== tree.member || subject.value !== stream) continue;
    if (object.termType !== 'NamedNode') {
      throw errors.ERR_MEMBER_MALFORMED({ member: object.value, problem: 'is no IRI' });
    }
    terms.set(object.value, object);
  }
  return [...terms.values()];
}

// What TREE and LDES say of documents and streams.
function structureOf(quads: readonly Quad[]): string[] {
  return quads.flatMap(({ subject, predicate: { value } }) =>
    value.startsWith(prefixes.tree) || value.startsWith(prefixes.ldes) ? [subject.value] : [],
  );
}

// Undefined when there are more than the limit.
function quadsOf(
  member: Term,
  index: QuadIndex,
  leadsOn: (stated: Quad) => boolean,
  limit: number,
): Quad[] | undefined {
  const found = new Set<Quad>(index.defaultStar(member.value));
  for (const stated of index.graph(member.value)) found.add(stated);
  const followed = new Set<string>();
  // A set can grow while it is iterated: what is found through one node leads on to the next.
  for (const stated of found) {
    if (found.size > limit) return undefined;
    const { termType, value } = stated.object;
    if (termType !== 'BlankNode' && !(termType === 'NamedNode' && leadsOn(stated))) continue;
    const node = termType === 'BlankNode' ? `_:${value}` : value;
    if (followed.has(node)) continue;
    followed.add(node);
    for (const beside of termType === 'BlankNode' ? index.blankStar(value) : index.defaultStar(value))
      found.add(beside);
  }
  return [...found];
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
  const versionTimestampPath = context.versionTimestampPath;
  const isDelete = values(rdf.type).some(({ object }) => object.value === context.versionDeleteObject);
  const member: Member = {
    id: term.value,
    entity: one(context.versionOfPath, isNamedNode),
    kind: isDelete ? 'delete' : 'upsert',
    sequence,
    time: one(context.timestampPath, isTime),
    quads: relabelBlankNodes(stated, sequence),
  };
  if (versionTimestampPath === undefined || values(versionTimestampPath).length === 0) return member;
  return { ...member, versionTime: one(versionTimestampPath, isTime) };
}

function isNamedNode(object: Term): boolean {
  return object.termType === 'NamedNode';
}

function isTime(object: Term): boolean {
  // `Date.parse` alone would take much that is no xsd:dateTime.
  const isDateTime = object.termType === 'Literal' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(object.value);
  return isDateTime && !Number.isNaN(Date.parse(object.value));
}

function isSequence(object: Term): boolean {
  return object.termType === 'Literal' && /^\d+$/.test(object.value) && Number.isSafeInteger(Number(object.value));
}

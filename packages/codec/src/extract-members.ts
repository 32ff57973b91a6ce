import { type Member, rdf, relabelBlankNodes, tree } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import { errors } from './errors.ts';
import { indexQuads, type QuadIndex } from './quad-index.ts';
import type { StreamContext } from './stream-context.ts';

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
 * nodes, what any graph says of those. Blank nodes are renamed `m<sequence>b<n>`, so that they are unique in the
 * stream.
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
  let total = 0;
  for (const term of memberTerms(quads, context.stream)) {
    const found = quadsOf(term, index, limitQuads - total);
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

// Undefined when there are more than the limit.
function quadsOf(member: Term, index: QuadIndex, limit: number): Quad[] | undefined {
  const found = new Set<Quad>(index.defaultStar(member.value));
  for (const stated of index.graph(member.value)) found.add(stated);
  const followed = new Set<string>();
  // A set can grow while it is iterated: what is found through one blank node leads on to the next.
  for (const { object } of found) {
    if (found.size > limit) return undefined;
    if (object.termType !== 'BlankNode' || followed.has(object.value)) continue;
    followed.add(object.value);
    for (const stated of index.blankStar(object.value)) found.add(stated);
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

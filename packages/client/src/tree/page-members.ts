import { type Member, relabelBlankNodes } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import { errors } from '../errors.ts';
import { type OrderSpan, orderSpan } from './order-value.ts';
import { type PageIndex, termKey } from './page-index.ts';
import { evaluatePath, type PropertyPath } from './property-path.ts';
import type { TreeContext } from './tree-context.ts';

/** A member as it stands on a page. */
export interface PageMember {
  readonly id: string;
  /** Where its publication time is in the order of times; absent when the stream or the member has none that a `Date` can hold. */
  readonly time?: OrderSpan;
  readonly quads: readonly Quad[];
  /** Whether a quad has a blank node. */
  readonly hasBlankNodes: boolean;
}

/** The members that a page lists, in its order, each once. What is no IRI cannot be told apart from page to page. */
export function listedMembers(index: PageIndex, stream: string): Term[] {
  const listed = index.members.get(stream) ?? [];
  const seen = new Set<string>();
  return listed.filter((term) => {
    if (term.termType !== 'NamedNode') return false;
    const size = seen.size;
    return seen.add(term.value).size > size;
  });
}

/**
 * What a page says of a member: its star in the default graph, the graph that it names, and what any graph says of
 * the blank nodes there, and of those that these lead to.
 *
 * @param limitQuads - the most quads
 * @throws {@link StreamError} `ERR_TREE_MEMBER_TOO_LARGE` - it has more
 * @see specs/any-ldes.md READ-15
 */
export function readMember(term: Term, index: PageIndex, context: TreeContext, limitQuads: number): PageMember {
  const star = index.star(term.value);
  const graph = index.graph(term.value);
  const quads = graph.length === 0 ? [...star] : [...new Set([...star, ...graph])];
  let followed: Set<string> | undefined;
  let included: Set<Quad> | undefined;
  let hasBlankNodes = false;
  // What is found through one blank node leads on to the next.
  for (let at = 0; at < quads.length; at += 1) {
    if (quads.length > limitQuads) throw errors.ERR_TREE_MEMBER_TOO_LARGE({ member: term.value, limitQuads });
    const { subject, object } = quads[at] as Quad;
    if (subject.termType === 'BlankNode') hasBlankNodes = true;
    if (object.termType !== 'BlankNode') continue;
    hasBlankNodes = true;
    followed ??= new Set();
    if (followed.has(object.value)) continue;
    followed.add(object.value);
    included ??= new Set(quads);
    for (const stated of index.star(termKey(object))) {
      if (included.has(stated)) continue;
      included.add(stated);
      quads.push(stated);
    }
  }
  const time = context.timestampPath && orderSpan(valueAt(context.timestampPath, term, quads, index));
  // A number that is none of milliseconds, as one of nanoseconds, can be further from 1970 than any date.
  const isTime = time !== undefined && !Number.isNaN(new Date(time.start).getTime());
  return { id: term.value, quads, hasBlankNodes, ...(isTime ? { time } : {}) };
}

/** The first value of a path from a member; `undefined` when there is none. */
export function valueAt(
  path: PropertyPath | undefined,
  member: Term,
  quads: readonly Quad[],
  index: PageIndex,
): Term | undefined {
  if (!path) return undefined;
  if (path.kind !== 'predicate') return evaluatePath(path, [member], index)[0];
  return quads.find(({ predicate, subject }) => predicate.value === path.iri && subject.value === member.value)?.object;
}

/** What a page says of a member's place among the others, besides its time. */
export interface MemberDetails {
  readonly entity: string;
  readonly kind: Member['kind'];
  readonly versionTime?: string;
}

/** Finds a member's entity, its kind and the source's own time. */
export function memberDetails(
  term: Term,
  quads: readonly Quad[],
  index: PageIndex,
  context: TreeContext,
): MemberDetails {
  const entity = valueAt(context.versionOfPath, term, quads, index);
  const versionTime = valueAt(context.versionTimestampPath, term, quads, index);
  return {
    entity: entity?.termType === 'NamedNode' ? entity.value : term.value,
    kind: isDelete(term, quads, index, context) ? 'delete' : 'upsert',
    ...(versionTime?.termType === 'Literal' ? { versionTime: versionTime.value } : {}),
  };
}

function isDelete(term: Term, quads: readonly Quad[], index: PageIndex, context: TreeContext): boolean {
  const { versionDeletePath: path, versionDeleteObject: object } = context;
  const tells = (value: Term) =>
    object === undefined ? !['false', '0'].includes(value.value) : value.value === object;
  if (path.kind !== 'predicate') return evaluatePath(path, [term], index).some(tells);
  return quads.some(
    (quad) => quad.predicate.value === path.iri && quad.subject.value === term.value && tells(quad.object),
  );
}

/** The quads of a member with blank node labels that no other member of the reading has. */
export function ownQuads({ quads, hasBlankNodes }: PageMember, sequence: number): readonly Quad[] {
  return hasBlankNodes ? relabelBlankNodes(quads, sequence) : quads;
}

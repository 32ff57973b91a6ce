// The rules of LDES and TREE for the members on a page.

import { tree } from '@ldes-live/rdf-stream';
import type { Term } from '@rdfjs/types';
import {
  addTo,
  type CheckedMember,
  type CheckedNode,
  distinct,
  type Evidence,
  instantOf,
  membersOf,
  objectsOf,
  readableNodes,
} from './evidence.ts';
import { on, onMembers, onProbes, type Rule, readable, shortName, summary } from './rule.ts';

/** The media type parameter by which a document claims the TREE profile. */
const TREE_PROFILE = 'https://w3id.org/tree/profile';

// Pages of the profile; JSON-LD has no order.
const ordered = on((evidence) =>
  readableNodes(evidence).filter(({ fields, url, format }) => {
    const isClaimed = fields['content-type']?.includes(TREE_PROFILE) || /\.tree\./.test(url);
    return isClaimed && format !== 'jsonld';
  }),
);
// Members that stand on more than one page, with the texts that they have there.
const onRepeated = on(repeatedMembers);

/** The rules for members. */
export const memberRules: readonly Rule[] = [
  onMembers(
    'CHK-24 error: A member is named by an IRI (LDES Server Primer, members)',
    ({ term: { termType } }) => termType !== 'NamedNode' && `a ${termType}`,
  ),
  onMembers(
    'CHK-25 error: A member has one time of publication, which can be read (LDES, ldes:timestampPath)',
    ({ term, times }, { stream }) => {
      const [time, ...others] = times;
      if (stream?.timestampPath === undefined || term.termType !== 'NamedNode') return undefined;
      if (time === undefined || others.length > 0) return severalOn(term, times, stream.timestampPath);
      return instantOf(time) === undefined && `"${time.value}" on ${term.value}`;
    },
  ),
  onMembers(
    'CHK-26 error: A member says what it is a version of (LDES, ldes:versionOfPath)',
    ({ term, star }, { stream }) => {
      if (stream?.versionOfPath === undefined || term.termType !== 'NamedNode') return undefined;
      const entities = distinct(objectsOf(star, stream.versionOfPath));
      return entities.length !== 1 && severalOn(term, entities, stream.versionOfPath);
    },
  ),
  readable('CHK-27 error: Members keep to the bounds of the relations that lead to them (TREE, relations)', (node) => {
    const bounds = boundsOf(node);
    const outside = node.members.flatMap((member) =>
      bounds
        .filter((bound) => !isWithin(member, bound))
        .map(({ operator, value }) => `${member.term.value} is not ${operator} ${value.value}`),
    );
    return summary(outside);
  }),
  ordered(
    'CHK-28 error: On a page of the TREE profile members stand in the order of their times (LDES Server Primer, TREE profile)',
    ({ members }) => {
      const times = members.map((member) => instantsOf(member)[0]);
      const late = members.filter((_, index) => isBefore(times[index], times[index - 1]));
      return summary(late.map(({ term }) => `${term.value} is earlier than the member before it`));
    },
  ),
  ordered('CHK-29 error: On a page of the TREE profile relations stand before members (TREE, profile)', ({ quads }) => {
    const first = quads.findIndex(({ predicate }) => predicate.value === tree.member);
    const isLate = first >= 0 && quads.slice(first).some(({ predicate }) => predicate.value === tree.relation);
    return isLate && 'tree:relation after the first tree:member';
  }),
  onRepeated(
    'CHK-30 warning: A member stands on one page (ldes-live, documents DOC-5)',
    ({ id, others, isSame }) => isSame && `${id}, which also stands on ${others}`,
  ),
  onRepeated(
    'CHK-31 error: A member says the same wherever it stands (LDES, immutable members)',
    ({ id, others, isSame }) => !isSame && `${id}, which says something else on ${others}`,
  ),
  onProbes('again')(
    'CHK-32 error: No member is added with a time before that of a member published already (LDES, ldes:timestampPath)',
    ({ about: { members }, answer: { quads } }, { stream }) => {
      const known = new Set(members.map(({ term }) => term.value));
      const [newest] = members.flatMap(instantsOf).sort((left, right) => (left < right ? 1 : -1));
      const ids = membersOf(quads, stream?.iri ?? '').map(({ value }) => value);
      const added = new Set(ids.filter((id) => !known.has(id)));
      const late = quads.filter(
        ({ subject, predicate, object }) =>
          predicate.value === stream?.timestampPath && added.has(subject.value) && isBefore(instantOf(object), newest),
      );
      return summary(late.map(({ subject, object }) => `${subject.value} was added with "${object.value}"`));
    },
  ),
];

function severalOn({ value }: Term, { length }: readonly Term[], path: string): string {
  return `${length} values of ${shortName(path)} on ${value}`;
}

function instantsOf({ times }: CheckedMember): bigint[] {
  return times.flatMap((time) => instantOf(time) ?? []);
}

function isBefore(time: bigint | undefined, other: bigint | undefined): boolean {
  return time !== undefined && other !== undefined && time < other;
}

interface Bound {
  readonly operator: string;
  readonly path: string;
  readonly value: Term;
}

// What the relations that lead to a node, from the root on, say of all members below them.
function boundsOf({ from }: CheckedNode): Bound[] {
  if (from === undefined) return [];
  const own = from.relations.flatMap(({ operator, paths: [path], values: [value] }) => {
    // Other paths than single predicates are not evaluated.
    if (operator === undefined || path?.termType !== 'NamedNode' || value === undefined) return [];
    return [{ operator, path: path.value, value }];
  });
  return [...boundsOf(from.node), ...own];
}

// What has no value, or none that can be compared, is within.
function isWithin({ star }: CheckedMember, { operator, path, value }: Bound): boolean {
  return objectsOf(star, path).every((object) => {
    const [left, right] = [sizeOf(object), sizeOf(value)];
    if (left === undefined || typeof left !== typeof right || right === undefined) return true;
    return left === right ? operator.includes('=') : operator.startsWith(left < right ? '<' : '>');
  });
}

// An instant, or a number.
function sizeOf(term: Term): bigint | number | undefined {
  const number = term.termType === 'Literal' && term.value.trim() !== '' ? Number(term.value) : Number.NaN;
  return instantOf(term) ?? (Number.isNaN(number) ? undefined : number);
}

function repeatedMembers(evidence: Evidence) {
  const found = new Map<string, { readonly url: string; readonly text: string }[]>();
  for (const { url, members } of readableNodes(evidence)) {
    const named = members.filter(({ term }) => term.termType === 'NamedNode');
    for (const { term, star } of named) addTo(found, term.value, { url, text: textOf(star) });
  }
  return [...found].flatMap(([id, places]) => {
    const [url = '', ...others] = places.map((place) => place.url);
    const texts = new Set(places.map(({ text }) => text));
    return others.length === 0 ? [] : [{ id, url, others: others.join(' and '), isSame: texts.size === 1 }];
  });
}

// Labels of blank nodes are a document's own.
function textOf(star: CheckedMember['star']): string {
  const texts = star.map(
    ({ predicate, object }) => `${predicate.value} ${object.termType === 'BlankNode' ? '_' : object.value}`,
  );
  return [...new Set(texts)].sort().join('\n');
}

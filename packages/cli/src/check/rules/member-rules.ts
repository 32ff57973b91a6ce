import { ldes, tree } from '@ldes-live/rdf-stream';
import type { Term } from '@rdfjs/types';
import { boundsOf, isWithin } from '../evidence/bounds.ts';
import { type Evidence, readableNodes } from '../evidence/evidence.ts';
import { instantOf } from '../evidence/time-value.ts';
import { type CheckedMember, type CheckedNode, distinct, objectsOf } from '../evidence/tree-node.ts';
import { shortName, TREE_PROFILE } from '../terms.ts';
import type { Observation, Rule } from './rule.ts';

/** The members on a page. */
export const memberRules: readonly Rule[] = [
  {
    id: 'CHK-24',
    severity: 'error',
    title: 'A member is named by an IRI',
    source: 'LDES Server Primer, members',
    check: (evidence) =>
      onMembers(evidence, ({ term }) => (term.termType === 'NamedNode' ? undefined : `a ${term.termType}`)),
  },
  {
    id: 'CHK-25',
    severity: 'error',
    title: 'A member has one time of publication, which can be read',
    source: 'LDES, ldes:timestampPath',
    check: byPath(ldes.timestampPath, (evidence, path) => onMembers(evidence, timeProblem(path))),
  },
  {
    id: 'CHK-26',
    severity: 'error',
    title: 'A member says what it is a version of',
    source: 'LDES, ldes:versionOfPath',
    check: byPath(ldes.versionOfPath, (evidence, path) =>
      onMembers(evidence, ({ term, star }) => {
        const isNamed = term.termType === 'NamedNode';
        const count = distinct(objectsOf(star, path)).length;
        return isNamed && count !== 1 ? `${count} values of ${shortName(path)} on ${term.value}` : undefined;
      }),
    ),
  },
  {
    id: 'CHK-27',
    severity: 'error',
    title: 'Members keep to the bounds of the relations that lead to them',
    source: 'TREE, relations',
    check: (evidence) =>
      readableNodes(evidence).flatMap((node) => {
        const bounds = boundsOf(node);
        const outside = node.members.flatMap((member) =>
          bounds
            .filter((bound) => !isWithin(member, bound))
            .map(({ operator, value }) => `${member.term.value} is not ${operator} ${value.value}`),
        );
        return summarised(node, outside);
      }),
  },
  {
    id: 'CHK-28',
    severity: 'error',
    title: 'On a page of the TREE profile members stand in the order of their times',
    source: 'LDES Server Primer, TREE profile',
    check: byPath(ldes.timestampPath, (evidence, path) =>
      profiled(evidence).flatMap((node) => {
        const times = node.members.map(({ star }) => timesOf(star, path)[0]);
        const late = node.members.filter((_, index) => isBefore(times[index], times[index - 1]));
        return summarised(
          node,
          late.map(({ term }) => `${term.value} is earlier than the member before it`),
        );
      }),
    ),
  },
  {
    id: 'CHK-29',
    severity: 'error',
    title: 'On a page of the TREE profile relations stand before members',
    source: 'TREE, profile',
    check: (evidence) =>
      profiled(evidence).flatMap(({ document: { url, quads } }) => {
        const first = quads.findIndex(({ predicate }) => predicate.value === tree.member);
        const isLate = first >= 0 && quads.slice(first).some(({ predicate }) => predicate.value === tree.relation);
        return isLate ? [{ url, saw: 'tree:relation after the first tree:member' }] : [];
      }),
  },
  {
    id: 'CHK-30',
    severity: 'warning',
    title: 'A member stands on one page',
    source: 'ldes-live, documents DOC-5',
    check: (evidence) =>
      repeatedMembers(evidence, (members) => new Set(members.map(({ text }) => text)).size === 1).map(
        ({ url, id, pages }) => ({ url, saw: `${id}, which also stands on ${pages.join(' and ')}` }),
      ),
  },
  {
    id: 'CHK-31',
    severity: 'error',
    title: 'A member says the same wherever it stands',
    source: 'LDES, immutable members',
    check: (evidence) =>
      repeatedMembers(evidence, (members) => new Set(members.map(({ text }) => text)).size > 1).map(
        ({ url, id, pages }) => ({ url, saw: `${id}, which says something else on ${pages.join(' and ')}` }),
      ),
  },
  {
    id: 'CHK-32',
    severity: 'error',
    title: 'No member is added with a time before that of a member published already',
    source: 'LDES, ldes:timestampPath',
    check: byPath(ldes.timestampPath, (evidence, path) =>
      evidence.probes.flatMap(({ kind, about, answer }) => {
        const before = evidence.nodes.find(({ document }) => document === about);
        if (kind !== 'again' || before === undefined || answer.problem !== undefined) return [];
        return addedLate(before, answer.quads, path, evidence.stream?.iri ?? '');
      }),
    ),
  },
];

// What is judged by the predicate that a property of the stream names; nothing is, where it names none.
function byPath(property: string, judge: (evidence: Evidence, path: string) => Observation[]): Rule['check'] {
  return (evidence) => {
    const path = evidence.stream?.predicate(property);
    return path === undefined ? [] : judge(evidence, path);
  };
}

function timesOf(star: CheckedMember['star'], path: string): bigint[] {
  return distinct(objectsOf(star, path)).flatMap((term) => instantOf(term) ?? []);
}

function isBefore(time: bigint | undefined, other: bigint | undefined): boolean {
  return time !== undefined && other !== undefined && time < other;
}

function timeProblem(path: string): (member: CheckedMember) => string | undefined {
  return ({ term, star }) => {
    if (term.termType !== 'NamedNode') return undefined;
    const stated: Term[] = distinct(objectsOf(star, path));
    const [time] = stated;
    if (stated.length !== 1 || time === undefined)
      return `${stated.length} values of ${shortName(path)} on ${term.value}`;
    return instantOf(time) === undefined ? `"${time.value}" on ${term.value}` : undefined;
  };
}

function onMembers(evidence: Evidence, look: (member: CheckedMember) => string | undefined): Observation[] {
  return readableNodes(evidence).flatMap((node) =>
    summarised(
      node,
      node.members.flatMap((member) => look(member) ?? []),
    ),
  );
}

// One observation a page, however many members.
function summarised({ document: { url } }: CheckedNode, problems: readonly string[]): Observation[] {
  const [first, ...others] = problems;
  if (first === undefined) return [];
  return [{ url, saw: others.length === 0 ? first : `${first}, and ${others.length} more on this page` }];
}

// JSON-LD has no order.
function profiled(evidence: Evidence): CheckedNode[] {
  return readableNodes(evidence).filter(({ document: { exchange, format } }) => {
    const type = exchange.fields['content-type'] ?? '';
    return format !== 'jsonld' && (type.includes(TREE_PROFILE) || /\.tree\./.test(exchange.url));
  });
}

interface Standing {
  readonly url: string;
  readonly text: string;
}

function repeatedMembers(
  evidence: Evidence,
  isWanted: (standings: readonly Standing[]) => boolean,
): { url: string; id: string; pages: string[] }[] {
  const standings = new Map<string, Standing[]>();
  for (const { document, members } of readableNodes(evidence)) {
    for (const { term, star } of members) {
      if (term.termType !== 'NamedNode') continue;
      const standing = { url: document.url, text: textOf(star) };
      standings.set(term.value, [...(standings.get(term.value) ?? []), standing]);
    }
  }
  return [...standings].flatMap(([id, found]) => {
    const [first, ...others] = found;
    if (first === undefined || others.length === 0 || !isWanted(found)) return [];
    return [{ url: first.url, id, pages: others.map(({ url }) => url) }];
  });
}

// Labels of blank nodes are a document's own.
function textOf(star: CheckedMember['star']): string {
  const texts = star.map(
    ({ predicate, object }) => `${predicate.value} ${object.termType === 'BlankNode' ? '_' : object.value}`,
  );
  return [...new Set(texts)].sort().join('\n');
}

function addedLate(
  before: CheckedNode,
  quads: CheckedNode['document']['quads'],
  path: string,
  stream: string,
): Observation[] {
  const known = new Set(before.members.map(({ term }) => term.value));
  const newest = before.members
    .flatMap(({ star }) => timesOf(star, path))
    .reduce<bigint | undefined>(
      (latest, time) => (isBefore(latest, time) || latest === undefined ? time : latest),
      undefined,
    );
  const added = new Set(
    quads
      .filter(({ subject, predicate }) => predicate.value === tree.member && subject.value === stream)
      .map(({ object }) => object.value)
      .filter((id) => !known.has(id)),
  );
  const late = quads.filter(
    ({ subject, predicate, object }) =>
      predicate.value === path && added.has(subject.value) && isBefore(instantOf(object), newest),
  );
  return summarised(
    before,
    late.map(({ subject, object }) => `${subject.value} was added with "${object.value}"`),
  );
}

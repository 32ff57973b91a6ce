// The rules of LDES and TREE: the way to the root, what this says of the stream, relations, members, and retention.

import { ldes, prefixes, terms, tree, xsd } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import {
  aboutOf,
  addTo,
  type CheckedDocument,
  type CheckedMember,
  type CheckedNode,
  type Evidence,
  instantOf,
  isViewByTime,
  membersOf,
  mutableNodes,
  objectsOf,
  readableNodes,
  textOf,
} from './evidence.ts';
import { mutable, on, onProbes, onRoot, type Rules, readable, type Saw } from './rule.ts';

/** What a stream says of itself at most once. */
const STATED_ONCE: readonly string[] = Object.values(
  terms(
    'ldes',
    'timestampPath sequencePath versionOfPath versionTimestampPath versionSequencePath versionCreatePath versionUpdatePath',
    'versionDeletePath versionCreateObject versionUpdateObject versionDeleteObject transactionPath',
    'transactionFinalizedPath transactionFinalizedObject pollingInterval',
  ),
);
/** Classes and properties of retention that LDES has replaced. */
const LEGACY_RETENTION: readonly string[] = Object.values(
  terms('ldes', 'DurationAgoPolicy LatestVersionSubset PointInTimePolicy amount pointInTime versionKey'),
);
/** Relations that compare with a value. */
const COMPARISONS: readonly string[] = Object.values(
  terms(
    'tree',
    'GreaterThanRelation GreaterThanOrEqualToRelation LessThanRelation LessThanOrEqualToRelation EqualToRelation',
    'PrefixRelation SubstringRelation SuffixRelation NotEqualToRelation GeospatiallyContainsRelation',
  ),
);
const DATE_TIME_WITHOUT_ZONE = /^-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?$/;
const DURATION = /^P(?=.)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?$/;

const RETENTION_VALUES: Readonly<Record<string, (value: Term) => boolean>> = {
  [ldes.startingFrom]: (term) => !Number.isNaN(Date.parse(term.value)) && !lacksTimezone(term),
  [ldes.fullLogDuration]: ({ value }) => DURATION.test(value),
  [ldes.versionAmount]: ({ value }) => /^\+?\d+$/.test(value) && Number(value) > 0,
  [ldes.versionDuration]: ({ value }) => DURATION.test(value),
  [ldes.versionDeleteDuration]: ({ value }) => DURATION.test(value),
};

// The documents on the way to the root, and the root.
const onWay = on(({ way }) => way.map((step) => ({ ...step, url: step.document.url })));
// The relations of the nodes.
const onRelations = on((evidence) =>
  readableNodes(evidence).flatMap(({ url, relations }) => relations.map((relation) => ({ ...relation, url }))),
);
// The members of the nodes: one observation a page, however many are seen.
const onMembers = (look: (member: CheckedMember, evidence: Evidence) => Saw) =>
  readable(({ members }, evidence) => summary(members.flatMap((member) => look(member, evidence) || [])));

// The way, the nodes, and some of them in other formats.
const onDocuments = on(({ way, nodes, probes }): CheckedDocument[] => [
  ...way.map(({ document }) => document),
  ...nodes,
  ...probes.filter(({ kind }) => kind === 'format').map(({ answer }) => answer),
]);
// What relations lead to, by the URL that they have.
const onLinked = on(({ nodes }) =>
  nodes.flatMap(({ from, ...node }) => (from ? [{ ...node, url: node.requestedUrl, linkedFrom: from.node.url }] : [])),
);
const onPolicies = on(({ stream, nodes: [root] }) =>
  (stream?.about(ldes.retentionPolicy) ?? []).map((policy) => ({
    policy,
    star: aboutOf(root?.quads ?? [], policy.value),
    url: root?.url ?? '',
  })),
);

// Pages that claim the TREE profile; JSON-LD has no order.
const ordered = on((evidence) =>
  readableNodes(evidence).filter(({ fields, url, format }) => {
    const isClaimed = fields['content-type']?.includes('https://w3id.org/tree/profile') || /\.tree\./.test(url);
    return isClaimed && format !== 'jsonld';
  }),
);
// Members that stand on more than one page, with the texts that they have there.
const onRepeated = on(repeatedMembers);

/** The rules of LDES and TREE. */
export const treeRules: Rules = {
  'CHK-1 error: The URL, after redirects, returns a document (LDES, initialization)': onWay(
    ({ document: { problem } }) => (problem?.kind === 'unanswered' || problem?.kind === 'status') && problem.saw,
  ),
  'CHK-2 error: The root states the stream of which it is a view (tree:view) (LDES, initialization)': onWay(
    ({ document, streams, leadsTo }, { way }) => {
      const isRead = document.problem === undefined && document === way.at(-1)?.document;
      if (!isRead || streams.length > 0 || leadsTo.length > 1) return undefined;
      return leadsTo.length === 0 ? 'no tree:view' : `its tree:view is ${joined(leadsTo)}`;
    },
  ),
  'CHK-3 error: The root is a view of one stream only (LDES, initialization)': onWay(
    ({ streams }) => streams.length > 1 && `tree:view of ${joined(streams)}`,
  ),
  'CHK-4 error: An overview leads to one view; if to several, give the URL of one (LDES, initialization)': onWay(
    ({ leadsTo }) => leadsTo.length > 1 && `views ${joined(leadsTo, ', ')}`,
  ),
  'CHK-5 error: The root names itself by its URL after redirects (LDES, initialization; RFC 3986 section 5.1.3)': onWay(
    ({ document, isMoved }) => isMoved && `its tree:view is <${document.requestedUrl}>, which redirects here`,
  ),

  'CHK-6 error: The content has the format of its Content-Type (RFC 9110 section 8.3; LDES Server Primer, serialization)':
    onDocuments(({ problem }) => problem?.kind === 'content' && problem.saw),
  'CHK-7 error: The Content-Type is one of the five of RDF: N-Quads, N-Triples, TriG, Turtle, JSON-LD (LDES Server Primer, serialization)':
    onDocuments(({ problem }) => problem?.kind === 'media-type' && problem.saw),
  'CHK-8 advice: JSON-LD has its context inline, so that readers need no extra request (ldes-live, documents DOC-19)':
    onDocuments(({ problem }) => problem?.kind === 'remote-context' && problem.saw),

  'CHK-9 warning: The stream states the property that orders its members (ldes:timestampPath) (LDES Server Primer, context information)':
    onRoot(({ stream }) => stream.about(ldes.timestampPath).length === 0 && 'no ldes:timestampPath'),
  'CHK-10 error: The stream states each property of its members once (LDES vocabulary)': onRoot(({ stream }) =>
    STATED_ONCE.flatMap((property) => {
      const values = stream.about(property);
      return values.length > 1 ? several(values, property) : [];
    }),
  ),
  'CHK-11 warning: ldes:timestampPath and ldes:versionOfPath are single predicates; most readers support no other paths (ldes-live, documents DOC-2)':
    onRoot(({ stream }) =>
      [ldes.timestampPath, ldes.versionOfPath].flatMap((property) => {
        const others = stream.about(property).filter(({ termType }) => termType !== 'NamedNode');
        return others.map(
          ({ termType }) => `${shortName(property)} is a ${termType === 'BlankNode' ? 'path' : 'literal'}`,
        );
      }),
    ),
  'CHK-12 advice: A view by time states ldes:pollingInterval, for readers that ignore header fields (LDES, synchronization run)':
    onRoot(({ stream }, evidence) => {
      const [first] = mutableNodes(evidence);
      const isScheduled = first && (first.nextUpdateMs !== undefined || (first.maxAgeSeconds ?? 0) > 1);
      const isExpected = isScheduled && isViewByTime(evidence);
      return isExpected && stream.about(ldes.pollingInterval).length === 0 && 'no ldes:pollingInterval';
    }),
  'CHK-13 error: ldes:pollingInterval is a whole number of seconds (LDES vocabulary)': onRoot(({ stream }) => {
    const isText = (term: Term) => term.termType === 'Literal' && term.datatype.value === xsd.string;
    const wrong = stream.about(ldes.pollingInterval).filter((term) => !/^\+?\d+$/.test(term.value) || isText(term));
    return wrong.map(({ value }) => `ldes:pollingInterval "${value}"`);
  }),
  'CHK-14 warning: Caches do not keep a document longer than readers wait between polls (LDES, synchronization run; RFC 9111 section 4.2)':
    mutable(({ maxAgeSeconds: maxAge = 0 }, { stream }) => {
      const every = stream?.pollingIntervalSeconds;
      const isTooLong = every !== undefined && maxAge > 2 * every && maxAge <= Math.max(3600, 10 * every);
      return isTooLong && `max-age=${maxAge}, ldes:pollingInterval ${every}`;
    }),
  'CHK-15 warning: Times have a time zone (LDES Server Primer, timestamps)': readable(({ quads }) => {
    const [first, ...others] = quads.filter(({ object }) => lacksTimezone(object));
    return first && `"${first.object.value}"${others.length > 0 ? ` and ${others.length} more` : ''}`;
  }),

  'CHK-16 error: Relations and members on a page belong to that page and its stream (TREE, hypermedia; LDES Server Primer, members)':
    readable(({ url, quads }, { stream }) => [
      ...strangers(quads, tree.relation, url),
      ...strangers(quads, tree.member, stream?.iri ?? ''),
    ]),
  'CHK-17 error: A relation leads to one node, named by an IRI (tree:node) (TREE, relations)': onRelations(
    ({ nodes, target }) => {
      const [node, ...others] = nodes;
      if (node === undefined) return 'a relation without tree:node';
      if (others.length > 0) return `a relation with ${nodes.length} tree:node`;
      return target === undefined && `tree:node is "${node.value}"`;
    },
  ),
  'CHK-18 error: A relation that compares has one tree:path and one tree:value (TREE, relations)': onRelations(
    ({ types, paths, values }) => {
      const type = types.find((candidate) => COMPARISONS.includes(candidate));
      if (type === undefined || (paths.length === 1 && values.length === 1)) return undefined;
      return `a ${shortName(type)} with ${paths.length} tree:path and ${values.length} tree:value`;
    },
  ),
  'CHK-19 warning: Relations use the property that orders the members (LDES Server Primer, fragmentation)': onRelations(
    ({ operator, paths }, { stream }) => {
      const ordering = [stream?.timestampPath, stream?.sequencePath].filter((path) => path !== undefined);
      const [path, ...others] = paths;
      if (ordering.length === 0 || path?.termType !== 'NamedNode' || others.length > 0) return undefined;
      return operator !== undefined && !ordering.includes(path.value) && `tree:path <${path.value}>`;
    },
  ),
  'CHK-20 error: No relation leads to its own node, nor back to the root (TREE, search trees)': onRelations(
    ({ target, url }, { nodes: [root] }) => {
      if (target === url) return 'a relation to itself';
      return target !== undefined && target === root?.url && 'a relation to the root';
    },
  ),
  'CHK-21 error: A node is reached from one other node (TREE, search trees)': on(parentsOf)(
    ({ parents }) => parents.size > 1 && `relations from ${joined(parents)}`,
  ),
  'CHK-22 error: A relation leads to a node that exists (TREE, traversal; LDES, errors)': onLinked(
    ({ problem, status, linkedFrom }) => {
      const isMissing = problem?.kind === 'unanswered' || (problem?.kind === 'status' && status !== 410);
      return isMissing && `${problem.saw}; linked from ${linkedFrom}`;
    },
  ),
  'CHK-23 warning: Relations to a node are removed before the node (LDES Server Primer, compaction)': onLinked(
    ({ status, linkedFrom }) => status === 410 && `status 410; linked from ${linkedFrom}`,
  ),

  'CHK-24 error: A member has an IRI (LDES Server Primer, members)': onMembers(
    ({ term: { termType } }) => termType !== 'NamedNode' && `a ${termType}`,
  ),
  'CHK-25 error: A member has one valid publication time (LDES, ldes:timestampPath)': onMembers(
    ({ term, times }, { stream }) => {
      const [time, ...others] = times;
      if (stream?.timestampPath === undefined || term.termType !== 'NamedNode') return undefined;
      if (time === undefined || others.length > 0) return `${several(times, stream.timestampPath)} on ${term.value}`;
      return instantOf(time) === undefined && `"${time.value}" on ${term.value}`;
    },
  ),
  'CHK-26 error: A member states of what it is a version (LDES, ldes:versionOfPath)': onMembers(
    ({ term, star }, { stream }) => {
      if (stream?.versionOfPath === undefined || term.termType !== 'NamedNode') return undefined;
      const entities = objectsOf(star, stream.versionOfPath);
      return entities.length !== 1 && `${several(entities, stream.versionOfPath)} on ${term.value}`;
    },
  ),
  'CHK-27 error: Members are within the bounds of their relations (TREE, relations)': readable((node) => {
    const bounds = boundsOf(node);
    const outside = node.members.flatMap((member) =>
      bounds
        .filter((bound) => !isWithin(member, bound))
        .map(({ operator, value }) => `${member.term.value} is not ${operator} ${value.value}`),
    );
    return summary(outside);
  }),
  'CHK-28 error: On a page of the TREE profile, members are in the order of their times (LDES Server Primer, TREE profile)':
    ordered(({ members }) => {
      const late = members.filter(({ instants }, index) => isBefore(instants[0], members[index - 1]?.instants[0]));
      return summary(late.map(({ term }) => `${term.value} is earlier than the member before it`));
    }),
  'CHK-29 error: On a page of the TREE profile, relations come before members (TREE, profile)': ordered(({ quads }) => {
    const first = quads.findIndex(({ predicate }) => predicate.value === tree.member);
    const isLate = first >= 0 && quads.slice(first).some(({ predicate }) => predicate.value === tree.relation);
    return isLate && 'tree:relation after the first tree:member';
  }),
  'CHK-30 warning: A member is on one page only (ldes-live, documents DOC-5)': onRepeated(
    ({ id, others, isSame }) => isSame && `${id}, which is also on ${others}`,
  ),
  'CHK-31 error: A member has the same statements on each page (LDES, immutable members)': onRepeated(
    ({ id, others, isSame }) => !isSame && `${id}, which says something else on ${others}`,
  ),
  'CHK-32 error: A new member is not earlier than one already published (LDES, ldes:timestampPath)': onProbes('again')(
    ({ about: { members }, answer: { quads } }, { stream }) => {
      const known = new Set(members.map(({ term }) => term.value));
      const [newest] = members.flatMap(({ instants }) => instants).sort((left, right) => (left < right ? 1 : -1));
      const ids = membersOf(quads, stream?.iri ?? '').map(({ value }) => value);
      const added = new Set(ids.filter((id) => !known.has(id)));
      const late = quads.filter(
        ({ subject, predicate, object }) =>
          predicate.value === stream?.timestampPath && added.has(subject.value) && isBefore(instantOf(object), newest),
      );
      return summary(late.map(({ subject, object }) => `${subject.value} was added with "${object.value}"`));
    },
  ),

  'CHK-74 error: A view has at most one retention policy (LDES, retention policies)': onRoot(({ stream }) => {
    const { length } = stream.about(ldes.retentionPolicy);
    return length > 1 && `${length} ldes:retentionPolicy`;
  }),
  'CHK-75 error: A retention policy is named by an IRI (LDES, retention policies)': onPolicies(
    ({ policy: { termType } }) => termType !== 'NamedNode' && `ldes:retentionPolicy is a ${termType}`,
  ),
  'CHK-76 warning: A retention policy is described on the root; without a description nothing is kept (LDES, retention policies)':
    onPolicies(({ policy, star }) => star.length === 0 && `nothing about <${policy.value}>`),
  'CHK-77 advice: A retention policy uses the current terms of LDES (LDES vocabulary, retention)': onPolicies(
    ({ star }) => {
      const used = new Set(star.flatMap(({ predicate, object }) => [predicate.value, object.value]));
      const legacy = [...used].filter((iri) => LEGACY_RETENTION.includes(iri));
      return legacy.map(shortName).join(', ');
    },
  ),
  'CHK-78 error: A retention policy has each property once, with a valid value (LDES vocabulary, retention)':
    onPolicies(({ star }) =>
      Object.entries(RETENTION_VALUES).flatMap(([property, isReadable]) => {
        const values = objectsOf(star, property);
        const wrong = values.filter((value) => !isReadable(value));
        if (values.length > 1) return several(values, property);
        return wrong.map(({ value }) => `${shortName(property)} "${value}"`);
      }),
    ),
};

// The first of what was seen on a page, and how many more.
function summary([first, ...others]: readonly string[]): string | undefined {
  return first === undefined || others.length === 0 ? first : `${first}, and ${others.length} more on this page`;
}

// What a term of LDES or TREE is called for people; another is an IRI.
function shortName(iri: string): string {
  const prefix = (['ldes', 'tree'] as const).find((name) => iri.startsWith(prefixes[name]));
  return prefix === undefined ? `<${iri}>` : `${prefix}:${iri.slice(prefixes[prefix].length)}`;
}

function joined(iris: Iterable<string>, separator = ' and '): string {
  return [...iris].map((iri) => `<${iri}>`).join(separator);
}

function several({ length }: readonly Term[], property: string): string {
  return `${length} values of ${shortName(property)}`;
}

function lacksTimezone(term: Term): boolean {
  const isDateTime = term.termType === 'Literal' && term.datatype.value === xsd.dateTime;
  return isDateTime && DATE_TIME_WITHOUT_ZONE.test(term.value);
}

function strangers(quads: readonly Quad[], property: string, expected: string): string[] {
  const subjects = quads.filter(({ predicate }) => predicate.value === property).map(({ subject }) => subject.value);
  // Beside its own, a page may say something of others.
  if (subjects.length === 0 || subjects.includes(expected)) return [];
  return [`${shortName(property)} of <${subjects[0]}> instead of <${expected}>`];
}

function parentsOf({ nodes }: Evidence) {
  const found = new Map<string, Set<string>>();
  for (const { url, relations } of nodes) {
    for (const target of relations.flatMap((relation) => relation.target ?? [])) {
      if (target === nodes[0]?.url || target === url) continue;
      found.set(target, (found.get(target) ?? new Set()).add(url));
    }
  }
  return [...found].map(([url, parents]) => ({ url, parents }));
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
    for (const { term, star } of named) addTo(found, term.value, { url, text: textOf(star, 'predicate', 'object') });
  }
  return [...found].flatMap(([id, places]) => {
    const [url = '', ...others] = places.map((place) => place.url);
    const texts = new Set(places.map(({ text }) => text));
    return others.length === 0 ? [] : [{ id, url, others: others.join(' and '), isSame: texts.size === 1 }];
  });
}

// The rules of LDES and TREE for a view: the way to its root, what this says of the stream, relations, and retention.

import { ldes, terms, tree, xsd } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import { type CheckedDocument, type Evidence, isViewByTime, mutableNodes, objectsOf } from './evidence.ts';
import { mutable, on, onRelations, onRoot, onWay, type Rule, readable, shortName } from './rule.ts';

/** What a stream says of itself at most once. */
const STATED_ONCE = terms(
  'ldes',
  'timestampPath sequencePath versionOfPath versionTimestampPath versionSequencePath versionCreatePath versionUpdatePath',
  'versionDeletePath versionCreateObject versionUpdateObject versionDeleteObject transactionPath',
  'transactionFinalizedPath transactionFinalizedObject pollingInterval',
);
/** Classes and properties of retention that LDES has replaced. */
const LEGACY_RETENTION = terms(
  'ldes',
  'DurationAgoPolicy LatestVersionSubset PointInTimePolicy amount pointInTime versionKey',
);
/** Relations that compare with a value. */
const COMPARISONS = terms(
  'tree',
  'GreaterThanRelation GreaterThanOrEqualToRelation LessThanRelation LessThanOrEqualToRelation EqualToRelation',
  'PrefixRelation SubstringRelation SuffixRelation NotEqualToRelation GeospatiallyContainsRelation',
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
    star: root?.quads.filter(({ subject }) => subject.value === policy.value) ?? [],
    url: root?.url ?? '',
  })),
);

/** The rules for a view. */
export const treeRules: readonly Rule[] = [
  onWay(
    'CHK-1 error: The URL, and where it leads, answers with a document (LDES, initialization)',
    ({ document: { problem } }) => (problem?.kind === 'unanswered' || problem?.kind === 'status') && problem.saw,
  ),
  onWay(
    'CHK-2 error: The root says which stream it is a view of (tree:view) (LDES, initialization)',
    ({ document, entrance }, { way }) => {
      if (document.problem !== undefined || document !== way.at(-1)?.document) return undefined;
      if (entrance.kind === 'leads') return `its tree:view is <${entrance.to}>`;
      return entrance.kind === 'none' && 'no tree:view';
    },
  ),
  onWay(
    'CHK-3 error: The root is a view of one stream only (LDES, initialization)',
    ({ entrance: found }) => 'streams' in found && found.streams.length > 1 && `tree:view of ${joined(found.streams)}`,
  ),
  onWay(
    'CHK-4 error: An overview leads to one view, else the URL of one has to be given (LDES, initialization)',
    ({ entrance }) => entrance.kind === 'several' && `views ${joined(entrance.views, ', ')}`,
  ),
  onWay(
    'CHK-5 error: The root names itself by its URL after redirects (LDES, initialization; RFC 3986 section 5.1.3)',
    ({ document: { requestedUrl }, entrance: { kind } }) =>
      kind === 'moved' && `its tree:view is <${requestedUrl}>, which redirects here`,
  ),

  onDocuments(
    'CHK-6 error: Content is what its Content-Type says (RFC 9110 section 8.3; LDES Server Primer, serialization)',
    ({ problem }) => problem?.kind === 'content' && problem.saw,
  ),
  onDocuments(
    'CHK-7 error: The Content-Type is one of the five of RDF: N-Quads, N-Triples, TriG, Turtle, JSON-LD (LDES Server Primer, serialization)',
    ({ problem }) => problem?.kind === 'media-type' && problem.saw,
  ),
  onDocuments(
    'CHK-8 advice: JSON-LD has its context inline, which saves each reader a request a page (ldes-live, documents DOC-19)',
    ({ problem }) => problem?.kind === 'remote-context' && problem.saw,
  ),

  onRoot(
    'CHK-9 warning: The stream says which property orders its members (ldes:timestampPath) (LDES Server Primer, context information)',
    ({ stream }) => stream.about(ldes.timestampPath).length === 0 && 'no ldes:timestampPath',
  ),
  onRoot('CHK-10 error: The stream says each thing about its members once (LDES vocabulary)', ({ stream }) =>
    Object.values(STATED_ONCE).flatMap((property) => repeated(stream.about(property), property)),
  ),
  onRoot(
    'CHK-11 warning: ldes:timestampPath and ldes:versionOfPath are single predicates, which is all that most readers take (ldes-live, documents DOC-2)',
    ({ stream }) =>
      [ldes.timestampPath, ldes.versionOfPath].flatMap((property) =>
        stream
          .about(property)
          .filter(({ termType }) => termType !== 'NamedNode')
          .map(({ termType }) => `${shortName(property)} is a ${termType === 'BlankNode' ? 'path' : 'literal'}`),
      ),
  ),
  onRoot(
    'CHK-12 advice: A view by time says when to come back to readers that do not heed header fields (ldes:pollingInterval) (LDES, synchronization run)',
    ({ stream }, evidence) => {
      const [first] = mutableNodes(evidence);
      const isScheduled = first && (first.nextUpdateMs !== undefined || (first.maxAgeSeconds ?? 0) > 1);
      const isExpected = isScheduled && isViewByTime(evidence);
      return isExpected && stream.about(ldes.pollingInterval).length === 0 && 'no ldes:pollingInterval';
    },
  ),
  onRoot('CHK-13 error: ldes:pollingInterval is a whole number of seconds (LDES vocabulary)', ({ stream }) => {
    const isText = (term: Term) => term.termType === 'Literal' && term.datatype.value === xsd.string;
    const wrong = stream.about(ldes.pollingInterval).filter((term) => !/^\+?\d+$/.test(term.value) || isText(term));
    return wrong.map(({ value }) => `ldes:pollingInterval "${value}"`);
  }),
  mutable(
    'CHK-14 warning: Caches keep a document no longer than readers wait between polls (LDES, synchronization run; RFC 9111 section 4.2)',
    ({ maxAgeSeconds: maxAge = 0 }, { stream }) => {
      const every = stream?.pollingIntervalSeconds;
      const isTooLong = every !== undefined && maxAge > 2 * every && maxAge <= Math.max(3600, 10 * every);
      return isTooLong && `max-age=${maxAge}, ldes:pollingInterval ${every}`;
    },
  ),
  readable('CHK-15 warning: Times say their timezone (LDES Server Primer, timestamps)', ({ quads }) => {
    const [first, ...others] = quads.filter(({ object }) => lacksTimezone(object));
    return first && `"${first.object.value}"${others.length > 0 ? ` and ${others.length} more` : ''}`;
  }),

  readable(
    'CHK-16 error: Relations and members on a page are those of the page and its stream (TREE, hypermedia; LDES Server Primer, members)',
    ({ url, quads }, { stream }) => [
      ...strangers(quads, tree.relation, url),
      ...strangers(quads, tree.member, stream?.iri ?? ''),
    ],
  ),
  onRelations(
    'CHK-17 error: A relation leads to one node, named by an IRI (tree:node) (TREE, relations)',
    ({ nodes, target }) => {
      const [node, ...others] = nodes;
      if (node === undefined) return 'a relation without tree:node';
      if (others.length > 0) return `a relation with ${nodes.length} tree:node`;
      return target === undefined && `tree:node is "${node.value}"`;
    },
  ),
  onRelations(
    'CHK-18 error: A relation that compares has one tree:path and one tree:value (TREE, relations)',
    ({ types, paths, values }) => {
      const type = types.find((candidate) => Object.values<string>(COMPARISONS).includes(candidate));
      if (type === undefined || (paths.length === 1 && values.length === 1)) return undefined;
      return `a ${shortName(type)} with ${paths.length} tree:path and ${values.length} tree:value`;
    },
  ),
  onRelations(
    'CHK-19 warning: Relations order by the property that orders the members (LDES Server Primer, fragmentation)',
    ({ operator, paths }, { stream }) => {
      const ordering = [stream?.timestampPath, stream?.sequencePath].filter((path) => path !== undefined);
      const [path, ...others] = paths;
      if (ordering.length === 0 || path?.termType !== 'NamedNode' || others.length > 0) return undefined;
      return operator !== undefined && !ordering.includes(path.value) && `tree:path <${path.value}>`;
    },
  ),
  onRelations(
    'CHK-20 error: No relation leads to its own node, nor back to the root (TREE, search trees)',
    ({ target, url }, { nodes: [root] }) => {
      if (target === url) return 'a relation to itself';
      return target !== undefined && target === root?.url && 'a relation to the root';
    },
  ),
  on(parentsOf)(
    'CHK-21 error: A node is reached from one other node (TREE, search trees)',
    ({ parents }) => parents.size > 1 && `relations from ${joined(parents)}`,
  ),
  onLinked(
    'CHK-22 error: A node that a relation leads to is there (TREE, traversal; LDES, errors)',
    ({ problem, status, linkedFrom }) => {
      const isMissing = problem?.kind === 'unanswered' || (problem?.kind === 'status' && status !== 410);
      return isMissing && `${problem.saw}; linked from ${linkedFrom}`;
    },
  ),
  onLinked(
    'CHK-23 warning: Relations to a removed node go before the node does (LDES Server Primer, compaction)',
    ({ status, linkedFrom }) => status === 410 && `status 410; linked from ${linkedFrom}`,
  ),

  onRoot('CHK-74 error: A view has one retention policy at most (LDES, retention policies)', ({ stream }) => {
    const { length } = stream.about(ldes.retentionPolicy);
    return length > 1 && `${length} ldes:retentionPolicy`;
  }),
  onPolicies(
    'CHK-75 error: A retention policy is named by an IRI (LDES, retention policies)',
    ({ policy: { termType } }) => termType !== 'NamedNode' && `ldes:retentionPolicy is a ${termType}`,
  ),
  onPolicies(
    'CHK-76 warning: A retention policy is described on the root; one that is not says that nothing is kept (LDES, retention policies)',
    ({ policy, star }) => star.length === 0 && `nothing about <${policy.value}>`,
  ),
  onPolicies(
    'CHK-77 advice: A retention policy uses the present terms of LDES (LDES vocabulary, retention)',
    ({ star }) => {
      const used = new Set(star.flatMap(({ predicate, object }) => [predicate.value, object.value]));
      const legacy = [...used].filter((iri) => Object.values<string>(LEGACY_RETENTION).includes(iri));
      return legacy.map(shortName).join(', ');
    },
  ),
  onPolicies(
    'CHK-78 error: What a retention policy says stands once and can be read (LDES vocabulary, retention)',
    ({ star }) =>
      Object.entries(RETENTION_VALUES).flatMap(([property, isReadable]) => {
        const values = objectsOf(star, property);
        const wrong = values.filter((value) => !isReadable(value));
        if (values.length > 1) return repeated(values, property);
        return wrong.map(({ value }) => `${shortName(property)} "${value}"`);
      }),
  ),
];

function joined(iris: Iterable<string>, separator = ' and '): string {
  return [...iris].map((iri) => `<${iri}>`).join(separator);
}

function repeated({ length }: readonly Term[], property: string): string[] {
  return length > 1 ? [`${length} values of ${shortName(property)}`] : [];
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

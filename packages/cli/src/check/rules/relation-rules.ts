import { ldes, tree } from '@ldes-live/rdf-stream';
import { type Evidence, readableNodes } from '../evidence/evidence.ts';
import { type CheckedNode, type CheckedRelation, targetOf } from '../evidence/tree-node.ts';
import { comparisons, otherTypedRelations, shortName } from '../terms.ts';
import type { Observation, Rule } from './rule.ts';

/** How the nodes of a view lead to each other. */
export const relationRules: readonly Rule[] = [
  {
    id: 'CHK-16',
    severity: 'error',
    title: 'Relations and members on a page are those of the page and its stream',
    source: 'TREE, hypermedia; LDES Server Primer, members',
    check: ({ nodes, stream }) =>
      nodes.flatMap(({ document: { url, quads } }) => [
        ...strangers(url, quads, tree.relation, url),
        ...strangers(url, quads, tree.member, stream?.iri ?? ''),
      ]),
  },
  {
    id: 'CHK-17',
    severity: 'error',
    title: 'A relation leads to one node, named by an IRI (tree:node)',
    source: 'TREE, relations',
    check: (evidence) =>
      eachRelation(evidence, (relation) => {
        const [node, ...others] = relation.nodes;
        if (node === undefined) return 'a relation without tree:node';
        if (others.length > 0) return `a relation with ${relation.nodes.length} tree:node`;
        return targetOf(relation) === undefined ? `tree:node is "${node.value}"` : undefined;
      }),
  },
  {
    id: 'CHK-18',
    severity: 'error',
    title: 'A relation that compares has one tree:path and one tree:value',
    source: 'TREE, relations',
    check: (evidence) =>
      eachRelation(evidence, ({ types, paths, values }) => {
        const type = types.find((candidate) => comparisons.has(candidate) || otherTypedRelations.has(candidate));
        if (type === undefined || (paths.length === 1 && values.length === 1)) return undefined;
        return `a ${shortName(type)} with ${paths.length} tree:path and ${values.length} tree:value`;
      }),
  },
  {
    id: 'CHK-19',
    severity: 'warning',
    title: 'Relations order by the property that orders the members',
    source: 'LDES Server Primer, fragmentation',
    check: (evidence) => {
      const ordering = [ldes.timestampPath, ldes.sequencePath].flatMap(
        (path) => evidence.stream?.predicate(path) ?? [],
      );
      if (ordering.length === 0) return [];
      return eachRelation(evidence, ({ types, paths: [path, ...others] }) => {
        const isWrong = path?.termType === 'NamedNode' && others.length === 0 && !ordering.includes(path.value);
        return isWrong && types.some((type) => comparisons.has(type)) ? `tree:path <${path.value}>` : undefined;
      });
    },
  },
  {
    id: 'CHK-20',
    severity: 'error',
    title: 'No relation leads to its own node, nor back to the root',
    source: 'TREE, search trees',
    check: (evidence) => {
      const root = evidence.nodes[0]?.document.url;
      return eachRelation(evidence, (relation, { document: { url } }) => {
        const target = targetOf(relation);
        if (target === url) return 'a relation to itself';
        return target === root && target !== undefined ? 'a relation to the root' : undefined;
      });
    },
  },
  {
    id: 'CHK-21',
    severity: 'error',
    title: 'A node is reached from one other node',
    source: 'TREE, search trees',
    check: (evidence) => {
      const parents = new Map<string, Set<string>>();
      const root = evidence.nodes[0]?.document.url;
      for (const { document, relations } of evidence.nodes) {
        for (const target of relations.flatMap((relation) => targetOf(relation) ?? [])) {
          if (target === root || target === document.url) continue;
          parents.set(target, (parents.get(target) ?? new Set()).add(document.url));
        }
      }
      return [...parents]
        .filter(([, from]) => from.size > 1)
        .map(([url, from]) => ({ url, saw: `relations from ${[...from].map((node) => `<${node}>`).join(' and ')}` }));
    },
  },
  {
    id: 'CHK-22',
    severity: 'error',
    title: 'A node that a relation leads to is there',
    source: 'TREE, traversal; LDES, errors',
    check: ({ nodes }) =>
      nodes.flatMap(({ document: { requestedUrl, problem, exchange }, from }) => {
        const isMissing = problem?.kind === 'unanswered' || (problem?.kind === 'status' && exchange.status !== 410);
        return from && isMissing
          ? [{ url: requestedUrl, saw: `${problem.saw}; linked from ${from.node.document.url}` }]
          : [];
      }),
  },
  {
    id: 'CHK-23',
    severity: 'warning',
    title: 'Relations to a removed node go before the node does',
    source: 'LDES Server Primer, compaction',
    check: ({ nodes }) =>
      nodes.flatMap(({ document: { requestedUrl, exchange }, from }) =>
        from && exchange.status === 410
          ? [{ url: requestedUrl, saw: `status 410; linked from ${from.node.document.url}` }]
          : [],
      ),
  },
];

function eachRelation(
  evidence: Evidence,
  look: (relation: CheckedRelation, node: CheckedNode) => string | undefined,
): Observation[] {
  return readableNodes(evidence).flatMap((node) =>
    node.relations.flatMap((relation) => {
      const saw = look(relation, node);
      return saw === undefined ? [] : [{ url: node.document.url, saw }];
    }),
  );
}

function strangers(
  url: string,
  quads: CheckedNode['document']['quads'],
  property: string,
  expected: string,
): Observation[] {
  const subjects = quads.filter(({ predicate }) => predicate.value === property).map(({ subject }) => subject.value);
  // Beside its own, a page may say something of others.
  if (subjects.length === 0 || subjects.includes(expected)) return [];
  return [{ url, saw: `${shortName(property)} of <${subjects[0]}> instead of <${expected}>` }];
}

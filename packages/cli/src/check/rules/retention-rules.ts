import { ldes } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import type { Evidence } from '../evidence/evidence.ts';
import { lacksTimezone } from '../evidence/time-value.ts';
import { objectsOf } from '../evidence/tree-node.ts';
import { legacyRetention, shortName } from '../terms.ts';
import type { Observation, Rule } from './rule.ts';

/** What is kept, and for how long. */
export const retentionRules: readonly Rule[] = [
  {
    id: 'CHK-74',
    severity: 'error',
    title: 'A view has one retention policy at most',
    source: 'LDES, retention policies',
    check: (evidence) =>
      onPolicies(evidence, (policies) => (policies.length > 1 ? [`${policies.length} ldes:retentionPolicy`] : [])),
  },
  {
    id: 'CHK-75',
    severity: 'error',
    title: 'A retention policy is named by an IRI',
    source: 'LDES, retention policies',
    check: (evidence) =>
      onPolicies(evidence, (policies) =>
        policies
          .filter(({ termType }) => termType !== 'NamedNode')
          .map(({ termType }) => `ldes:retentionPolicy is a ${termType}`),
      ),
  },
  {
    id: 'CHK-76',
    severity: 'warning',
    title: 'A retention policy is described on the root; one that is not says that nothing is kept',
    source: 'LDES, retention policies',
    check: (evidence) =>
      onPolicies(evidence, (policies, quads) =>
        policies
          .filter((policy) => starOf(quads, policy).length === 0)
          .map((policy) => `nothing about <${policy.value}>`),
      ),
  },
  {
    id: 'CHK-77',
    severity: 'advice',
    title: 'A retention policy uses the present terms of LDES',
    source: 'LDES vocabulary, retention',
    check: (evidence) =>
      onPolicies(evidence, (policies, quads) =>
        policies.flatMap((policy) => {
          const legacy = starOf(quads, policy)
            .flatMap(({ predicate, object }) => [predicate.value, object.value])
            .filter((iri) => legacyRetention.has(iri));
          return legacy.length > 0 ? [[...new Set(legacy)].map(shortName).join(', ')] : [];
        }),
      ),
  },
  {
    id: 'CHK-78',
    severity: 'error',
    title: 'What a retention policy says stands once and can be read',
    source: 'LDES vocabulary, retention',
    check: (evidence) =>
      onPolicies(evidence, (policies, quads) =>
        policies.flatMap((policy) =>
          Object.entries(readable).flatMap(([property, isReadable]) => {
            const values = objectsOf(starOf(quads, policy), property);
            if (values.length > 1) return [`${values.length} values of ${shortName(property)}`];
            return values.filter((value) => !isReadable(value)).map(({ value }) => `${shortName(property)} "${value}"`);
          }),
        ),
      ),
  },
];

const isDuration = ({ value }: Term) =>
  /^P(?=.)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?$/.test(value);

const readable: Readonly<Record<string, (value: Term) => boolean>> = {
  [ldes.startingFrom]: (term) => !Number.isNaN(Date.parse(term.value)) && !lacksTimezone(term),
  [ldes.fullLogDuration]: isDuration,
  [ldes.versionAmount]: ({ value }) => /^\+?\d+$/.test(value) && Number(value) > 0,
  [ldes.versionDuration]: isDuration,
  [ldes.versionDeleteDuration]: isDuration,
};

function starOf(quads: readonly Quad[], { value }: Term): Quad[] {
  return quads.filter(({ subject }) => subject.value === value);
}

function onPolicies(
  { nodes, stream }: Evidence,
  look: (policies: readonly Term[], quads: readonly Quad[]) => string[],
): Observation[] {
  const root = nodes[0]?.document;
  const policies = stream?.about(ldes.retentionPolicy) ?? [];
  return root === undefined ? [] : look(policies, root.quads).map((saw) => ({ url: root.url, saw }));
}

import { ldes, xsd } from '@ldes-live/rdf-stream';
import type { Evidence } from '../evidence/evidence.ts';
import { maxAgeOf, mutableNodes, nextUpdateMs } from '../evidence/freshness-facts.ts';
import { isViewByTime } from '../evidence/is-view-by-time.ts';
import { lacksTimezone } from '../evidence/time-value.ts';
import { contextProperties, shortName } from '../terms.ts';
import type { Observation, Rule } from './rule.ts';

/** What the root says of the stream. */
export const contextRules: readonly Rule[] = [
  {
    id: 'CHK-9',
    severity: 'warning',
    title: 'The stream says which property orders its members (ldes:timestampPath)',
    source: 'LDES Server Primer, context information',
    check: (evidence) =>
      onRoot(evidence, ({ about }) => (about(ldes.timestampPath).length === 0 ? ['no ldes:timestampPath'] : [])),
  },
  {
    id: 'CHK-10',
    severity: 'error',
    title: 'The stream says each thing about its members once',
    source: 'LDES vocabulary',
    check: (evidence) =>
      onRoot(evidence, ({ about }) =>
        contextProperties.flatMap((property) => {
          const found = about(property);
          return found.length > 1 ? [`${found.length} values of ${shortName(property)}`] : [];
        }),
      ),
  },
  {
    id: 'CHK-11',
    severity: 'warning',
    title: 'ldes:timestampPath and ldes:versionOfPath are single predicates, which is all that most readers take',
    source: 'ldes-live, documents DOC-2',
    check: (evidence) =>
      onRoot(evidence, ({ about }) =>
        [ldes.timestampPath, ldes.versionOfPath].flatMap((property) =>
          about(property)
            .filter(({ termType }) => termType !== 'NamedNode')
            .map(({ termType }) => `${shortName(property)} is a ${termType === 'BlankNode' ? 'path' : 'literal'}`),
        ),
      ),
  },
  {
    id: 'CHK-12',
    severity: 'advice',
    title: 'A view by time says when to come back to readers that do not heed header fields (ldes:pollingInterval)',
    source: 'LDES, synchronization run',
    check: (evidence) => {
      const [root] = mutableNodes(evidence);
      const isScheduled =
        root !== undefined && (nextUpdateMs(root.document) !== undefined || (maxAgeOf(root.document) ?? 0) > 1);
      const isExpected = isScheduled && isViewByTime(evidence);
      return onRoot(evidence, ({ about }) =>
        isExpected && about(ldes.pollingInterval).length === 0 ? ['no ldes:pollingInterval'] : [],
      );
    },
  },
  {
    id: 'CHK-13',
    severity: 'error',
    title: 'ldes:pollingInterval is a whole number of seconds',
    source: 'LDES vocabulary',
    check: (evidence) =>
      onRoot(evidence, ({ about }) =>
        about(ldes.pollingInterval)
          .filter(
            (term) =>
              !/^\+?\d+$/.test(term.value) || (term.termType === 'Literal' && term.datatype.value === xsd.string),
          )
          .map(({ value }) => `ldes:pollingInterval "${value}"`),
      ),
  },
  {
    id: 'CHK-14',
    severity: 'warning',
    title: 'Caches keep a document no longer than readers wait between polls',
    source: 'LDES, synchronization run; RFC 9111 section 4.2',
    check: (evidence) => {
      const every = evidence.stream?.pollingIntervalSeconds;
      if (every === undefined) return [];
      return mutableNodes(evidence).flatMap(({ document }) => {
        const maxAge = maxAgeOf(document) ?? 0;
        const isTooLong = maxAge > 2 * every && maxAge <= Math.max(3600, 10 * every);
        return isTooLong ? [{ url: document.url, saw: `max-age=${maxAge}, ldes:pollingInterval ${every}` }] : [];
      });
    },
  },
  {
    id: 'CHK-15',
    severity: 'warning',
    title: 'Times say their timezone',
    source: 'LDES Server Primer, timestamps',
    check: ({ nodes }) =>
      nodes.flatMap(({ document: { url, quads } }) => {
        const bare = quads.filter(({ object }) => lacksTimezone(object));
        const [first] = bare;
        return first === undefined
          ? []
          : [{ url, saw: `"${first.object.value}"${bare.length > 1 ? ` and ${bare.length - 1} more` : ''}` }];
      }),
  },
];

function onRoot(evidence: Evidence, look: (stream: NonNullable<Evidence['stream']>) => string[]): Observation[] {
  const root = evidence.nodes[0];
  if (root === undefined || evidence.stream === undefined) return [];
  return look(evidence.stream).map((saw) => ({ url: root.document.url, saw }));
}

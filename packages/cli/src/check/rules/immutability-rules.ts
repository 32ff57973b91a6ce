import { secondsOf } from '../evidence/cache-control.ts';
import { immutability } from '../evidence/checked-document.ts';
import { readableNodes } from '../evidence/evidence.ts';
import { immutableNodes } from '../evidence/freshness-facts.ts';
import type { Rule } from './rule.ts';

/** The shortest time that is worth the name for what never changes: a day, in seconds. */
const SHORTEST_SECONDS = 86_400;

/** What never changes, and says so. */
export const immutabilityRules: readonly Rule[] = [
  {
    id: 'CHK-33',
    severity: 'warning',
    title: 'A page that may change says nothing of it, rather than ldes:immutable false',
    source: 'LDES Server Primer, immutable pages',
    check: (evidence) =>
      readableNodes(evidence).flatMap(({ document: { url, quads } }) =>
        immutability(quads, url).includes('false') ? [{ url, saw: 'ldes:immutable false' }] : [],
      ),
  },
  {
    id: 'CHK-34',
    severity: 'warning',
    title: 'A page that says ldes:immutable true is sent as immutable too',
    source: 'LDES Server Primer, immutable pages; RFC 8246',
    check: (evidence) =>
      immutableNodes(evidence).flatMap(({ document: { url, caching, isSentImmutable } }) =>
        isSentImmutable
          ? []
          : [{ url, saw: caching.field === undefined ? 'no Cache-Control' : `Cache-Control: ${caching.field}` }],
      ),
  },
  {
    id: 'CHK-35',
    severity: 'warning',
    title: 'A page that is sent as immutable says ldes:immutable true too',
    source: 'LDES Server Primer, immutable pages',
    check: (evidence) =>
      immutableNodes(evidence).flatMap(({ document: { url, saysImmutable } }) =>
        saysImmutable ? [] : [{ url, saw: 'Cache-Control: immutable, and no triple' }],
      ),
  },
  {
    id: 'CHK-36',
    severity: 'warning',
    title: 'An immutable page has an ETag',
    source: 'LDES Server Primer, caching',
    check: (evidence) =>
      immutableNodes(evidence).flatMap(({ document: { url, exchange } }) =>
        exchange.fields.etag === undefined ? [{ url, saw: 'no ETag' }] : [],
      ),
  },
  {
    id: 'CHK-37',
    severity: 'warning',
    title: 'An immutable page is kept for a day at least',
    source: 'RFC 8246 section 2; ldes-live, documents DOC-5',
    check: (evidence) =>
      immutableNodes(evidence).flatMap(({ document: { url, caching, isSentImmutable } }) => {
        const seconds = secondsOf(caching, 'max-age');
        // Where the header is missing or malformed, that is the rule that is broken.
        const isMalformed = seconds === undefined && caching.directives.has('max-age');
        if (!isSentImmutable || isMalformed || (seconds !== undefined && seconds >= SHORTEST_SECONDS)) return [];
        return [{ url, saw: seconds === undefined ? 'no max-age' : `max-age=${seconds}` }];
      }),
  },
  {
    id: 'CHK-38',
    severity: 'error',
    title: 'An immutable page does not change',
    source: 'LDES, immutable pages; RFC 8246',
    check: ({ probes }) =>
      probes.flatMap(({ kind, about, answer }) => {
        const isCompared =
          kind === 'again' &&
          answer.problem === undefined &&
          // Another page may take the place of one that is not there any more.
          answer.url === about.url &&
          (about.saysImmutable || about.isSentImmutable);
        return isCompared && statementsOf(about.quads) !== statementsOf(answer.quads)
          ? [{ url: about.url, saw: 'something else when it was read again' }]
          : [];
      }),
  },
  {
    id: 'CHK-39',
    severity: 'error',
    title: 'An immutable page announces no update',
    source: 'ldes-live, documents DOC-8',
    check: (evidence) =>
      immutableNodes(evidence).flatMap(({ document: { url, exchange } }) => {
        const next = exchange.fields['next-update'];
        return next === undefined ? [] : [{ url, saw: `Next-Update: ${next}` }];
      }),
  },
];

// Labels of blank nodes and the order of statements may differ.
function statementsOf(quads: Parameters<typeof immutability>[0]): string {
  const text = ({ termType, value }: { termType: string; value: string }) => (termType === 'BlankNode' ? '_' : value);
  return quads
    .map(({ subject, predicate, object, graph }) => [subject, predicate, object, graph].map(text).join(' '))
    .sort()
    .join('\n');
}

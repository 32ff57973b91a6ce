import { type CacheControl, secondsOf } from '../evidence/cache-control.ts';
import type { CheckedDocument } from '../evidence/checked-document.ts';
import { type Evidence, readableNodes } from '../evidence/evidence.ts';
import { answeredMs, maxAgeOf, mutableNodes, nextUpdateMs } from '../evidence/freshness-facts.ts';
import { dateMsOf } from '../http/exchange.ts';
import type { Observation, Rule } from './rule.ts';

/** The longest that a document which may change can be kept without a word on its next update: an hour, in seconds. */
const LONGEST_SECONDS = 3600;

/** How long caches may keep what changes. */
export const cachingRules: readonly Rule[] = [
  {
    id: 'CHK-40',
    severity: 'warning',
    title: 'What may change says how long it may be kept',
    source: 'RFC 9111 section 4.2',
    check: (evidence) =>
      onMutable(evidence, ({ caching, exchange }) => {
        const isStated =
          hasAny(caching, ['max-age', 's-maxage', 'no-cache', 'no-store']) || 'expires' in exchange.fields;
        return isStated ? undefined : 'neither max-age nor Expires';
      }),
  },
  {
    id: 'CHK-41',
    severity: 'warning',
    title: 'What may change is not kept for long',
    source: 'LDES Server Primer, caching; ldes-live, documents DOC-9',
    check: (evidence) => {
      const longest = Math.max(LONGEST_SECONDS, 10 * (evidence.stream?.pollingIntervalSeconds ?? 0));
      return onMutable(evidence, (document) => {
        const maxAge = maxAgeOf(document) ?? 0;
        return maxAge > longest && nextUpdateMs(document) === undefined ? `max-age=${maxAge}` : undefined;
      });
    },
  },
  {
    id: 'CHK-42',
    severity: 'warning',
    title: 'Expires is not in the past of what may be kept',
    source: 'RFC 9111 section 5.3; ldes-live, documents DOC-9',
    check: (evidence) =>
      onMutable(evidence, (document) => {
        const { exchange, caching } = document;
        const expiresMs = dateMsOf(exchange, 'expires');
        const isKept = !hasAny(caching, ['no-cache', 'no-store']) && secondsOf(caching, 'max-age') !== 0;
        const isPast = expiresMs !== undefined && expiresMs < answeredMs(document);
        return isPast && isKept
          ? `Expires: ${exchange.fields.expires}, Date: ${exchange.fields.date ?? 'none'}`
          : undefined;
      }),
  },
  {
    id: 'CHK-43',
    severity: 'error',
    title: 'Nothing is kept past the next update',
    source: 'ldes-live, documents DOC-8',
    check: (evidence) =>
      onMutable(evidence, (document) => {
        const nextMs = nextUpdateMs(document);
        const dateMs = answeredMs(document);
        if (nextMs === undefined || nextMs < dateMs) return undefined;
        const maxAge = maxAgeOf(document) ?? 0;
        const next = `Next-Update: ${document.exchange.fields['next-update']}, Date: ${document.exchange.fields.date ?? 'none'}`;
        if (dateMs + maxAge * 1000 > nextMs) return `max-age=${maxAge}, ${next}`;
        const expiresMs = dateMsOf(document.exchange, 'expires') ?? 0;
        return expiresMs > nextMs ? `Expires: ${document.exchange.fields.expires}, ${next}` : undefined;
      }),
  },
  {
    id: 'CHK-44',
    severity: 'warning',
    title: 'Directives of Cache-Control are separated by a comma and a space, by which some readers split them',
    source: 'ldes-live, documents DOC-8',
    check: (evidence) =>
      readableNodes(evidence).flatMap(({ document: { url, caching } }) =>
        /,(?! )/.test(caching.field ?? '') ? [{ url, saw: `Cache-Control: ${caching.field}` }] : [],
      ),
  },
  {
    id: 'CHK-45',
    severity: 'error',
    title: 'Directives of Cache-Control stand once, with whole seconds that caches can hold',
    source: 'RFC 9111 sections 1.2.2 and 4.2.1',
    check: (evidence) =>
      readableNodes(evidence).flatMap(({ document: { url, caching } }) =>
        isMalformed(caching) ? [{ url, saw: `Cache-Control: ${caching.field}` }] : [],
      ),
  },
  {
    id: 'CHK-46',
    severity: 'warning',
    title: 'No stale-while-revalidate, which hides the update that a reader comes for',
    source: 'RFC 5861 section 3; ldes-live, documents',
    check: (evidence) =>
      onMutable(evidence, ({ caching }) => {
        const seconds = secondsOf(caching, 'stale-while-revalidate') ?? 0;
        return seconds > 0 ? `stale-while-revalidate=${seconds}` : undefined;
      }),
  },
  {
    id: 'CHK-47',
    severity: 'error',
    title: 'Next-Update is an instant with its timezone',
    source: 'ldes-live, documents DOC-8',
    check: (evidence) =>
      onMutable(evidence, (document) => {
        const field = document.exchange.fields['next-update'];
        return field !== undefined && nextUpdateMs(document) === undefined ? `Next-Update: ${field}` : undefined;
      }),
  },
  {
    id: 'CHK-48',
    severity: 'warning',
    title: 'Next-Update is to come, or left out where the update is late',
    source: 'ldes-live, documents DOC-9',
    check: (evidence) =>
      onMutable(evidence, (document) => {
        const { fields } = document.exchange;
        const nextMs = nextUpdateMs(document);
        const isPast = nextMs !== undefined && nextMs < answeredMs(document);
        return isPast ? `Next-Update: ${fields['next-update']}, Date: ${fields.date ?? 'none'}` : undefined;
      }),
  },
  {
    id: 'CHK-49',
    severity: 'advice',
    title: 'Caches in front may keep the documents',
    source: 'RFC 9111 section 5.2.2',
    check: (evidence) =>
      readableNodes(evidence).flatMap(({ document: { url, caching } }) =>
        hasAny(caching, ['no-store', 'private']) ? [{ url, saw: `Cache-Control: ${caching.field}` }] : [],
      ),
  },
  {
    id: 'CHK-50',
    severity: 'error',
    title: 'Responses have a Date, by which caches and readers reckon',
    source: 'RFC 9110 section 6.6.1',
    check: (evidence) =>
      readableNodes(evidence).flatMap(({ document: { url, exchange } }) =>
        dateMsOf(exchange, 'date') === undefined ? [{ url, saw: `Date: ${exchange.fields.date ?? 'none'}` }] : [],
      ),
  },
];

function onMutable(evidence: Evidence, look: (document: CheckedDocument) => string | undefined): Observation[] {
  return mutableNodes(evidence).flatMap(({ document }) => {
    const saw = look(document);
    return saw === undefined ? [] : [{ url: document.url, saw }];
  });
}

function hasAny({ directives }: CacheControl, names: readonly string[]): boolean {
  return names.some((name) => directives.has(name));
}

function isMalformed({ directives, repeated }: CacheControl): boolean {
  const isWrong = (name: string) => {
    const value = directives.get(name);
    return value !== undefined && !(/^\d{1,10}$/.test(value) && Number(value) <= 2 ** 31);
  };
  return repeated.length > 0 || isWrong('max-age') || isWrong('s-maxage');
}

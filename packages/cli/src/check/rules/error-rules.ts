import { readCacheControl, secondsOf } from '../evidence/cache-control.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Rule } from './rule.ts';

/** How errors are answered. */
export const errorRules: readonly Rule[] = [
  {
    id: 'CHK-64',
    severity: 'advice',
    title: 'Errors are not cached',
    source: 'ldes-live, errors ERR-1',
    check: (evidence) =>
      errorsOf(evidence).flatMap(({ url, status, fields }) => {
        const caching = readCacheControl(fields['cache-control']);
        const isKept =
          !['no-store', 'no-cache'].some((name) => caching.directives.has(name)) && secondsOf(caching, 'max-age') !== 0;
        return isKept
          ? [
              {
                url,
                saw: `${status} with ${caching.field === undefined ? 'no Cache-Control' : `Cache-Control: ${caching.field}`}`,
              },
            ]
          : [];
      }),
  },
  {
    id: 'CHK-65',
    severity: 'advice',
    title: 'Errors say what is wrong in application/problem+json',
    source: 'RFC 9457',
    check: (evidence) =>
      errorsOf(evidence).flatMap(({ url, status, fields }) => {
        const type = fields['content-type'] ?? 'none';
        return /^application\/problem\+/i.test(type) ? [] : [{ url, saw: `${status} with Content-Type: ${type}` }];
      }),
  },
  {
    id: 'CHK-66',
    severity: 'warning',
    title: 'What is not there is answered by 404 or 410',
    source: 'RFC 9110 section 15.5.5; LDES, errors',
    check: ({ probes }) =>
      probes.flatMap(({ kind, answer: { exchange } }) =>
        kind === 'unknown' && ![0, 404, 410, 429, 503].includes(exchange.status)
          ? [{ url: exchange.url, saw: `status ${exchange.status}` }]
          : [],
      ),
  },
  {
    id: 'CHK-67',
    severity: 'warning',
    title: 'An overloaded server says when to come back (Retry-After)',
    source: 'RFC 6585 section 4; RFC 9110 section 10.2.3',
    check: ({ refusals }) =>
      refusals.flatMap(({ url, status, fields }) =>
        fields['retry-after'] === undefined ? [{ url, saw: `status ${status} without Retry-After` }] : [],
      ),
  },
];

function errorsOf({ probes, refusals }: Evidence): Exchange[] {
  const unknown = probes.filter(({ kind }) => kind === 'unknown').map(({ answer }) => answer.exchange);
  return [...unknown, ...refusals].filter(({ status }) => status >= 400);
}

import { type Exchange, listOf } from '../http/exchange.ts';
import type { Rule } from './rule.ts';

/** Fields that a reader in a browser needs and does not see unless they are exposed. */
const NEEDED = ['etag', 'link', 'next-update', 'ldes-cursor', 'retry-after'] as const;

/** What a reader in a browser, on another site, can do. */
export const browserRules: readonly Rule[] = [
  {
    id: 'CHK-68',
    severity: 'advice',
    title: 'Pages of other sites may read the documents (CORS)',
    source: 'Fetch, CORS protocol',
    check: ({ probes }) =>
      probes.flatMap(({ kind, about, answer: { exchange } }) =>
        kind === 'cross-origin' && exchange.status === 200 && !isOpen(exchange)
          ? [
              {
                url: about.url,
                saw: `Access-Control-Allow-Origin: ${exchange.fields['access-control-allow-origin'] ?? 'none'}`,
              },
            ]
          : [],
      ),
  },
  {
    id: 'CHK-69',
    severity: 'advice',
    title: 'Pages of other sites may read the header fields that matter (CORS)',
    source: 'Fetch, CORS protocol; ldes-live, documents',
    check: ({ probes }) =>
      probes.flatMap(({ kind, about, answer: { exchange } }) => {
        if (kind !== 'cross-origin' || exchange.status !== 200 || !isOpen(exchange)) return [];
        const exposed = listOf(exchange.fields['access-control-expose-headers']);
        const hidden = NEEDED.filter(
          (name) => name in exchange.fields && !exposed.includes(name) && !exposed.includes('*'),
        );
        return hidden.length > 0 ? [{ url: about.url, saw: `hidden: ${hidden.join(', ')}` }] : [];
      }),
  },
];

function isOpen({ fields, sent }: Exchange): boolean {
  const allowed = fields['access-control-allow-origin'];
  return allowed === '*' || allowed === sent.origin;
}

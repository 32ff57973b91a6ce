import type { Way } from './ways.ts';

/** Where the article stands. */
export const ARTICLE = 'https://brechtvdv.github.io/Article-Live-Open-Data-Interfaces/';

/** Figures of the article's own machines, for formula 1. */
export const PUBLISHED = {
  /** Requests that nginx on one core served a second. */
  requestsPerSecond: 2520,
  /** How many clients it pushed to within how many seconds. */
  pushed: [
    { clients: 5000, longestSeconds: 1 },
    { clients: 25_000, longestSeconds: 4 },
  ],
} as const;

/** What the article says about a way with so many clients; `undefined` where it says nothing. */
export function publishedStatement(
  { kind, between }: Pick<Way, 'kind' | 'between'>,
  clients: number,
): string | undefined {
  if (kind === 'mal') return undefined;
  if (kind === 'sse')
    return clients <= 5000 ? 'under 1 s' : clients >= 25_000 ? 'evenly 0 to 4 s' : 'between under 1 s and 0 to 4 s';
  if (between === 'straight')
    return clients <= 2000 ? 'mostly under 1 s' : clients > 5000 ? 'unstable, 0 to 5 s' : undefined;
  if (between === 'Varnish') return undefined;
  if (clients < 2000) return 'spread over 0 to 2 s';
  if (clients < 4000) return 'mostly 1 to 2 s';
  return clients <= 8000 ? 'mostly 3 to 4 s' : 'not measured: too many';
}

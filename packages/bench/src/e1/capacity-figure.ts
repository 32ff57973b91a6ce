import type { LineSeries, LinesFigure } from '../report/figure.ts';
import type { Crossing, PushedClients } from './judge-crossing.ts';
import { PUBLISHED } from './published.ts';

/** MALs that are drawn, seconds. */
const FIRST_SECONDS = 0.1;
const LAST_SECONDS = 100;
const POINTS = 31;

/**
 * How many clients one core serves against their MAL: by pulling, as many as formula 1 says of the requests that were
 * measured; by pushing, as many of those that were tried as all had every update within it; and the article's own lines
 * beside them.
 */
export function capacityFigure(
  crossings: readonly Crossing[],
  pushed: readonly { readonly server: string; readonly clients: PushedClients }[],
): LinesFigure {
  const push = pushed.map(
    ({ server, clients: { steps, isAtLeast } }): LineSeries => ({
      name: `pushed by ${server}${isAtLeast ? ': at least' : ''}`,
      points: pushedLine(steps),
      ...(isAtLeast && { isDashed: true }),
    }),
  );
  return {
    kind: 'lines',
    id: 'e1-capacity',
    title: 'Clients that one core serves against their MAL (formula 1 of the article)',
    x: { label: 'MAL, s', scale: 'log' },
    y: { label: 'Clients', scale: 'log' },
    series: [
      ...crossings.flatMap(pulled),
      ...push,
      { name: 'the article, pulled by nginx', points: line(PUBLISHED.requestsPerSecond), isDashed: true },
      { name: 'the article, pushed', points: pushedLine(PUBLISHED.pushed), isDashed: true },
    ],
    marks: crossings.flatMap(({ server, between, foretoldSeconds, isAtLeast }) => {
      if (!foretoldSeconds) return [];
      const label = `crossing of ${server}, ${between}${isAtLeast ? ': at least' : ''}`;
      return [{ axis: 'x' as const, at: foretoldSeconds.median, label }];
    }),
  };
}

function pulled({ server, between, requestsPerSecond }: Crossing): readonly LineSeries[] {
  if (!requestsPerSecond) return [];
  const { median, min, max } = requestsPerSecond;
  const points = line(median).map(({ x, y }) => ({ x, y, low: x * min, high: x * max }));
  return [{ name: `pulled from ${server}, ${between === 'straight' ? between : `by ${between}`}`, points }];
}

function line(requestsPerSecond: number): LineSeries['points'] {
  const step = (LAST_SECONDS / FIRST_SECONDS) ** (1 / (POINTS - 1));
  return Array.from({ length: POINTS }, (_, index) => {
    const x = FIRST_SECONDS * step ** index;
    return { x, y: x * requestsPerSecond };
  });
}

/**
 * The most clients that are pushed to within a MAL, as steps: so many from the MAL on within which all of them had every update.
 *
 * @param steps - by ascending numbers of clients
 */
function pushedLine(steps: PushedClients['steps']): LineSeries['points'] {
  // What more clients had as soon, fewer had too.
  const climbing = steps.filter(({ longestSeconds }, index) =>
    steps.slice(index + 1).every((larger) => larger.longestSeconds > longestSeconds),
  );
  return climbing.flatMap(({ clients, longestSeconds }, index) => {
    const from = Math.max(FIRST_SECONDS, longestSeconds);
    const until = Math.max(FIRST_SECONDS, climbing[index + 1]?.longestSeconds ?? LAST_SECONDS);
    return until > from
      ? [
          { x: from, y: clients },
          { x: until, y: clients },
        ]
      : [];
  });
}

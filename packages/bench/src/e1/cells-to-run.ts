import type { E1Plan } from './e1-plan.ts';
import { isChosen, type Way, waysOf } from './ways.ts';

/** A way with a number of clients. */
export interface CellToRun {
  readonly way: Way;
  readonly clients: number;
}

/** What a quick run has with fewer than the most clients, so that there is something to grow. */
const QUICK_WAYS = ['sse-live'];
/** What it leaves out, since it is like another. */
const LIKE_ANOTHER = ['polling-express-nginx', 'sse-fastify', 'sse-c'];
/** What it asks near the crossing. */
const QUICK_CROSSING = ['polling-express', 'polling-live'];

/** The ways near whose crossing rates are asked, and beside them the one of which only its requests a second are. */
export const CROSSING_WAYS = {
  verified: ['polling-live', 'polling-live-nginx', 'polling-live-varnish'],
  counted: ['polling-express'],
} as const;

/**
 * The cells of one repeat, in their order: all ways with one number of clients, before those with the next.
 *
 * @param only - names of measurements; all when empty
 */
export function cellsToRun(plan: E1Plan, only: readonly string[], quick: boolean): readonly CellToRun[] {
  const most = plan.clients.at(-1);
  return plan.clients.flatMap((clients) =>
    waysOf(plan.malSeconds)
      .filter((way) => isChosen(way, only))
      // It is there for the bars.
      .filter(({ id }) => id !== 'sse-c' || clients === plan.barClients)
      .filter(({ id }) => !quick || QUICK_WAYS.includes(id) || (clients === most && !LIKE_ANOTHER.includes(id)))
      .map((way) => ({ way, clients })),
  );
}

/** The ways whose requests a second are counted, in their order; a quick run leaves out what is like another. */
export function crossingWays(only: readonly string[], quick: boolean): readonly Way[] {
  if (only.length > 0 && !only.includes('crossing')) return [];
  const ids: readonly string[] = [...CROSSING_WAYS.counted, ...CROSSING_WAYS.verified];
  return waysOf([]).filter(({ id }) => ids.includes(id) && (!quick || QUICK_CROSSING.includes(id)));
}

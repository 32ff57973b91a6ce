import type { Asked } from '../experiment.ts';
import { CROSSING_WAYS, cellsToRun, crossingWays } from './cells-to-run.ts';
import { e1Plan, polledUpdates, pushedUpdates } from './e1-plan.ts';
import { openingMs } from './opening-ms.ts';

/** What starting and ending a server takes, milliseconds. */
const SERVER_MS = 600;
/** What connecting 10,000 readers in C takes, and looking until nothing comes any more, milliseconds. */
const LEAN_MS = 6000;
/** What a polling client takes beside its connecting, where a server is not up to many, milliseconds. */
const POLLER_MS = 1.2;
/** Rates that are tried near a crossing, as a rule. */
const RATES = 2.5;
/** Part of what opening may take that it does. */
const OPENING_PART = 0.6;

/** About how long a run takes, seconds. */
export function e1Seconds(asked: Asked): number {
  const plan = e1Plan(asked);
  const { intervalMs, settleMs, lean, barClients } = plan;
  const opening = (clients: number) => OPENING_PART * openingMs(clients) + settleMs;
  const cells = cellsToRun(plan, asked.only, asked.quick).map(({ way, clients }) => {
    if (way.kind !== 'sse') {
      const opened = Math.min(intervalMs, openingMs(clients));
      const asking = Math.max(opened, opening(clients)) + POLLER_MS * clients + polledUpdates(plan) * intervalMs;
      return SERVER_MS + settleMs + asking;
    }
    const pushed = pushedUpdates(plan, clients);
    const measured = opening(clients) + 2 * settleMs + pushed.intervalMs * (pushed.count + 1);
    const again = clients === barClients ? (LEAN_MS * clients) / 10_000 + lean.intervalMs * (lean.count + 1) : 0;
    return SERVER_MS + measured + again;
  });
  const { roundMs, clients } = plan.crossing;
  const crossings = crossingWays(asked.only, asked.quick).map(({ id }) => {
    const isVerified = (CROSSING_WAYS.verified as readonly string[]).includes(id);
    // Rates wait for the next update, half of one on average.
    return SERVER_MS + opening(clients) + roundMs + (isVerified ? RATES * 1.5 * intervalMs : 0);
  });
  const repeatMs = [...cells, ...crossings].reduce((sum, milliseconds) => sum + milliseconds, 0);
  return Math.round((plan.repeats * repeatMs) / 1000);
}

import type { Asked } from '../experiment.ts';
import { CROSSING_WAYS, cellsToRun, crossingWays } from './cells-to-run.ts';
import { e1Plan, polledUpdates, pushedUpdates } from './e1-plan.ts';
import { openingMs } from './opening-ms.ts';

/** What starting and ending a server takes, milliseconds. */
const SERVER_MS = 600;
/** What connecting readers in C takes, milliseconds. */
const LEAN_MS = 500;
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
      return SERVER_MS + settleMs + Math.max(opened, opening(clients)) + polledUpdates(plan) * intervalMs;
    }
    const pushed = pushedUpdates(plan, clients);
    const measured = opening(clients) + 2 * settleMs + pushed.intervalMs * (pushed.count + 1);
    const again = clients === barClients ? LEAN_MS + lean.intervalMs * (lean.count + 1) : 0;
    return SERVER_MS + measured + again;
  });
  const { roundMs, verifyMs } = plan.crossing;
  const most = plan.clients.at(-1) ?? 0;
  const crossings = crossingWays(asked.only, asked.quick).map(({ id }) => {
    const isVerified = (CROSSING_WAYS.verified as readonly string[]).includes(id);
    return SERVER_MS + roundMs + (isVerified ? opening(most) + 2 * verifyMs : 0);
  });
  const repeatMs = [...cells, ...crossings].reduce((sum, milliseconds) => sum + milliseconds, 0);
  return Math.round((plan.repeats * repeatMs) / 1000);
}

import type { Asked } from '../experiment.ts';

/** How large everything is. */
export interface E1Plan {
  readonly clients: readonly number[];
  readonly repeats: number;
  /** Size of an update, bytes. */
  readonly eventBytes: number;
  /** From one update to the next where clients poll, and what CPU time is counted for, milliseconds. */
  readonly intervalMs: number;
  /** How long each cell is measured, milliseconds. */
  readonly measuredMs: number;
  /** How long the article's client waits after an answer, milliseconds. */
  readonly pauseMs: number;
  readonly malSeconds: readonly number[];
  /** The shortest time from one pushed update to the next, milliseconds. */
  readonly leastPushMs: number;
  /** Before memory is looked at, milliseconds. */
  readonly settleMs: number;
  /** How many clients the bars are judged at. */
  readonly barClients: number;
  /** The updates by which CPU time is taken beside readers in C. */
  readonly lean: PushedUpdates;
  readonly crossing: CrossingSize;
}

/** Updates that are pushed, one as long after the other. */
export interface PushedUpdates {
  readonly intervalMs: number;
  readonly count: number;
}

/** How the crossing is measured. */
export interface CrossingSize {
  /**
   * That ask: all whenever they are answered, which finds how many requests a core serves, and then at rates. No more than a
   * cache that holds several connections for each request that waits has connections for.
   */
  readonly clients: number;
  /**
   * How long each waits after an answer in the first, milliseconds. Long enough for a cache to turn to others (Varnish does after
   * its `timeout_linger`, 50 ms): the same few again and again cost it less than those who come back after a while. Short
   * enough for all together to fill a server.
   */
  readonly pauseMs: number;
  /** How long the first takes, milliseconds. */
  readonly roundMs: number;
}

const FULL: E1Plan = {
  clients: [100, 1000, 5000, 10_000, 25_000],
  repeats: 3,
  eventBytes: 5200,
  intervalMs: 5000,
  measuredMs: 10_000,
  pauseMs: 500,
  malSeconds: [5],
  leastPushMs: 1000,
  settleMs: 300,
  barClients: 10_000,
  lean: { intervalMs: 2000, count: 2 },
  crossing: { clients: 5000, pauseMs: 60, roundMs: 5000 },
};

const QUICK: E1Plan = {
  ...FULL,
  clients: [50, 200],
  repeats: 1,
  intervalMs: 1000,
  measuredMs: 1000,
  leastPushMs: 200,
  malSeconds: [1],
  settleMs: 50,
  barClients: 200,
  lean: { intervalMs: 100, count: 2 },
  crossing: { clients: 200, pauseMs: 0, roundMs: 400 },
};

/** Milliseconds of the least time between two pushed updates for each client. */
const PUSH_MS_PER_CLIENT = 0.25;
const MOST_PUSHED = 3;

/** The plan for what was asked; the bars are judged at 10,000 clients, or at as many as come nearest to it. */
export function e1Plan({ quick, clients, durationSeconds, repeats, malSeconds }: Asked): E1Plan {
  const plan = quick ? QUICK : FULL;
  const sizes = [...(clients ?? plan.clients)].sort((left, right) => left - right);
  return {
    ...plan,
    clients: sizes,
    repeats: repeats ?? plan.repeats,
    measuredMs: durationSeconds === undefined ? plan.measuredMs : durationSeconds * 1000,
    malSeconds: malSeconds ?? plan.malSeconds,
    barClients: nearest(sizes, plan.barClients),
  };
}

/** How many updates are measured where clients poll. */
export function polledUpdates({ measuredMs, intervalMs }: E1Plan): number {
  return Math.max(1, Math.round(measuredMs / intervalMs));
}

/** How updates are pushed to so many: as soon one after the other as lets all servers be done between. */
export function pushedUpdates(plan: E1Plan, clients: number): PushedUpdates {
  const intervalMs = Math.min(plan.intervalMs, Math.max(plan.leastPushMs, clients * PUSH_MS_PER_CLIENT));
  return { intervalMs, count: Math.min(MOST_PUSHED, Math.max(1, Math.floor(plan.measuredMs / intervalMs))) };
}

function nearest(sizes: readonly number[], wanted: number): number {
  return [...sizes].sort((left, right) => Math.abs(left - wanted) - Math.abs(right - wanted))[0] ?? wanted;
}

import type { Asked } from '../experiment.ts';

/** How much a round of the experiment `capacity` measures. */
export interface CapacityPlan {
  readonly repeats: number;
  /** Size of the event of an update: that of the published experiment, bytes. */
  readonly eventBytes: number;
  /** Kept-alive connections that ask as fast as they are answered. */
  readonly pollConnections: number;
  readonly pollMs: number;
  /** Connections that are kept open after a poll each, to weigh them. */
  readonly pollers: number;
  /** Push connections. */
  readonly streams: number;
  readonly warmUps: number;
  readonly updates: number;
  readonly intervalMs: number;
}

/** One process holds them, and the limit of many systems for one is not far above. */
const MOST_CONNECTIONS = 10_000;

const FULL: CapacityPlan = {
  repeats: 3,
  eventBytes: 5200,
  pollConnections: 16,
  pollMs: 3000,
  pollers: 4000,
  streams: 4000,
  warmUps: 4,
  updates: 10,
  intervalMs: 500,
};

const QUICK: CapacityPlan = {
  ...FULL,
  repeats: 1,
  pollMs: 400,
  pollers: 200,
  streams: 200,
  warmUps: 5,
  updates: 5,
  intervalMs: 80,
};

/** The size of the experiment that was asked for; of several numbers of clients the greatest counts, up to 10,000. */
export function capacityPlan({ quick, clients, durationSeconds, repeats }: Asked): CapacityPlan {
  const plan = quick ? QUICK : FULL;
  const count = clients && Math.min(MOST_CONNECTIONS, Math.max(...clients));
  return {
    ...plan,
    ...(repeats !== undefined && { repeats }),
    ...(count !== undefined && { pollers: count, streams: count }),
    ...(durationSeconds !== undefined && {
      pollMs: durationSeconds * 1000,
      updates: Math.max(1, Math.round((durationSeconds * 1000) / plan.intervalMs)),
    }),
  };
}

/** About how long it takes, seconds. */
export function capacitySeconds(asked: Asked): number {
  const { repeats, pollMs, pollers, streams, warmUps, updates, intervalMs } = capacityPlan(asked);
  const loadMs = 2 * pollMs + (warmUps + updates) * intervalMs;
  return Math.ceil(repeats * (2.5 + loadMs / 1000 + (pollers + streams) / 4000));
}

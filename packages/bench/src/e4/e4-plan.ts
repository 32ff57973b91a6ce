import type { Asked } from '../experiment.ts';
import { type GrowthPlan, rateAt } from './growth.ts';

/** How large the experiment is. */
export interface E4Plan {
  readonly clients: readonly number[];
  /** Clients where logs are on disk. */
  readonly durableClients: number;
  readonly repeats: number;
  /** How long each rate is kept up, seconds. */
  readonly seconds: number;
  /** Requests or updates before anything counts: cold, each takes several times as long. */
  readonly warmUpCount: number;
  /** How long to wait until memory is looked at, milliseconds. */
  readonly settleMs: number;
  readonly providers: number;
  /** Connections that requests are posted by, and as many that replies are. */
  readonly postConnections: number;
  readonly updates: GrowthPlan;
  readonly requests: GrowthPlan;
  readonly durable: GrowthPlan;
}

/** The most clients that one process may connect. */
export const LIMIT_CLIENTS = 18_000;

const FULL_PLAN: E4Plan = {
  clients: [1000, 5000, 15_000],
  durableClients: 1000,
  repeats: 3,
  seconds: 1.25,
  warmUpCount: 3000,
  settleMs: 500,
  providers: 16,
  postConnections: 64,
  updates: { firstRate: 1000, limitRate: 32_000, stepsPerDoubling: 4 },
  requests: { firstRate: 250, limitRate: 16_000, stepsPerDoubling: 4 },
  durable: { firstRate: 125, limitRate: 16_000, stepsPerDoubling: 4 },
};

const QUICK_PLAN: E4Plan = {
  ...FULL_PLAN,
  clients: [50, 200],
  durableClients: 50,
  repeats: 1,
  seconds: 0.25,
  warmUpCount: 100,
  settleMs: 50,
  providers: 4,
  postConnections: 16,
  updates: { firstRate: 500, limitRate: 1000, stepsPerDoubling: 1 },
  requests: { firstRate: 200, limitRate: 400, stepsPerDoubling: 1 },
  durable: { firstRate: 50, limitRate: 50, stepsPerDoubling: 1 },
};

/** The sizes that were asked for; numbers of clients that one process cannot connect are left out. */
export function planOf({ quick, clients, durationSeconds, repeats }: Asked): E4Plan {
  const plan = quick ? QUICK_PLAN : FULL_PLAN;
  return {
    ...plan,
    ...(clients !== undefined && { clients: clients.filter((count) => count <= LIMIT_CLIENTS) }),
    ...(durationSeconds !== undefined && { seconds: durationSeconds }),
    ...(repeats !== undefined && { repeats }),
  };
}

/** About how long the measurements take, seconds. */
export function expectedSeconds({ quick, only, ...asked }: Asked): number {
  const plan = planOf({ quick, only, ...asked });
  const kinds = MEASUREMENTS.filter((name) => isAsked(only, name));
  // Rates on the way up, two between, and some that outlast their time.
  const ratesSeconds = (quick ? 2 : 7) * (plan.seconds + ROUND_SECONDS);
  const growthSeconds = (growth: GrowthPlan) => ratesSeconds + warmUpSeconds(plan, growth);
  const inMemorySeconds =
    (kinds.includes('updates') ? growthSeconds(plan.updates) : 0) +
    (kinds.includes('round-trips') ? growthSeconds(plan.requests) : 0);
  const perClients = plan.clients.map((clients) => START_SECONDS + clients / CONNECTS_PER_SECOND + inMemorySeconds);
  const durable = kinds.includes('durable') ? START_SECONDS + growthSeconds(plan.durable) : 0;
  return plan.repeats * (durable + (inMemorySeconds > 0 ? perClients.reduce((sum, seconds) => sum + seconds, 0) : 0));
}

/** How long it takes until the code is warm: a doubling above the first rate, so that it takes less long. */
export function warmUpSeconds({ warmUpCount }: E4Plan, growth: GrowthPlan): number {
  return warmUpCount / rateAt(growth, growth.stepsPerDoubling);
}

/** Names of what can be measured alone. */
export const MEASUREMENTS = ['updates', 'round-trips', 'durable'] as const;

/** Whether a measurement is to be made. */
export function isAsked(only: Asked['only'], name: (typeof MEASUREMENTS)[number]): boolean {
  return only.length === 0 || only.includes(name);
}

/** Beside the time that its rate is kept up. */
const ROUND_SECONDS = 0.3;
const START_SECONDS = 1.2;
const CONNECTS_PER_SECOND = 3000;

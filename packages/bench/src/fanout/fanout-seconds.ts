import type { FanOutSize, FanoutPlan } from './fanout-plan.ts';

/** Servers that are measured side by side. */
const PEERS = 5;
/** What it takes to start a server and its load, and for each thousand clients, seconds. */
const [START_SECONDS, THOUSAND_SECONDS] = [0.8, 0.6];

/** About how long the measurements take. */
export function fanoutSeconds(plan: FanoutPlan): Record<keyof FanoutPlan, number> {
  const { fanout, workers, gzip, slow, storm, entities, stop } = plan;
  const loads = fanout.lean ? 2 : 1;
  const peers = fanout.clients.map((clients) => PEERS * loads * loadSeconds({ ...fanout, clients }));
  const slowUpdates = slow.updatesBefore + slow.updatesStopped + slow.updatesLonger;
  const stopUpdates = stop.updatesBefore + stop.updatesWhileStopping + stop.updatesAfter;
  return {
    fanout: fanout.repeats * sum(peers),
    workers: workers.repeats * 2 * loadSeconds(workers),
    gzip: 2 * (openSeconds(gzip.clients) + ((gzip.commits + 1) * gzip.intervalMs) / 1000),
    slow: openSeconds(slow.clients) + (slowUpdates * slow.intervalMs) / 1000 + 3,
    storm: 2 * openSeconds(storm.clients) + (storm.updates * storm.intervalMs + storm.settleMs) / 1000,
    entities: sum(entities.clients.map((clients) => openSeconds(clients) + entities.seconds + 2)),
    stop: 2 * openSeconds(stop.clients) + (stopUpdates * stop.intervalMs + stop.graceMs) / 1000,
  };
}

function loadSeconds({ clients, updates, warmUps, intervalMs, settleMs }: FanOutSize): number {
  return openSeconds(clients) + ((updates + warmUps) * intervalMs + 2 * settleMs) / 1000;
}

function openSeconds(clients: number): number {
  return START_SECONDS + (clients / 1000) * THOUSAND_SECONDS;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

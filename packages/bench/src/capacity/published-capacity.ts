import { type CapacityCosts, DEFAULT_CAPACITY_COSTS } from '@ldes-live/latency';

/** What the published experiment found: a core fully used, an update of 5.2 kB every 5 s. */
export const PUBLISHED_COSTS: CapacityCosts = {
  ...DEFAULT_CAPACITY_COSTS,
  requestsPerSecond: 2520,
  // 25,000 clients within each interval.
  deliveriesPerSecond: 25_000 / 5,
  utilisation: 1,
};

/** From one update to the next in the published experiment, seconds. */
export const PUBLISHED_INTERVAL_SECONDS = 5;

/** Users that formula (1) was published to give, by MAL in seconds. */
export const PUBLISHED_USERS: ReadonlyMap<number, number> = new Map([
  [4, 10_000],
  [5, 12_600],
  [10, 25_000],
]);

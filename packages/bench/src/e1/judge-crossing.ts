import { type Spread, spread } from '../spread.ts';
import type { CellRun } from './cell-run.ts';
import { type CrossingRun, crossingSeconds, keepsUp, refusalOf, servedPerSecond } from './crossing-run.ts';
import { evenlyServedPerSecond } from './evenly-served.ts';
import { percentileMs } from './latency-share.ts';
import type { Between } from './ways.ts';

/** What a way to poll can serve from one core, and where pulling and pushing cross. */
export interface Crossing {
  readonly server: CrossingRun['server'];
  readonly between: Between;
  readonly requestsPerSecond?: Spread;
  /** How many clients the crossing is of. */
  readonly clients?: number;
  /** More clients were not tried, so that the crossing may be later than those that are told. */
  readonly isAtLeast: boolean;
  /** How many of its repeats count. */
  readonly counted: number;
  readonly repeats: number;
  /** By formula 1: clients by requests a second, seconds. */
  readonly foretoldSeconds?: Spread;
  /** By the most that was served at any of the rates, seconds. */
  readonly foundSeconds?: Spread;
  /** What was found in parts of what was foretold. */
  readonly agreement?: Spread;
  /** For each part of the crossing: in how many of the repeats the server kept up, its rate and its delays. */
  readonly rates: readonly RateSummary[];
  /**
   * `agrees` where, in most repeats that count, the server kept up a little above the crossing and, in the same, not a little
   * below, and the median of what was found is within the limit of what was foretold.
   */
  readonly verdict: 'agrees' | 'differs' | 'refused' | 'not tried';
  readonly why?: string;
}

interface RateSummary {
  readonly part: number;
  readonly kept: number;
  readonly repeats: number;
  readonly askedPerSecond: Spread;
  readonly servedPerSecond: Spread;
  /** 99th percentile of the answers since they were due, seconds. */
  readonly p99Seconds: Spread;
}

/** How many clients a server pushes to in time. */
export interface PushedClients {
  readonly clients: number;
  /** More were not tried. */
  readonly isAtLeast: boolean;
  /** For each number of clients up to these that was served: the longest that an update took in any repeat. Ascending. */
  readonly steps: readonly PushedStep[];
}

interface PushedStep {
  readonly clients: number;
  readonly longestSeconds: number;
}

/** How far what is found may be from what was foretold. */
export const AGREEMENT = 0.2;

/**
 * The greatest number of clients that all had every update before the next one in every repeat; `undefined` where there is
 * none.
 *
 * @param way - id of a way that pushes
 */
export function pushedClients(runs: readonly CellRun[], way: string): PushedClients | undefined {
  const own = runs.filter((run) => run.way === way);
  const sizes = [...new Set(own.map(({ clients }) => clients))].sort((left, right) => right - left);
  const isServed = ({ measured, refusal }: CellRun) =>
    measured !== undefined &&
    refusal === undefined &&
    measured.delivered >= measured.expected &&
    measured.latency.max < measured.intervalMs * 1000;
  const served = sizes.filter((size) => own.filter((run) => run.clients === size).every(isServed));
  const clients = served[0];
  if (clients === undefined) return undefined;
  const longestSeconds = (size: number) =>
    Math.max(...own.map((run) => (run.clients === size && run.measured ? run.measured.latency.max / 1e6 : 0)));
  const steps = served.map((size) => ({ clients: size, longestSeconds: longestSeconds(size) })).reverse();
  return { clients, isAtLeast: clients === sizes[0], steps };
}

/**
 * What the runs of each way to poll came to, in the order in which they were first run.
 *
 * @param clients - how many the crossing is of
 * @param isAtLeast - whether more clients than those were not tried
 */
export function judgeCrossings(runs: readonly CrossingRun[], clients: number, isAtLeast = false): readonly Crossing[] {
  const names = [...new Set(runs.map(nameOf))];
  return names.map((name) =>
    judgeCrossing(
      runs.filter((run) => nameOf(run) === name),
      clients,
      isAtLeast,
    ),
  );
}

function judgeCrossing(all: readonly CrossingRun[], clients: number, isAtLeast: boolean): Crossing {
  const { server, between } = all[0] as CrossingRun;
  const refusal = all.map(refusalOf).find((why) => why !== undefined);
  const failure = all.find((run) => run.failure !== undefined)?.failure;
  const runs = all.filter((run) => run.capacity && refusalOf(run) === undefined);
  const way = { server, between, isAtLeast, repeats: all.length };
  if (runs.length === 0) {
    return { ...way, counted: 0, rates: [], verdict: 'refused', why: refusal ?? failure ?? 'nothing was measured' };
  }
  const requestsPerSecond = spread(runs.map(capacityOf));
  const tried = runs.filter(({ rates }) => rates.length > 0);
  const droppedWhy = refusal ?? failure;
  const dropped = (counted: number) =>
    counted < all.length && droppedWhy !== undefined
      ? [`${counted} of ${all.length} repeats count, since of another ${droppedWhy}`]
      : [];
  if (tried.length === 0) {
    const why = dropped(runs.length)[0] ?? droppedWhy;
    const told = why !== undefined && { why };
    return { ...way, counted: runs.length, requestsPerSecond, rates: [], verdict: 'not tried', ...told };
  }
  const foretold = tried.map((run) => crossingSeconds(clients, capacityOf(run)));
  const found = tried.map((run) => foundSeconds(run, clients));
  const agreement = spread(found.map((seconds, index) => seconds / (foretold[index] as number)));
  const of = (count: number) => `${count} of ${tried.length} repeats`;
  const slow = tried.filter((run) => !isKeptAbove(run)).length;
  const fast = tried.filter((run) => !isTooMuchBelow(run)).length;
  const isWithin = Math.abs(agreement.median - 1) <= AGREEMENT;
  const whys = [
    ...dropped(tried.length),
    ...(slow > 0 ? [`${of(slow)} did not keep up above the crossing`] : []),
    ...(fast > 0 ? [`${of(fast)} served all that was asked at the highest rate`] : []),
    ...(isWithin ? [] : [`what was found is not within ${AGREEMENT * 100} %`]),
  ];
  const bracketed = tried.filter((run) => isKeptAbove(run) && isTooMuchBelow(run)).length;
  const agrees = isWithin && 2 * bracketed > tried.length;
  return {
    ...way,
    counted: tried.length,
    requestsPerSecond,
    clients,
    foretoldSeconds: spread(foretold),
    foundSeconds: spread(found),
    agreement,
    rates: rateSummaries(tried),
    verdict: agrees ? 'agrees' : 'differs',
    ...(whys.length > 0 && { why: whys.join('; ') }),
  };
}

/** Whether a server kept up with something that was asked less often than at the crossing. */
function isKeptAbove({ rates }: CrossingRun): boolean {
  return rates.some((rate) => rate.part > 1 && keepsUp(rate));
}

/** Whether something that was asked more often than at the crossing was too much. */
function isTooMuchBelow({ rates }: CrossingRun): boolean {
  return rates.some((rate) => rate.part < 1 && !keepsUp(rate));
}

/** By the most that was served at any rate, since who is asked too much may serve less; at most this where nothing was too much. */
function foundSeconds({ rates }: CrossingRun, clients: number): number {
  return crossingSeconds(clients, Math.max(...rates.map(({ round }) => servedPerSecond(round))));
}

function rateSummaries(runs: readonly CrossingRun[]): readonly RateSummary[] {
  const all = runs.flatMap(({ rates }) => rates);
  const parts = [...new Set(all.map(({ part }) => part))].sort((left, right) => right - left);
  return parts.map((part) => {
    const own = all.filter((rate) => rate.part === part);
    return {
      part,
      kept: own.filter(keepsUp).length,
      repeats: own.length,
      askedPerSecond: spread(own.map(({ round }) => (round.asked * 1e6) / round.wallMicros)),
      servedPerSecond: spread(own.map(({ round }) => servedPerSecond(round))),
      p99Seconds: spread(own.map(({ round }) => percentileMs(round.responseTime, 0.99) / 1000)),
    };
  });
}

function capacityOf({ capacity }: CrossingRun): number {
  return capacity ? evenlyServedPerSecond(capacity) : 0;
}

function nameOf({ server, between }: CrossingRun): string {
  return `${server} ${between}`;
}

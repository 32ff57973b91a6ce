/*
 * Where pulling and pushing cross. Formula 1 of the article: a server that answers R requests a second serves R × MAL clients that
 * ask once every MAL. Pushing serves no more with a longer MAL, once all have every update within it.
 *
 *   closed loop -> R, the harmonic mean of its tenths -> crossing = clients / R
 *   open loop at 1.1 and 0.9 of that period -> whether it keeps up just above, and not just below -> the crossing that is found
 *   { "measurement": "crossing", "subject": "ldes-live", "at": { "front": "nginx" },
 *     "values": { "requestsPerSecond": 21000, "pushedClients": 25000, "crossingSeconds": 1.19, "foundSeconds": 1.16 } }
 *   and for the lines: { "at": { "front": "nginx", "malSeconds": 5 }, "values": { "clients": 105000 } }
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Measured, Missing } from '../experiment.ts';
import { busyLoad } from '../load/effort.ts';
import type { Cell } from '../result.ts';
import { type AskingRound, startAsking } from '../subjects/c-loops.ts';
import { monotonicMicros, startPublishing } from '../timing.ts';
import type { Way } from './e1-cells.ts';

/** How the crossing is measured in a full run. */
export const CROSSING = {
  /**
   * That ask: all whenever they are answered, which finds how many requests a core serves, and then at rates. No more than a
   * cache that holds several connections for each request that waits has connections for.
   */
  clients: 5000,
  /**
   * How long each waits after an answer in the first. Long enough for a cache to turn to others (Varnish does after its
   * `timeout_linger`, 50 ms): the same few again and again cost it less than those who come back after a while. Short enough
   * for all together to fill a server.
   */
  pauseMs: 60,
  /** How long the first takes. */
  roundMs: 5000,
};

type CrossingPlan = typeof CROSSING & {
  /** Whether rates near the crossing are asked too. */
  readonly isVerified: boolean;
  /** From one update to the next, which is how long they are asked. */
  readonly intervalMs: number;
  /** How many are pushed to in time, which the crossing is of. */
  readonly pushedClients: number | undefined;
  /** Where the clients' program is compiled to. */
  readonly folder: string;
};

/** A period in parts of the crossing by the formula, and what came of asking at it. */
interface Rate {
  readonly part: number;
  readonly round: AskingRound;
}

/** Before an update, rates begin to be asked: what piles up around it can be served by the end. */
const BEFORE_UPDATE_MS = 1000;

/**
 * How many requests a second a server answers, by a closed loop; then whether it keeps up with the same clients when they ask a
 * little less and a little more often than what follows from that, from just before an update to just before the next.
 */
export async function measureCrossing(way: Way, plan: CrossingPlan): Promise<readonly Measured[] | Missing> {
  const { clients, intervalMs, pauseMs, roundMs, isVerified, folder } = plan;
  const publishing = startPublishing(way.subject, intervalMs, 0);
  await publishing.begun;
  const asking = await startAsking({ ports: way.ports, path: way.path, clients, folder });
  if (asking === undefined) return { missing: 'a C compiler' };
  try {
    const capacity = await asking.closed(roundMs, pauseMs);
    const crossingMs = (clients / evenPerSecond(capacity)) * 1000;
    const rates: Rate[] = [];
    const keepsUpAt = async (part: number) => {
      const beforeMicros = Math.min(BEFORE_UPDATE_MS, intervalMs / 5) * 1000;
      const next = publishing.nextAfter(monotonicMicros() + beforeMicros);
      await sleep((publishing.dueMicros(next) - beforeMicros - monotonicMicros()) / 1000);
      // At least twice as long as a period, so that every client asks.
      const round = await asking.open(Math.max(intervalMs, 2 * crossingMs * part), crossingMs * part);
      rates.push({ part, round });
      return keepsUp(round);
    };
    if (isVerified) {
      // Further away only where the rate before was too much, or served too.
      if (!(await keepsUpAt(1.1))) await keepsUpAt(1.2);
      if (await keepsUpAt(0.9)) await keepsUpAt(0.8);
    }
    return crossingOf(capacity, rates, plan);
  } finally {
    await asking.stop();
  }
}

/** Share of the requests that may be unanswered at the end for a server to have kept up: what piled up around an update too. */
const UNSERVED_SHARE = 0.02;

function keepsUp({ asked, served }: AskingRound): boolean {
  return served >= asked * (1 - UNSERVED_SHARE);
}

const MALS_SECONDS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

/** What was measured as cells; what is refused has none. */
export function crossingOf(
  capacity: AskingRound,
  rates: readonly Rate[],
  { clients, pauseMs, pushedClients }: Pick<CrossingPlan, 'clients' | 'pauseMs' | 'pushedClients'>,
): readonly Measured[] {
  const refused = whyRefused([capacity, ...rates.map(({ round }) => round)], clients, pauseMs);
  if (refused !== undefined) return [{ values: {}, refused }];
  const requestsPerSecond = evenPerSecond(capacity);
  // By the most that was served at any rate, since who is asked too much may serve less.
  const mostServed = Math.max(...rates.map(({ round }) => servedPerSecond(round)));
  const crossing = pushedClients !== undefined && {
    ...{ pushedClients, crossingSeconds: pushedClients / requestsPerSecond },
    ...(rates.length > 0 && { foundSeconds: pushedClients / mostServed }),
  };
  return [
    { values: { requestsPerSecond, ...crossing } },
    ...rates.map(({ part, round }) => {
      const askedPerSecond = (round.asked * 1e6) / round.effort.wallMicros;
      const served = { servedPerSecond: servedPerSecond(round), kept: Number(keepsUp(round)) };
      return { at: { part }, values: { askedPerSecond, ...served, p99Ms: round.delay.percentileMs(0.99) } };
    }),
    ...MALS_SECONDS.map((malSeconds) => ({ at: { malSeconds }, values: { clients: requestsPerSecond * malSeconds } })),
  ];
}

/** Share of their time that clients may pause in the closed loop: with more of it, they are what is measured. */
const MAX_PAUSED_SHARE = 0.9;

/** Why a run counts for nothing: its load was busy with itself, too little, or not answered as it should be. */
function whyRefused(rounds: readonly [AskingRound, ...AskingRound[]], clients: number, pauseMs: number) {
  if (servedPerSecond(rounds[0]) * pauseMs > MAX_PAUSED_SHARE * clients * 1000) {
    return `${clients} clients that wait ${pauseMs} ms do not saturate it`;
  }
  const reasons = rounds.map(({ effort, delay, failed }) => {
    return busyLoad(effort, delay.percentileMs(0.99)) ?? (failed > 0 ? `${failed} answers were not 200` : undefined);
  });
  return reasons.find((reason) => reason !== undefined);
}

/** On average over the time. */
function servedPerSecond({ served, effort }: AskingRound): number {
  return (served * 1e6) / effort.wallMicros;
}

/**
 * How many requests a second a server bears that come evenly, from what it served a closed loop in each tenth of the time:
 * their harmonic mean; 0 where nothing was answered.
 *
 * Who waits for an answer asks less while answers are slow, so that the average of a closed loop is of fast moments more than
 * of slow ones. Clients that ask by the clock, as those of formula 1, ask as many in both: N requests in each tenth take as
 * long as N take at the rate of that tenth.
 */
export function evenPerSecond({ servedInTenths, effort }: Pick<AskingRound, 'servedInTenths' | 'effort'>): number {
  // A tenth without answers is one with the next: what came in it was answered then. At the end, with the one before.
  const stretches: { tenths: number; served: number }[] = [];
  for (const [tenth, served] of servedInTenths.entries()) {
    const last = stretches.at(-1);
    if (last && (last.served === 0 || !servedInTenths.slice(tenth).some(Boolean))) {
      last.tenths += 1;
      last.served += served;
    } else stretches.push({ tenths: 1, served });
  }
  if (stretches.some(({ served }) => served === 0)) return 0;
  const tenthSeconds = effort.wallMicros / 1e6 / servedInTenths.length;
  const perRequest = stretches.reduce((sum, { tenths, served }) => sum + (tenths ** 2 * tenthSeconds) / served, 0);
  return servedInTenths.length / perRequest;
}

/** A number of clients that all had every update, and within which time. */
type Pushed = Readonly<Record<'clients' | 'maxMs', number>>;

/** Of those numbers of clients that were tried in this round, those who all had every update before the next one; ascending. */
export function pushedInTime(
  cells: readonly Cell[],
  server: string,
  intervalMs: (clients: number) => number,
): readonly Pushed[] {
  const pushed = cells.flatMap(({ measurement, subject, at, values: { lost, maxMs } }) => {
    const clients = Number(at.clients);
    if (measurement !== 'sse' || subject !== server || lost !== 0 || maxMs === undefined) return [];
    return maxMs < intervalMs(clients) ? [{ clients, maxMs }] : [];
  });
  return pushed.sort((left, right) => left.clients - right.clients);
}

/** How many of those that were tried had all updates within each MAL: more were not tried, so it is at least these. */
export function pushedLine(pushed: readonly Pushed[]): readonly Measured[] {
  return MALS_SECONDS.flatMap((malSeconds) => {
    const clients = pushed.findLast(({ maxMs }) => maxMs <= malSeconds * 1000)?.clients;
    return clients === undefined ? [] : [{ at: { malSeconds }, values: { clients } }];
  });
}

import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMicros } from '../load/monotonic-micros.ts';
import { LOAD } from '../setting.ts';
import { type CrossingRun, crossingSeconds, keepsUp, type RateCheck } from './crossing-run.ts';
import type { CrossingSize } from './e1-plan.ts';
import { evenlyServedPerSecond } from './evenly-served.ts';
import { startPublishing } from './publish-until.ts';
import { type RequestLoop, startRequestLoop } from './request-loop.ts';
import type { ServedWay } from './served-way.ts';

/** The crossing of which way, and with how many clients. */
export interface CrossingPlan extends CrossingSize {
  /** Whether rates near the crossing are asked too. */
  readonly isVerified: boolean;
  /** From one update to the next, which is how long they are asked. */
  readonly intervalMs: number;
  /** Where the clients' program is compiled to. */
  readonly folder: string;
}

/** What was measured; `undefined` where there is no compiler for the clients. */
type Measured = Pick<CrossingRun, 'capacity' | 'clients' | 'pauseMs' | 'rates'> | undefined;

/** Periods that are tried, in parts of the crossing that is foretold. */
const SLOWER = 1.1;
/** Only where the rate before was too much. */
const SLOWEST = 1.2;
const FASTER = 0.9;
/** Only where the rate before was served too. */
const FASTEST = 0.8;

/** Before an update, rates begin to be asked: what piles up around it can be served by the end, milliseconds. */
const BEFORE_UPDATE_MS = 1000;

/**
 * How many requests a second a server answers, by a closed loop; then whether it keeps up with the same clients when they ask a
 * little less and a little more often than what follows from that, from just before an update to just before the next.
 */
export async function measureCrossing(served: ServedWay, plan: CrossingPlan): Promise<Measured> {
  const { clients, intervalMs, pauseMs, roundMs, isVerified } = plan;
  const publishing = startPublishing(served.subject, intervalMs, 0);
  await publishing.begun;
  return withLoop(served, plan, async (loop) => {
    const capacity = await loop.closed(roundMs, pauseMs);
    const rates: RateCheck[] = [];
    const keepsUpAt = async (part: number) => {
      const periodMs = crossingSeconds(clients, evenlyServedPerSecond(capacity)) * 1000 * part;
      const beforeMicros = Math.min(BEFORE_UPDATE_MS, intervalMs / 5) * 1000;
      const next = publishing.nextAfter(monotonicMicros() + beforeMicros);
      await delay((publishing.dueMicros(next) - beforeMicros - monotonicMicros()) / 1000);
      // At least twice as long as a period, so that every client asks.
      const round = await loop.open(Math.max(intervalMs, 2 * periodMs), periodMs);
      rates.push({ part, periodMs, round });
      return keepsUp({ round });
    };
    if (isVerified) {
      if (!(await keepsUpAt(SLOWER))) await keepsUpAt(SLOWEST);
      if (await keepsUpAt(FASTER)) await keepsUpAt(FASTEST);
    }
    return { capacity, clients, pauseMs, rates };
  });
}

async function withLoop<Result>(
  { ports, path }: ServedWay,
  { clients, folder }: CrossingPlan,
  use: (loop: RequestLoop) => Promise<Result>,
): Promise<Result | undefined> {
  const loop = await startRequestLoop({ ports, path, clients, core: LOAD.core, folder });
  if (loop === undefined) return undefined;
  try {
    return await use(loop);
  } finally {
    await loop.stop();
  }
}

import { LOAD } from '../setting.ts';
import { type CrossingRun, crossingSeconds, keepsUp, type RateCheck, servedPerSecond } from './crossing-run.ts';
import type { CrossingSize } from './e1-plan.ts';
import { startPublishing } from './publish-until.ts';
import { type RequestLoop, startRequestLoop } from './request-loop.ts';
import type { ServedWay } from './served-way.ts';

/** The crossing of which way, and with how many clients. */
export interface CrossingPlan extends CrossingSize {
  /** Clients that the rates near the crossing are asked by; absent: only how many requests are served. */
  readonly clients?: number;
  readonly intervalMs: number;
  /** Where the clients' program is compiled to. */
  readonly folder: string;
}

/** What was measured; `undefined` where there is no compiler for the clients. */
type Measured = Pick<CrossingRun, 'capacity' | 'clients' | 'rates'> | undefined;

/** Periods that are tried, in parts of the crossing that is foretold. */
const SLOWER = 1.1;
const FASTER = 0.9;
/** Only where the rate before was served too. */
const FASTEST = 0.8;

/**
 * How many requests a second a server answers, by a closed loop; then whether it keeps up with clients that ask a little less
 * and a little more often than what follows from that.
 */
export async function measureCrossing(served: ServedWay, plan: CrossingPlan): Promise<Measured> {
  const publishing = startPublishing(served.subject, plan.intervalMs, 0);
  await publishing.begun;
  const capacity = await withLoop(served, plan, plan.connections, (loop) => loop.closed(plan.roundMs));
  if (capacity === undefined) return undefined;
  const { clients, verifyMs } = plan;
  if (clients === undefined) return { capacity, rates: [] };
  const malMs = crossingSeconds(clients, servedPerSecond(capacity)) * 1000;
  const rates = await withLoop(served, plan, clients, async (loop) => {
    const checks: RateCheck[] = [];
    const check = async (part: number) => {
      const periodMs = malMs * part;
      // At least twice as long as a period, so that every client asks.
      const round = await loop.open(Math.max(verifyMs, 2 * periodMs), periodMs);
      checks.push({ part, periodMs, round });
      return keepsUp({ periodMs, round });
    };
    await check(SLOWER);
    if (await check(FASTER)) await check(FASTEST);
    return checks;
  });
  return { capacity, clients, rates: rates ?? [] };
}

async function withLoop<Result>(
  { ports, path }: ServedWay,
  { folder }: CrossingPlan,
  clients: number,
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

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPinnable } from '../child.ts';
import { type Machine, thisMachine } from '../machine.ts';
import { type FanoutPlan, FULL_PLAN, QUICK_PLAN } from './fanout-plan.ts';
import { type FollowersResult, measureEntities } from './measure-entities.ts';
import { type GzipResult, measureGzip } from './measure-gzip.ts';
import { measurePeers, type PeersResult } from './measure-peers.ts';
import { measureSlow, type SlowResult } from './measure-slow.ts';
import { measureStop, type StopResult } from './measure-stop.ts';
import { measureStorm, type StormResult } from './measure-storm.ts';
import { measureWorkers, type WorkersResult } from './measure-workers.ts';
import type { Setting } from './setting.ts';

/** What each measurement found; absent those that were left out. */
interface FanoutResults {
  readonly fanout?: PeersResult;
  readonly workers?: WorkersResult;
  readonly gzip?: GzipResult;
  readonly slow?: SlowResult;
  readonly storm?: StormResult;
  readonly entities?: readonly FollowersResult[];
  readonly stop?: StopResult;
}

/** What the experiment found, and where. */
export interface FanoutReport {
  readonly experiment: 'fanout';
  readonly machine: Machine & { readonly pinned: boolean };
  readonly plan: FanoutPlan;
  readonly results: FanoutResults;
}

/** The measurements, by their names. */
const MEASUREMENTS = {
  fanout: measurePeers,
  workers: measureWorkers,
  gzip: measureGzip,
  slow: measureSlow,
  storm: measureStorm,
  entities: measureEntities,
  stop: measureStop,
};

/** Names of the measurements, in their order. */
export const FANOUT_MEASUREMENTS = Object.keys(MEASUREMENTS) as readonly (keyof typeof MEASUREMENTS)[];

/**
 * The experiment `fanout`: what it costs to send one update to very many, beside other servers that send the same, and what
 * slow, many and returning clients do to it.
 *
 * @param only - names of measurements; all when empty
 * @param onProgress - is told a line when something has been measured
 */
export async function runFanout(
  { quick, only }: { readonly quick: boolean; readonly only: readonly string[] },
  onProgress: (line: string) => void,
): Promise<FanoutReport> {
  const plan = quick ? QUICK_PLAN : FULL_PLAN;
  const results: Record<string, unknown> = {};
  for (const name of FANOUT_MEASUREMENTS) {
    if (only.length > 0 && !only.includes(name)) continue;
    const folder = await mkdtemp(join(tmpdir(), 'ldes-live-bench-'));
    try {
      const measure = MEASUREMENTS[name] as (size: unknown, setting: Setting) => Promise<unknown>;
      results[name] = await measure(plan[name], { folder, onProgress });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  return { experiment: 'fanout', machine: { ...thisMachine(), pinned: isPinnable() }, plan, results };
}

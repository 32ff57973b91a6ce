import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long the cores are watched, ms. */
const WATCHED_MS = 500;

/**
 * How many cores other programs keep busy, by the load average of the last minute.
 *
 * What this program has run itself within that minute counts in that average too. So once it has run something, the cores
 * are watched for half a second in which none of it runs, and the smaller of both figures counts.
 *
 * @param hasRun - whether this program has run an experiment before
 * @param enough - a load average that is of no interest: the cores are not watched
 * @returns 0 on systems that tell no load average
 */
export async function othersLoad(hasRun: boolean, enough: number): Promise<number> {
  const [average = 0] = os.loadavg();
  return hasRun && average > enough ? Math.min(average, await busyCores()) : average;
}

async function busyCores(): Promise<number> {
  const [startMs, own, before] = [performance.now(), process.cpuUsage(), busyMs()];
  await sleep(WATCHED_MS);
  const { user, system } = process.cpuUsage(own);
  return Math.max(0, (busyMs() - before - (user + system) / 1000) / (performance.now() - startMs));
}

/** CPU time of all cores that they were not idle, ms. */
function busyMs(): number {
  return os.cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);
}

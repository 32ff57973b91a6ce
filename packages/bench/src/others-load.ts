import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long the cores are watched, ms. */
const WATCHED_MS = 500;

/**
 * How many cores other programs keep busy.
 *
 * The load average of the last minute has in it what has ended since, an experiment before this one too. Where it is of
 * interest the cores are watched for half a second in which nothing of this program runs, and the smaller of both figures
 * counts.
 *
 * @param enough - a load average that is of no interest: the cores are not watched
 * @returns 0 on systems that tell no load average
 */
export async function othersLoad(enough: number): Promise<number> {
  const [average = 0] = os.loadavg();
  return average > enough ? Math.min(average, await busyCores()) : average;
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

import { measureDeliveries } from '../load/deliveries.ts';
import { LoadGroup } from '../load/load-group.ts';
import { LOAD, SERVER_CORE, type Setting } from '../setting.ts';
import { startNodeSubject } from '../subjects/node-subject.ts';
import { entityIri, PUBLIC_URL } from '../subjects/sized-commits.ts';
import type { EntitiesSize } from './fanout-plan.ts';

/** So many clients that follow one entity each. */
export interface FollowersResult {
  readonly clients: number;
  readonly updates: number;
  /** Updates that reached the client that they concern. */
  readonly delivered: number;
  /** CPU time of the server for an update, microseconds. */
  readonly serverCpuMicros: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
}

/** As many entities as clients, each of which follows one; each update is of one entity, at random. */
export async function measureEntities(size: EntitiesSize, { onProgress }: Setting): Promise<FollowersResult[]> {
  const results: FollowersResult[] = [];
  for (const clients of size.clients) {
    const result = await measureFollowers(clients, size);
    results.push(result);
    onProgress(
      `entities: ${clients} clients, ${result.serverCpuMicros.toFixed(0)} us an update, p99 ${result.p99Ms.toFixed(1)} ms`,
      results.length / size.clients.length,
    );
  }
  return results;
}

async function measureFollowers(
  clients: number,
  { updatesPerSecond, seconds }: EntitiesSize,
): Promise<FollowersResult> {
  const live = { workload: 'single', entities: clients } as const;
  const subject = await startNodeSubject('entities', { live }, SERVER_CORE);
  // The number is the end of the IRI; each reader puts its own.
  const entity = encodeURIComponent(entityIri(PUBLIC_URL, 0).slice(0, -6));
  const path = `${subject.path}?entity=${entity}{reader}`;
  const load = await LoadGroup.start({ ...LOAD, readers: clients, port: subject.port, path });
  try {
    const intervalMs = 1000 / updatesPerSecond;
    // The first second makes the code warm.
    await measureDeliveries(subject, load, { count: updatesPerSecond, intervalMs, readers: 1 });
    const figures = await measureDeliveries(subject, load, {
      count: updatesPerSecond * seconds,
      intervalMs,
      readers: 1,
    });
    const { updates, events: delivered, serverCpuMicros, p50Ms, p99Ms, longestMs } = figures;
    return { clients, updates, delivered, serverCpuMicros, p50Ms, p99Ms, longestMs };
  } finally {
    await load.stop();
    await subject.close();
  }
}

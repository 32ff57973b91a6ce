import { setTimeout as delay } from 'node:timers/promises';
import { untilEvents } from '../load/deliveries.ts';
import { LoadGroup } from '../load/load-group.ts';
import { monotonicMicros } from '../load/monotonic-micros.ts';
import { LOAD, SERVER_CORE, type Setting } from '../setting.ts';
import { startNodeSubject } from '../subjects/node-subject.ts';
import type { GzipSize } from './fanout-plan.ts';

/** What one encoding cost, over the commits of the demonstration. */
interface EncodingResult {
  readonly encoding: 'identity' | 'gzip';
  readonly deliveries: number;
  /** Everything after the header of the response, for each commit and client. */
  readonly bytesPerDelivery: number;
  /** CPU time of the server for a delivery, its encoding included, microseconds. */
  readonly serverCpuMicros: number;
  /** Events that were read, of those clients that decode: all clients without compression. */
  readonly read: number;
  readonly expectedRead: number;
}

/** The demonstration's stream with compression and without. */
export interface GzipResult {
  readonly encodings: readonly EncodingResult[];
  /** Bytes of identity in parts of those of gzip. */
  readonly bytesRatio: number;
  /** CPU time of gzip in parts of identity's. */
  readonly cpuRatio: number;
}

/** The same commits to as many clients, first as they are, then compressed. */
export async function measureGzip(size: GzipSize, { onProgress }: Setting): Promise<GzipResult> {
  const identity = await measureEncoding('identity', size);
  const gzip = await measureEncoding('gzip', size);
  const result = {
    encodings: [identity, gzip],
    bytesRatio: identity.bytesPerDelivery / gzip.bytesPerDelivery,
    cpuRatio: gzip.serverCpuMicros / identity.serverCpuMicros,
  };
  onProgress(`gzip: ${result.bytesRatio.toFixed(1)} x fewer bytes, ${result.cpuRatio.toFixed(2)} x the CPU time`, 1);
  return result;
}

async function measureEncoding(
  encoding: EncodingResult['encoding'],
  { clients, decoded, commits, intervalMs }: GzipSize,
): Promise<EncodingResult> {
  const live = { workload: 'demo', entities: commits } as const;
  const subject = await startNodeSubject(encoding, { live }, SERVER_CORE);
  const load = await LoadGroup.start({
    ...LOAD,
    readers: clients,
    port: subject.port,
    path: subject.path,
    headers: { 'accept-encoding': encoding },
    isStamped: false,
    ...(encoding === 'gzip' && { decoded }),
  });
  try {
    const before = await load.tally();
    const cpuBefore = await subject.cpuMicros();
    const intervalMicros = intervalMs * 1000;
    await subject.publish({ startMicros: monotonicMicros() + intervalMicros, intervalMicros, count: commits });
    const expectedRead = commits * (encoding === 'gzip' ? decoded : clients);
    await untilEvents(load, before.events + expectedRead);
    // Those that decode may be done before the others.
    await delay(intervalMs);
    const deliveries = commits * clients;
    const cpu = (await subject.cpuMicros()) - cpuBefore;
    const after = await load.tally();
    return {
      encoding,
      deliveries,
      bytesPerDelivery: (after.bytes - before.bytes) / deliveries,
      serverCpuMicros: cpu / deliveries,
      read: after.events - before.events,
      expectedRead,
    };
  } finally {
    await load.stop();
    await subject.close();
  }
}

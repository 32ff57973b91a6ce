import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMicros } from '../load/monotonic-micros.ts';
import { compileC } from '../subjects/compile-c.ts';
import { startLineProgram } from '../subjects/line-program.ts';
import type { Subject } from '../subjects/node-subject.ts';
import type { FanOutSize } from './fanout-plan.ts';

/** Time for the schedule to reach the server, milliseconds. */
const LEAD_MS = 100;
const LOOK_MS = 100;
/** So many looks in a row find nothing new when all has come: a server may be kept from its core for one. */
const STILL_LOOKS = 3;

/**
 * CPU time of a server for a delivery, microseconds, with readers that leave the processor's cache to it; `undefined` where
 * there is no compiler for these.
 *
 * @param core - of the readers
 */
export async function measureCpu(
  subject: Subject,
  { clients, updates, warmUps, intervalMs, settleMs }: Omit<FanOutSize, 'eventBytes' | 'repeats'>,
  { folder, core }: { readonly folder: string; readonly core: number | undefined },
): Promise<number | undefined> {
  const program = compileC('load/reader-loop', folder);
  if (program === undefined) return undefined;
  const readers = startLineProgram([program, String(subject.port), subject.path, String(clients)], core);
  try {
    await readers.next('open');
    await delay(settleMs);
    const publish = async (count: number) => {
      const intervalMicros = intervalMs * 1000;
      const startMicros = Math.ceil((monotonicMicros() + LEAD_MS * 1000) / intervalMicros) * intervalMicros;
      await subject.publish({ startMicros, intervalMicros, count });
      // Until nothing comes any more.
      for (let before = '', still = 0; still < STILL_LOOKS; ) {
        await delay(LOOK_MS);
        readers.send('bytes');
        const now = await readers.next('bytes');
        still = now === before ? still + 1 : 0;
        before = now;
      }
    };
    await publish(warmUps);
    const before = await subject.cpuMicros();
    await publish(updates);
    return ((await subject.cpuMicros()) - before) / (updates * clients);
  } finally {
    await readers.close();
  }
}

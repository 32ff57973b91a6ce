import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { LoadGroup } from '../load/load-group.ts';
import { monotonicMicros } from '../load/monotonic-micros.ts';
import { addSequences, type SequenceTally } from '../load/sequence-check.ts';
import { LOAD, SERVER_CORE, type Setting } from '../setting.ts';
import { type NodeSubject, startNodeSubject } from '../subjects/node-subject.ts';
import type { StopSize } from './fanout-plan.ts';
import { untilAtHead } from './until-at-head.ts';

/** How the streams of a server ended that was told to stop, and how its clients went on with the next one. */
export interface StopResult {
  /** Streams that the first server ended. */
  readonly ended: number;
  /** When the last of them had ended, milliseconds after the order. */
  readonly lastEndMs: number;
  /** Streams that ended in each tenth of the grace period, and after it. */
  readonly endsByTenth: readonly number[];
  /** When the server had closed, milliseconds after the order. */
  readonly closedMs: number;
  /** Clients that got the last update of the next server. */
  readonly atHead: number;
  readonly sequence: SequenceTally;
}

const BACK_MS = 60_000;

/** One server stops while updates go on, and another goes on with its log on the same port. */
export async function measureStop(size: StopSize, { folder, onProgress }: Setting): Promise<StopResult> {
  const data = await mkdtemp(join(folder, 'log-'));
  const live = {
    workload: 'sized',
    eventBytes: size.eventBytes,
    folder: data,
    push: { shutdownGraceMs: size.graceMs, ...(size.retryMs !== undefined && { retryMs: size.retryMs }) },
  } as const;
  let subject: NodeSubject = await startNodeSubject('stop', { live }, SERVER_CORE);
  const { port, path } = subject;
  const publish = (count: number) =>
    subject.publish({ startMicros: monotonicMicros(), intervalMicros: size.intervalMs * 1000, count });
  const load = await LoadGroup.start({
    ...LOAD,
    readers: size.clients,
    port,
    path,
    step: subject.commits?.entities ?? 1,
    comesBack: true,
  });
  try {
    await publish(size.updatesBefore);
    const before = await load.report();
    // It may not come to the last ones.
    publish(size.updatesWhileStopping).catch(() => undefined);
    const { startedMicros, endedMicros } = await subject.closeInOrder();
    const stopped = await load.report();
    const { commits } = subject;
    subject = await startNodeSubject('stop', { live: { ...live, port, ...(commits && { commits }) } }, SERVER_CORE);
    const head = (await publish(size.updatesAfter)) ?? '';
    const caught = await untilAtHead(load, { head, readers: size.clients, timeoutMs: BACK_MS });
    const endsMs = stopped.ends.map((micros) => (micros - startedMicros) / 1000);
    const lastEndMs = Math.max(...endsMs);
    onProgress(`stop: ${endsMs.length} streams ended within ${Math.round(lastEndMs)} ms`, 1);
    return {
      ended: endsMs.length,
      lastEndMs,
      endsByTenth: tenths(endsMs, size.graceMs),
      closedMs: (endedMicros - startedMicros) / 1000,
      atHead: caught.atHead,
      sequence: addSequences([before.sequence, stopped.sequence, caught.sequence]),
    };
  } finally {
    await load.stop();
    await subject.close();
  }
}

/** How many of some times lie in each tenth of a period; the last count is of those after it. */
function tenths(timesMs: readonly number[], periodMs: number): number[] {
  const counts = new Array<number>(11).fill(0);
  for (const timeMs of timesMs) {
    const tenth = Math.min(10, Math.max(0, Math.floor((timeMs * 10) / periodMs)));
    counts[tenth] = (counts[tenth] as number) + 1;
  }
  return counts;
}

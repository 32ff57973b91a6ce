import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMicros } from '../load/monotonic-micros.ts';
import type { Subject } from '../subjects/subject.ts';
import type { RequesterGroup } from './requester-group.ts';
import type { Round } from './round.ts';

/** Time for the schedule to reach the processes, milliseconds. */
const LEAD_MS = 100;
/** Time for what the round before left to be cleared away, milliseconds. */
const SETTLE_MS = 100;

/** One rate for a while: updates that the server publishes, or requests that are answered. */
export async function measureRound(
  subject: Subject,
  load: RequesterGroup,
  plan: Pick<Round, 'kind' | 'clients' | 'place' | 'perSecond'> & { readonly seconds: number },
): Promise<Round> {
  const { seconds, ...round } = plan;
  await delay(SETTLE_MS);
  const intervalMicros = Math.round(1e6 / plan.perSecond);
  const count = Math.max(1, Math.round((seconds * 1e6) / intervalMicros));
  const before = await subject.cpuMicros();
  const schedule = { startMicros: monotonicMicros() + LEAD_MS * 1000, intervalMicros, count };
  const published = plan.kind === 'updates' ? subject.publish(schedule) : undefined;
  const report = await load.round(plan.kind, schedule);
  await published;
  return {
    ...round,
    ...report,
    scheduled: count,
    serverCpuMicros: (await subject.cpuMicros()) - before,
    busyMicros: report.endedMicros - schedule.startMicros,
  };
}

import type { Schedule } from '@ldes-live/latency';
import type { Log } from '@ldes-live/log';
import type { Source } from '@ldes-live/sources';
import { combinedSchedule } from './combined-schedule.ts';
import type { StreamPlan } from './serve-plan.ts';

/** What may say when the updates of a stream come. */
export interface ScheduleParts {
  /** What the publisher says. */
  readonly updates: StreamPlan['updates'] | undefined;
  readonly sources: readonly Pick<Source, 'schedule'>[];
  readonly log: Pick<Log, 'head'>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/**
 * The schedule that is stated for a stream: what the publisher says, or else what the polling of its sources makes of
 * it; `undefined` where there is neither, and it has to be learned.
 */
export function statedSchedule({ updates, sources, log, clock }: ScheduleParts): (() => Schedule) | undefined {
  if (updates === 'unpredictable') return () => ({ kind: 'unknown' });
  if (updates) return () => declaredSchedule(updates.everyMs, log.head.timeMs, clock());
  if (sources.length === 0) return undefined;
  return () => combinedSchedule(sources.map((source) => source.schedule()));
}

/** The next update is an interval after the last. */
function declaredSchedule(intervalMs: number, lastMs: number, nowMs: number): Schedule {
  // By a clock that was set back, the last update is to come, and the next one may come at any moment.
  return { kind: 'interval', intervalMs, nextMs: lastMs > nowMs ? nowMs : lastMs + intervalMs };
}

import type { Schedule } from '@ldes-live/latency';

/**
 * The schedule of a stream that several sources feed: the next update is that of whichever comes first.
 *
 * With a source of unknown schedule among them, or none at all, it may come at any moment.
 */
export function combinedSchedule(schedules: readonly Schedule[]): Schedule {
  const [first, ...others] = schedules;
  if (first === undefined) return { kind: 'unknown' };
  return others.reduce<Schedule>((left, right) => {
    if (left.kind === 'unknown' || right.kind === 'unknown') return { kind: 'unknown' };
    return {
      kind: 'interval',
      intervalMs: Math.min(left.intervalMs, right.intervalMs),
      nextMs: Math.min(left.nextMs, right.nextMs),
    };
  }, first);
}

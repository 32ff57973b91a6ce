import type { Arrival } from '../load/load-messages.ts';
import type { PublishSchedule } from '../load/publish-on-schedule.ts';

/** What became of messages of which each is for one reader. */
export interface DeliveryCounts {
  /** Messages that came, each once. */
  readonly arrived: number;
  /** Messages that never came. */
  readonly lost: number;
  /** Times that a message came again. */
  readonly doubled: number;
  /** Times that something came that is none of these messages. */
  readonly strays: number;
}

/** Counts what of a schedule came, by the instants that messages carry: each is that of one message. */
export function countDeliveries(
  arrivals: readonly Pick<Arrival, 'stamp' | 'events'>[],
  { startMicros, intervalMicros, count }: PublishSchedule,
): DeliveryCounts {
  const isOfSchedule = ({ stamp }: { readonly stamp: number }) => {
    const index = (stamp - startMicros) / intervalMicros;
    return Number.isInteger(index) && index >= 0 && index < count;
  };
  const eventsOf = (some: typeof arrivals) => some.reduce((sum, { events }) => sum + events, 0);
  const ours = arrivals.filter(isOfSchedule);
  return {
    arrived: ours.length,
    lost: count - ours.length,
    doubled: eventsOf(ours) - ours.length,
    strays: eventsOf(arrivals) - eventsOf(ours),
  };
}

import type { RootDocument } from '@ldes-live/rdf-stream';
import type { ScheduledStream } from '../options.ts';

/** What the root says of its update interval: nothing where it is not known. */
export function pollingInterval(stream: ScheduledStream): Pick<RootDocument, 'pollingIntervalSeconds'> {
  const schedule = stream.schedule();
  return schedule.kind === 'interval' ? { pollingIntervalSeconds: schedule.intervalMs / 1000 } : {};
}

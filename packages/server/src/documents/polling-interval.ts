import type { StreamState } from '@ldes-live/codec';
import type { LiveStream } from '../live-stream.ts';

/** What an entry to the stream says of its update interval: nothing where it is not known. */
export function pollingInterval(stream: LiveStream): StreamState {
  const schedule = stream.schedule();
  return schedule.kind === 'interval' ? { pollingIntervalSeconds: schedule.intervalMs / 1000 } : {};
}

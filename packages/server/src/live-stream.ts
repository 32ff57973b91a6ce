import type { Schedule } from '@ldes-live/latency';
import type { StreamLog } from '@ldes-live/log';
import type { SourceHealth, StreamDescription } from '@ldes-live/rdf-stream';

/** A stream to publish: its description, its log, and what its sources tell. */
export interface LiveStream {
  readonly description: StreamDescription;
  readonly log: StreamLog;
  /** When the next update is expected, as of now. */
  readonly schedule: () => Schedule;
  /** How its sources fare, as of now; empty where there are none. */
  readonly sources: () => readonly SourceHealth[];
}

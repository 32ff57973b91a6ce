import type { Schedule } from '@ldes-live/latency';
import type { Log } from '@ldes-live/log';
import type { SourceHealth, StreamDescription } from '@ldes-live/rdf-stream';
import type { IngestOptions } from './ingest/ingest-options.ts';
import type { ContentShape } from './shape/content-shape.ts';

/** A stream to publish: its description, its log, and what its sources tell. */
export interface LiveStream {
  readonly description: StreamDescription;
  readonly log: Log;
  /** When the next update is expected, as of now. @defaultValue learned from the log, see specs/mal.md MAL-25 */
  readonly schedule?: () => Schedule;
  /** How its sources fare, as of now; empty where there are none. */
  readonly sources: () => readonly SourceHealth[];
  /** The MAL below which push is the cheaper way for it, seconds, 0 or more. @defaultValue that of the server */
  readonly breakEvenSeconds?: number;
  /** What its members say, besides what every member says; anything when absent. */
  readonly shape?: ContentShape;
  /** How it takes members by `POST`; it takes none when absent. */
  readonly ingest?: IngestOptions;
}

/** A stream whose schedule is known, be it that nothing can be predicted. */
export interface ScheduledStream extends LiveStream {
  readonly schedule: () => Schedule;
}

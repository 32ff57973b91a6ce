import type { Schedule } from '@ldes-live/latency';
import type { Draft, LatestView, SourceHealth } from '@ldes-live/rdf-stream';
import type { SourceEvent } from './source-event.ts';

/**
 * Where the members of a stream come from: one feed.
 *
 * @see specs/gtfs-realtime.md GTFS-37
 */
export interface Source {
  /** Which feed of the stream this is, as its drafts and its health name it; holds no secret. */
  readonly origin: string;
  /**
   * What changes, as it changes: batches that are never empty and have at most one draft of an entity.
   *
   * The consumer appends each batch before it pulls the next: what counts as a change is judged by
   * `latest`, and the time until the next pull is taken for the time that appending takes. A consumer
   * that cannot append ends the iteration, and may begin another. One iteration at a time.
   *
   * @param latest - the latest state of the stream that the batches are appended to
   * @param signal - ends the iteration, normally and promptly, also while waiting or downloading
   */
  drafts(latest: LatestView, signal: AbortSignal): AsyncIterable<readonly Draft[]>;
  /** How the feed fares now. */
  health(): SourceHealth;
  /** When the next update can become visible, as planned now. */
  schedule(): Schedule;
  /**
   * Has a listener called after every poll.
   *
   * @returns ends that; may be called more than once
   */
  onPoll(listener: (event: SourceEvent) => void): () => void;
}

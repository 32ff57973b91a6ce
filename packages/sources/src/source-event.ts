import type { StreamError } from '@ldes-live/rdf-stream';

/** What a polled source reports of one poll. Names no secret: URLs are without query and user. */
export type SourceEvent = PollTaken | PollUnchanged | PollFailed | PollHeldBack;

interface PollEvent {
  /** Which feed. */
  readonly origin: string;
  /** When the poll began, epoch milliseconds. */
  readonly startedAtMs: number;
  /** From its beginning until it was judged, milliseconds. */
  readonly durationMs: number;
}

/** The feed said something new of itself, and it counts; reported once the consumer has stored it. */
export interface PollTaken extends PollEvent {
  readonly kind: 'taken';
  /** Size of the body, decompressed. */
  readonly bytes: number;
  /** How many entities the body describes. */
  readonly entities: number;
  /** How many of them are new or differ. */
  readonly upserts: number;
  /** How many entities ended. */
  readonly deletes: number;
  /** What was noticed of the data, by name. */
  readonly findings: Readonly<Record<string, number>>;
  /**
   * What could not be read, a few of them, fields that nothing maps, and what of the documents beside the feed stays as
   * it was for an error.
   */
  readonly problems: readonly StreamError[];
  /** From the poll's beginning until its drafts were appended, milliseconds; absent when it had none. */
  readonly visibleMs?: number;
}

/** The feed is what it was when last taken. */
export interface PollUnchanged extends PollEvent {
  readonly kind: 'unchanged';
  /** Who said so: the server by status 304, or the same bytes once more. */
  readonly by: 'status' | 'bytes';
  /** Errors of documents beside the feed, which stay as they were. */
  readonly problems: readonly StreamError[];
}

/** The poll brought nothing that can be read; the last state stands. */
export interface PollFailed extends PollEvent {
  readonly kind: 'failed';
  readonly error: StreamError;
}

/** The feed can be read but is not believed yet; the last state stands. */
export interface PollHeldBack extends PollEvent {
  readonly kind: 'heldBack';
  /** `ERR_FEED_SHRUNK` or `ERR_FEED_TIME_WENT_BACK`. */
  readonly error: StreamError;
  /** What was noticed of the data, by name. */
  readonly findings: Readonly<Record<string, number>>;
  /** What else is to be told, as of a poll that counts. */
  readonly problems: readonly StreamError[];
}

/** Those who are told of every poll of a source, once it is over. */
export class PollListeners {
  readonly #listeners = new Set<(event: SourceEvent) => void>();

  /** @param report - told first */
  constructor(report: (event: SourceEvent) => void) {
    this.#listeners.add(report);
  }

  readonly report = (event: SourceEvent): void => {
    for (const listener of this.#listeners) listener(event);
  };

  /** As `Source.onPoll` has it. */
  readonly onPoll = (listener: (event: SourceEvent) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
}

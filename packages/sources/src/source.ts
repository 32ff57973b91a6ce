/* What a source is: to those who publish its drafts, to those who read its feed, and to those who watch its polls.
 *
 * A polled source reads a body to a `Snapshot`, finds which of its entities changed, and yields these as drafts:
 *
 *   { entities: [{ entity: 'http://h/S/entities/vehicles/12', fingerprint: 'x4f', quads: () => [...] }], deleted: [],
 *     unreadable: [], unnamedRecords: 0, differential: false, findings: {}, problems: [], headerMs: 1763805605000 }
 *     -> [{ kind: 'upsert', entity: 'http://h/S/entities/vehicles/12', fingerprint: 'x4f', origin: 'feed', quads: [...] }] */

import { setTimeout } from 'node:timers/promises';
import type { Schedule } from '@ldes-live/latency';
import type { Draft, LatestView, SourceHealth, StreamError, UpsertDraft } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { sendGet } from './polling/fetch.ts';

/**
 * Where the members of a stream come from: one feed.
 *
 * @see specs/gtfs-realtime.md
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

/** What one body of a feed says. */
export interface Snapshot {
  /** What it describes; the last one counts where an entity, or a version with an `id`, is described twice. */
  readonly entities: readonly Candidate[];
  /** IRIs of the entities that it says have ended; they need not live. */
  readonly deleted: readonly string[];
  /** IRIs of the entities that it has but that cannot be read: they stay as they are. */
  readonly unreadable: readonly string[];
  /** How many records cannot be read, not even whose they are: each may be one that seems absent. */
  readonly unnamedRecords: number;
  /** Whether it names only what changed, so that absence says nothing. */
  readonly differential: boolean;
  /** What was noticed of the data, by name. */
  readonly findings: Readonly<Record<string, number>>;
  /** What could not be read, a few of them, in words for people. */
  readonly problems: readonly StreamError[];
  /** The feed's own time, epoch milliseconds, if it states one. */
  readonly headerMs?: number | undefined;
  /** For how long after its time it holds, milliseconds, if it says so. */
  readonly ttlMs?: number | undefined;
}

/** What a feed says of one entity: a draft, once it is known to be new. */
export interface Candidate extends Pick<UpsertDraft, 'entity' | 'id' | 'fingerprint' | 'versionTime'> {
  /** Makes the quads of the draft. Asked of what changed only, which of most polls is little. */
  quads(): readonly Quad[];
}

/** What a polled source reports of one poll. Names no secret: URLs are without query and user. */
export type SourceEvent = PollAccepted | PollUnchanged | PollRejected | PollFailed;

interface PollEvent {
  /** Which feed. */
  readonly origin: string;
  /** When the poll began, epoch milliseconds. */
  readonly startedAtMs: number;
  /** From its beginning until it was judged, milliseconds. */
  readonly durationMs: number;
}

/** The feed said something new of itself, and it counts; reported once the consumer has stored it. */
export interface PollAccepted extends PollEvent {
  readonly kind: 'accepted';
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
  readonly visibleMs?: number | undefined;
}

/** The feed is what it was when last accepted. */
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
export interface PollRejected extends PollEvent {
  readonly kind: 'rejected';
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
  readonly #onFault: (thrown: unknown) => void;

  /** @param onFault - gets what a listener throws */
  constructor(onFault: (thrown: unknown) => void) {
    this.#onFault = onFault;
  }

  readonly report = (event: SourceEvent): void => {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (thrown) {
        this.#onFault(thrown);
      }
    }
  };

  /** As `Source.onPoll` has it. */
  readonly onPoll = (listener: (event: SourceEvent) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
}

/**
 * Waits.
 *
 * @param durationMs - how long, milliseconds; at once when 0 or less
 * @param signal - ends the wait: the promise rejects
 */
export type Sleep = (durationMs: number, signal: AbortSignal) => Promise<void>;

/** Sends a GET, as `fetch` does. */
export type Fetch = (
  url: string,
  init: { readonly headers: Headers; readonly redirect: 'manual'; readonly signal: AbortSignal },
) => Promise<Pick<Response, 'status' | 'headers' | 'body'>>;

/** What a source needs of the world. */
export interface SourceEnvironment {
  /**
   * Fetches; must honour `redirect: 'manual'` and the signal, also while the body is read, and fail where a body is not as
   * long as its `content-length`. The `fetch` of Node.js takes a compressed body that has lost its end for whole: what is
   * in its stead by default fails.
   */
  readonly fetch: Fetch;
  /** The present, epoch milliseconds. */
  readonly clock: () => number;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly sleep: Sleep;
}

/** The world as it is. */
export const systemEnvironment: SourceEnvironment = {
  fetch: sendGet,
  clock: () => Date.now(),
  random: () => Math.random(),
  sleep: (durationMs, signal) => setTimeout(durationMs, undefined, { signal }),
};

import { errors } from '../../errors.ts';
import type { LiveResult } from '../../live-result.ts';
import { EventHistory } from './event-history.ts';
import { answerEvent, endEvent, errorEvent, factsOf } from './live-event.ts';
import { PresentAnswer } from './present-answer.ts';
import type { Subscriber } from './subscriber.ts';

/** A live query as it is shared. */
export interface RunningQuery {
  /** Resolves once it is found good; rejects with what is wrong with it. */
  readonly ready: Promise<unknown>;
  readonly results: AsyncIterable<LiveResult>;
}

/** What a {@link SharedLiveQuery} is made of. */
export interface SharedLiveQueryParts {
  /** Begins it; it ends when the signal is aborted. */
  readonly start: (signal: AbortSignal) => RunningQuery;
  /** Whether each result tells of itself, as RSP-QL's RSTREAM, ISTREAM and DSTREAM do: there is no answer as it stands. */
  readonly tellsStream: boolean;
  /** Bytes of events to remember for readers who come back. */
  readonly limitReplayBytes: number;
  /** The number before that of its first event. */
  readonly firstSequence: number;
  /** It has ended of itself, with what it failed of. */
  readonly onEnd: (error: unknown) => void;
}

interface Present {
  readonly sequence: number;
  readonly facts: string;
  snapshot?: Buffer;
}

/**
 * One live query for all who ask the same: each result is written once, whatever the number of its readers.
 *
 * @see specs/query.md QUERY-74, QUERY-75, QUERY-76
 */
export class SharedLiveQuery {
  readonly #parts: SharedLiveQueryParts;
  readonly #ending = new AbortController();
  readonly #subscribers = new Set<Subscriber>();
  readonly #answer: PresentAnswer;
  readonly #history: EventHistory;
  /** Resolves once it is found good; rejects with what is wrong with it. */
  readonly ready: Promise<unknown>;
  /** Of the last result: its number and what it says beside its answer. */
  #present: Present | undefined;

  constructor(parts: SharedLiveQueryParts) {
    this.#parts = parts;
    this.#answer = new PresentAnswer(!parts.tellsStream);
    this.#history = new EventHistory(parts.limitReplayBytes);
    const query = parts.start(this.#ending.signal);
    // Whoever waits for what never becomes ready is told what it ended of.
    const ended = this.#run(query.results).then((error) => Promise.reject(error));
    this.ready = Promise.race([query.ready, ended]);
    this.ready.catch(() => undefined);
    query.ready.catch(() => undefined);
    ended.catch(() => undefined);
  }

  /** What its readers were told when it ended; absent while it goes on. */
  #last: Buffer | undefined;

  /** How many read it. */
  get size(): number {
    return this.#subscribers.size;
  }

  /** Gives a reader what it lacks, and from then on every event. */
  join(subscriber: Subscriber, lastSequence: number | undefined): void {
    if (this.#last) {
      subscriber.end(this.#last);
      return;
    }
    this.#subscribers.add(subscriber);
    const present = this.#present;
    // The first result brings it the whole answer.
    if (!present) return;
    const missed = lastSequence === undefined ? undefined : this.#history.after(lastSequence, present.sequence);
    if (missed) for (const event of missed) subscriber.offer(event);
    else if (!this.#parts.tellsStream) subscriber.offer(this.#snapshot(present));
  }

  leave(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
  }

  /** Stops it, and ends the responses of its readers in order. */
  stop(): void {
    this.#ending.abort();
    this.#finish(endEvent('stopping'));
  }

  /** @returns what it ended of */
  async #run(results: AsyncIterable<LiveResult>): Promise<unknown> {
    try {
      for await (const result of results) {
        await this.#take(result);
        if (this.#ending.signal.aborted) break;
      }
    } catch (error) {
      if (!this.#ending.signal.aborted) {
        this.#ended(error);
        return error;
      }
    }
    if (!this.#ending.signal.aborted) this.#ended(undefined);
    return errors.ERR_QUERY_STOPPING(undefined);
  }

  async #take(result: LiveResult): Promise<void> {
    const { tellsStream, firstSequence } = this.#parts;
    const changed = await this.#answer.take(result);
    const isFirst = this.#present === undefined;
    const present = { sequence: firstSequence + 1 + result.sequence, facts: factsOf(result) };
    this.#present = present;
    if (changed === undefined || (isFirst && !tellsStream)) {
      // Readers who come back are told the whole answer anyway.
      this.#history.clear();
      this.#tell(this.#snapshot(present));
      return;
    }
    const event = answerEvent('update', present.sequence, changed, present.facts);
    this.#history.add(present.sequence, event);
    this.#tell(event);
  }

  #tell(event: Buffer): void {
    for (const subscriber of this.#subscribers) subscriber.offer(event);
  }

  /** The whole answer as it stands, written once however many come meanwhile. */
  #snapshot(present: Present): Buffer {
    present.snapshot ??= answerEvent('snapshot', present.sequence, this.#answer.whole(), present.facts);
    return present.snapshot;
  }

  #ended(error: unknown): void {
    this.#finish(error === undefined ? endEvent('ended') : errorEvent(error));
    this.#parts.onEnd(error);
  }

  #finish(last: Buffer): void {
    this.#last = last;
    for (const subscriber of this.#subscribers) subscriber.end(last);
    this.#subscribers.clear();
  }
}

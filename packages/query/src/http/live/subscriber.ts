import type { Writable } from 'node:stream';
import { errors } from '../../errors.ts';
import type { SparqlLimits } from '../sparql-limits.ts';
import { errorEvent, HEARTBEAT, openingOf } from './live-event.ts';

/** What is written at a time, bytes: each time shows that the reader still reads. */
const STRIDE_BYTES = 64 * 1024;

/** What a {@link Subscriber} is made of. */
export interface SubscriberParts {
  /** The body of the response. */
  readonly line: Writable;
  readonly limits: Pick<SparqlLimits, 'limitQueueBytes' | 'limitStallMs'>;
  /** When it is to come back if it is cut, milliseconds. */
  readonly retryMs: number;
  /** Milliseconds since some moment. */
  readonly clock: () => number;
}

/**
 * One reader of a live query. What waits for it are references to events that are written once for all readers.
 *
 * @see specs/query.md QUERY-77
 */
export class Subscriber {
  readonly #line: Writable;
  readonly #limits: SubscriberParts['limits'];
  readonly #retryMs: number;
  readonly #clock: () => number;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #isWriting = false;
  #isEnding = false;
  /** Since when it has taken nothing of what was written, milliseconds. */
  #blockedSinceMs: number | undefined;

  constructor({ line, limits, retryMs, clock }: SubscriberParts) {
    this.#line = line;
    this.#limits = limits;
    this.#retryMs = retryMs;
    this.#clock = clock;
    line.write(openingOf(retryMs));
  }

  /** Gives it an event; one that has fallen too far behind is cut instead. */
  offer(event: Buffer): void {
    if (this.#isEnding) return;
    const { limitQueueBytes } = this.#limits;
    // The one that is sent does not count: an event may be larger than what may wait.
    if (this.#isWriting && this.#queuedBytes + event.length > limitQueueBytes) {
      const late = errors.ERR_SUBSCRIBER_SLOW({ limit: 'limitQueueBytes', value: limitQueueBytes });
      this.#drop();
      this.end(errorEvent(late, this.#retryMs));
      return;
    }
    this.#push(event);
  }

  /** Ends the response in order, after what waits and a last event. */
  end(last?: Buffer): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    if (last) this.#push(last);
    if (!this.#isWriting) this.#line.end();
  }

  /** Sends something, so that the connection is seen to be alive; cuts it when nothing has been taken for too long. */
  beat(): void {
    const { limitStallMs } = this.#limits;
    if (this.#blockedSinceMs !== undefined) {
      if (this.#clock() - this.#blockedSinceMs > limitStallMs) this.#line.destroy();
    } else if (!this.#isEnding) this.#push(HEARTBEAT);
  }

  #push(event: Buffer): void {
    this.#queue.push(event);
    this.#queuedBytes += event.length;
    if (!this.#isWriting) void this.#write();
  }

  /** What is being sent is sent to its end: what came amid it would be taken for a part of it. */
  #drop(): void {
    this.#queue = [];
    this.#queuedBytes = 0;
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    for (let event = this.#queue.shift(); event; event = this.#queue.shift()) {
      this.#queuedBytes -= event.length;
      for (let start = 0; start < event.length; start += STRIDE_BYTES) {
        if (this.#line.destroyed) return;
        if (!this.#line.write(event.subarray(start, start + STRIDE_BYTES))) await this.#drained();
      }
    }
    this.#isWriting = false;
    if (this.#isEnding) this.#line.end();
  }

  async #drained(): Promise<void> {
    this.#blockedSinceMs = this.#clock();
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#line.off('drain', done).off('close', done);
        resolve();
      };
      this.#line.on('drain', done).on('close', done);
      if (this.#line.destroyed) done();
    });
    this.#blockedSinceMs = undefined;
  }
}

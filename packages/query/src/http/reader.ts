/*
 * One reader of a live query: its response, and the events that wait for it.
 *
 *   offer(event) -> queue, at most `limitQueueBytes` -> strides of 64 KiB -> response
 *   event: update
 *   id: 8
 *   data: {"sequence":8,"added":{...},"removed":{...},"evaluatedAt":"...","dataAsOf":"..."}
 */
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { EVENT_STREAM_MEDIA_TYPE } from '@ldes-live/rdf-stream';
import type { FastifyReply } from 'fastify';
import { errors } from '../errors.ts';
import type { SparqlLimits } from './limits.ts';
import { problemOf } from './protocol.ts';

/** What is written at a time, bytes: each time shows that the reader still reads. */
const STRIDE_BYTES = 64 * 1024;

/** What a {@link Subscriber} is made of. */
interface SubscriberParts {
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

/** How long a reader is to wait before it asks again what has failed, milliseconds. */
const RETRY_FAILED_MS = 60_000;

/** The event that tells why a stream ends: what is asked again at once would fail again. */
export function errorEvent(error: unknown, retryMs = RETRY_FAILED_MS): Buffer {
  const { text } = problemOf(error);
  return Buffer.from(`event: error\nretry: ${retryMs}\ndata: ${text}\n\n`);
}

/** The event that says that nothing more comes. */
export function endEvent(reason: 'stopping' | 'ended'): Buffer {
  return Buffer.from(`event: end\ndata: ${JSON.stringify({ reason })}\n\n`);
}

/** What is sent when there is nothing to tell. */
const HEARTBEAT = Buffer.from(':\n\n');

/** What a stream begins with: when to come back if it is cut. */
function openingOf(retryMs: number): Buffer {
  return Buffer.from(`retry: ${retryMs}\n:\n\n`);
}

/** What is said to scripts of every origin. */
export const CORS_FIELDS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Age, Date, ETag, LDES-Cursor, Link, Next-Update, Retry-After',
  'timing-allow-origin': '*',
};

/**
 * Begins the response of a live query, past Fastify.
 *
 * @see specs/query.md QUERY-73
 */
export function beginEvents(reply: FastifyReply): ServerResponse {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...CORS_FIELDS,
    'content-type': EVENT_STREAM_MEDIA_TYPE,
    // An intermediary that stored or recoded a stream would hold its events back.
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    // The same for all intermediaries (RFC 10036).
    incremental: '?1',
    vary: 'Accept',
  });
  raw.flushHeaders();
  return raw;
}

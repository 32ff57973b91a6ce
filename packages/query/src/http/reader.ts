/*
 * One reader of a live query: its response, and the events that wait for it.
 *
 *   enqueue(event) -> queue, at most `limitQueueBytes` -> strides of 64 KiB -> response
 *   event: update
 *   id: 8
 *   data: {"sequence":8,"added":{...},"removed":{...},"evaluatedAt":"...","dataAsOf":"..."}
 */
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { EVENT_STREAM_MEDIA_TYPE } from '@ldes-live/rdf-stream';
import type { FastifyReply } from 'fastify';
import { errors } from '../errors.ts';
import { MAX_SLEEP_MS } from '../run/waiting.ts';
import type { SparqlLimits } from './limits.ts';
import { CORS_FIELDS, problemOf } from './protocol.ts';

/** Bytes that are written at a time: each time shows that the reader still reads. */
const STRIDE_BYTES = 64 * 1024;

/** How long a reader has to wait before it asks a failed query again, milliseconds. */
const RETRY_FAILED_MS = 60_000;

const HEARTBEAT = Buffer.from(':\n\n');

const NOTHING = Buffer.alloc(0);

type ReaderLimits = Pick<SparqlLimits, 'limitQueueBytes' | 'limitStallMs'>;

/** Its queue has references to events that are written once for all readers. @see specs/query.md QUERY-77 */
export class LiveReader {
  readonly #response: Writable;
  readonly #limits: ReaderLimits;
  readonly #retryMs: number;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  /** What is left of the event that is being sent. */
  #current: Buffer = NOTHING;
  #isEnding = false;
  /** Cuts it; set while it does not read what was written. */
  #stalling: NodeJS.Timeout | undefined;

  /** @param retryMs - when it should come back if it is cut, milliseconds */
  constructor(response: Writable, limits: ReaderLimits, retryMs: number) {
    this.#response = response;
    this.#limits = limits;
    this.#retryMs = retryMs;
    response.on('drain', () => {
      clearTimeout(this.#stalling);
      this.#stalling = undefined;
      this.#write();
    });
    response.once('close', () => clearTimeout(this.#stalling));
    response.write(`retry: ${retryMs}\n:\n\n`);
  }

  /** Gives it an event; one that has fallen too far behind is cut instead. */
  enqueue(event: Buffer): void {
    if (this.#isEnding) return;
    const { limitQueueBytes } = this.#limits;
    // The event that is being sent does not count: it may be larger than the queue.
    if (!this.#stalling || this.#queuedBytes + event.length <= limitQueueBytes) {
      this.#push(event);
      return;
    }
    // The event that is being sent goes out whole: another one amid it would be taken for a part of it.
    this.#queue = [];
    this.#queuedBytes = 0;
    const error = errors.ERR_SUBSCRIBER_SLOW({ limit: 'limitQueueBytes', value: limitQueueBytes });
    this.end(errorEvent(error, this.#retryMs));
  }

  /** Ends the response after what waits and a last event. */
  end(last: Buffer): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#push(last);
  }

  beat(): void {
    if (!this.#stalling && !this.#isEnding) this.#push(HEARTBEAT);
  }

  #push(event: Buffer): void {
    this.#queue.push(event);
    this.#queuedBytes += event.length;
    this.#write();
  }

  #write(): void {
    const response = this.#response;
    while (!this.#stalling) {
      if (response.destroyed) return;
      if (this.#current.length === 0) {
        const next = this.#queue.shift();
        if (!next) break;
        this.#queuedBytes -= next.length;
        this.#current = next;
      }
      const isTaken = response.write(this.#current.subarray(0, STRIDE_BYTES));
      this.#current = this.#current.subarray(STRIDE_BYTES);
      if (isTaken) continue;
      const stallMs = Math.min(this.#limits.limitStallMs, MAX_SLEEP_MS);
      this.#stalling = setTimeout(() => response.destroy(), stallMs).unref();
    }
    if (this.#isEnding && !this.#stalling) response.end();
  }
}

export function errorEvent(error: unknown, retryMs = RETRY_FAILED_MS): Buffer {
  return Buffer.from(`event: error\nretry: ${retryMs}\ndata: ${problemOf(error).text}\n\n`);
}

export function endEvent(reason: 'stopping' | 'ended'): Buffer {
  return Buffer.from(`event: end\ndata: ${JSON.stringify({ reason })}\n\n`);
}

/** Begins a response past Fastify; `undefined` where there is nobody to send events to. @see specs/query.md QUERY-73 */
export function beginEvents(reply: FastifyReply): ServerResponse | undefined {
  reply.hijack();
  const { raw, request } = reply;
  // The client may have gone while it waited.
  if (request.raw.socket.destroyed) return undefined;
  raw.writeHead(200, {
    ...CORS_FIELDS,
    'content-type': EVENT_STREAM_MEDIA_TYPE,
    // An intermediary that stores or recodes a stream delays its events.
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    // The same for all intermediaries (RFC 10036).
    incremental: '?1',
    vary: 'Accept',
  });
  raw.flushHeaders();
  if (request.method !== 'HEAD') return raw;
  raw.end();
  return undefined;
}

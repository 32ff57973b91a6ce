/*
 * One reader of a live query: its response, and the events that wait for it.
 *
 *   enqueue(event) -> queue, at most `limitQueueBytes` -> strides of 64 KiB -> response
 *   event: update
 *   id: 8
 *   data: {"sequence":8,"added":{...},"removed":{...},"evaluatedAt":"...","dataAsOf":"..."}
 */
import type { ServerResponse } from 'node:http';
import { Readable, type Writable } from 'node:stream';
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

/** So many answers of the largest size may be on their way at once, to all clients of a stream. */
const LARGEST_ANSWERS = 4;

/**
 * What is on its way to slow clients of a stream, each content once for all that get it. Past the limit those that began first
 * are cut: if new ones were refused instead, a few slow clients would keep out all others.
 *
 * @see specs/query.md QUERY-111
 */
export class AnswersOnTheirWay {
  readonly #limitBytes: number;
  /** The oldest first. */
  readonly #contents = new Map<() => void, ArrayBufferLike>();
  readonly #clients = new Map<ArrayBufferLike, number>();
  #bytes = 0;

  constructor({ limitAnswerBytes }: Pick<SparqlLimits, 'limitAnswerBytes'>) {
    this.#limitBytes = LARGEST_ANSWERS * limitAnswerBytes;
  }

  /**
   * @param cut - ends the connection
   * @returns what to call when it has arrived, or its client has gone
   */
  add({ buffer }: Uint8Array, cut: () => void): () => void {
    const clients = this.#clients.get(buffer) ?? 0;
    if (clients === 0) this.#bytes += buffer.byteLength;
    this.#clients.set(buffer, clients + 1);
    this.#contents.set(cut, buffer);
    for (const oldest of this.#contents.keys()) {
      if (this.#bytes <= this.#limitBytes || oldest === cut) break;
      this.#remove(oldest);
      oldest();
    }
    return () => this.#remove(cut);
  }

  #remove(cut: () => void): void {
    const buffer = this.#contents.get(cut);
    if (!buffer) return;
    this.#contents.delete(cut);
    const clients = (this.#clients.get(buffer) as number) - 1;
    if (clients > 0) this.#clients.set(buffer, clients);
    else {
      this.#clients.delete(buffer);
      this.#bytes -= buffer.byteLength;
    }
  }
}

/** Sends an answer whose head is set. A client that takes nothing of it for too long is cut. @see specs/query.md QUERY-111 */
export function sendAnswer(
  reply: FastifyReply,
  content: Uint8Array,
  onItsWay: AnswersOnTheirWay,
  { limitStallMs }: ReaderLimits,
): FastifyReply {
  const { raw } = reply;
  const cut = () => void raw.destroy();
  raw.once('close', onItsWay.add(content, cut));
  raw.setTimeout(Math.min(limitStallMs, MAX_SLEEP_MS), cut);
  // In strides, each of which begins that time anew.
  const strides = function* () {
    for (let at = 0; at < content.length; at += STRIDE_BYTES) yield content.subarray(at, at + STRIDE_BYTES);
  };
  return reply.header('content-length', content.length).send(Readable.from(strides()));
}

/** Its queue has references to events that are written once for all readers. @see specs/query.md QUERY-77 */
export class LiveReader {
  readonly #response: Writable;
  readonly #limits: ReaderLimits;
  readonly #retryMs: number;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  /** What is left of the event that is being sent. */
  #current: Buffer = NOTHING;
  readonly #onItsWay: AnswersOnTheirWay;
  #arrived: (() => void) | undefined;
  #isEnding = false;
  /** Cuts it; set while it does not read what was written. */
  #stalling: NodeJS.Timeout | undefined;

  /** @param retryMs - when it should come back if it is cut, milliseconds */
  constructor(response: Writable, limits: ReaderLimits, onItsWay: AnswersOnTheirWay, retryMs: number) {
    this.#response = response;
    this.#onItsWay = onItsWay;
    this.#limits = limits;
    this.#retryMs = retryMs;
    response.on('drain', () => {
      clearTimeout(this.#stalling);
      this.#stalling = undefined;
      this.#write();
    });
    response.once('close', () => {
      clearTimeout(this.#stalling);
      this.#arrived?.();
    });
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
        this.#arrived?.();
        this.#arrived = undefined;
        const next = this.#queue.shift();
        if (!next) break;
        this.#queuedBytes -= next.length;
        this.#current = next;
      }
      const isTaken = response.write(this.#current.subarray(0, STRIDE_BYTES));
      this.#current = this.#current.subarray(STRIDE_BYTES);
      if (isTaken) continue;
      const cut = () => void response.destroy();
      this.#stalling = setTimeout(cut, Math.min(this.#limits.limitStallMs, MAX_SLEEP_MS)).unref();
      if (this.#current.length > 0) this.#arrived ??= this.#onItsWay.add(this.#current, cut);
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

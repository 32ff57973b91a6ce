/* One push connection: the response that is taken over, what is written to it, and how it ends.
 *   { "state": "live", "wire": { "encoding": "gzip", "chunked": true }, "position": 41, "slot": 7, "inGroup": true,
 *     "wroteAtMs": 18230, "stalledSinceMs": 0, "endsAtMs": 3210876 }
 * One flat object, with no promise, timer or listener of its own as long as its reader keeps up: thousands are visited for
 * each commit, and each further object costs a cache miss. The body is written past Node.js, which would keep the header as
 * long as the stream and frame each write. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import {
  type Cursor,
  EVENT_STREAM_MEDIA_TYPE,
  type Filter,
  formatCursor,
  formatSourceState,
  formatSseComment,
  formatSseRetry,
  httpFields,
  ReplayFilter,
  type SourceState,
} from '@ldes-live/rdf-stream';
import { CORS_HEADERS } from '../http/caching.ts';
import { type BytesByWire, LAST_CHUNK, onWire, opening, type PushEncoding, type Wire, wireOf } from './wire.ts';

const NOTHING = Buffer.alloc(0);

/** Why a push connection ended. */
export const CLOSE_REASONS = ['reader', 'slow', 'age', 'shutdown', 'error'] as const;
export type CloseReason = (typeof CLOSE_REASONS)[number];

/** What is written at a time to a reader that is catching up, bytes: each time shows that it still reads. */
const STRIDE_BYTES = 64 * 1024;

interface SubscriberOptions extends Pick<Subscriber, 'socket' | 'filter' | 'endsAtMs'> {
  readonly encoding: PushEncoding;
  /** Whether the socket takes chunks of HTTP/1.1. */
  readonly isChunked: boolean;
  readonly nowMs: number;
  /** @defaultValue 0 */
  readonly number?: number;
}

/** One push connection. */
export class Subscriber {
  /** The socket of HTTP/1, or the stream of HTTP/2, past the header of the response. */
  readonly socket: Writable;
  readonly wire: Wire;
  /** Absent for the whole stream. */
  readonly filter: Filter | undefined;
  /** When it is to end, milliseconds. */
  readonly endsAtMs: number;
  /** Its number among those of the stream, for the log. */
  readonly number: number;
  readonly openedAtMs: number;
  /** While it catches up: sequence number of the last member that it was given. While it is live: where it joined. */
  position = 0;
  /** While it is live: its index among those of the whole stream; 0 for one of a filtered stream. -1 while it is not. */
  slot = -1;
  /** Whether it takes the shared compression of its group. */
  inGroup = false;
  /** Whether it has been live: what it lacks since then may be conflated. */
  wasLive = false;
  /** When something was last written to it alone, milliseconds. */
  wroteAtMs: number;
  /** Since when it has taken nothing, milliseconds; 0 while it does. */
  stalledSinceMs = 0;
  /** The event on the sources of the stream that counts for it: it was given that, or needs none. */
  status: string | undefined;
  /** Why it is being closed; absent while it is not. */
  closeReason: CloseReason | undefined;
  /** Whether bytes are being written as they are taken, of which some are not written yet. */
  #isPartway = false;

  constructor({ socket, encoding, isChunked, filter, endsAtMs, nowMs, number = 0 }: SubscriberOptions) {
    this.socket = socket;
    this.wire = wireOf(encoding, isChunked);
    this.filter = filter;
    this.endsAtMs = endsAtMs;
    this.wroteAtMs = nowMs;
    this.openedAtMs = nowMs;
    this.number = number;
  }

  get isOpen(): boolean {
    return this.closeReason === undefined && this.socket.writable;
  }

  /** Whether bytes wait that the system has not taken yet. */
  get isFull(): boolean {
    return this.socket.writableLength > 0;
  }

  /** Whether nothing is being written to it, and nothing waits to be taken. */
  get isIdle(): boolean {
    return this.isOpen && !this.isFull && !this.#isPartway;
  }

  /** Chooses what it is sent again: from each beginning a new one, since it follows what moves. */
  replayFilter(isWholeState = false): ReplayFilter | undefined {
    return this.filter && new ReplayFilter(this.filter, { isWholeState });
  }

  /** Writes what begins the response: the header, the wait of its own, and events or a comment (PUSH-7, PUSH-8, PUSH-10). */
  open(header: Buffer, retryMs: number, events: string): void {
    const own = onWire(formatSseRetry(retryMs) + (events || formatSseComment('')), this.wire, false);
    this.socket.write(Buffer.concat([header, opening(this.wire), own]));
  }

  writeOwn(text: string): void {
    this.socket.write(onWire(text, this.wire, false));
  }

  /** Writes shared bytes to a reader that has taken all; returns how many. */
  writeShared(on: BytesByWire, nowMs: number): number {
    const bytes = on(this.wire);
    this.socket.write(bytes);
    this.wroteAtMs = nowMs;
    return bytes.length;
  }

  /** Writes shared bytes to a reader that may be slow, as it takes them. Resolves when the system has them, or it is closed. */
  async writeSlowly(bytes: Buffer, nowMs: () => number): Promise<void> {
    this.#isPartway = true;
    for (let start = 0; start < bytes.length && this.socket.writable; start += STRIDE_BYTES) {
      this.socket.write(bytes.subarray(start, start + STRIDE_BYTES));
      this.wroteAtMs = nowMs();
      if (this.isFull) await this.drained(nowMs);
    }
    this.#isPartway = false;
    if (this.closeReason !== undefined) this.#finish();
  }

  /** Resolves when what was written has left, or the connection is closed. */
  async drained(nowMs: () => number): Promise<void> {
    if (!this.isFull || this.socket.destroyed) return;
    this.stalledSinceMs = nowMs();
    // An empty write is called back after all that was written before it, or with the end.
    await new Promise<void>((resolve) => {
      this.socket.write(NOTHING, () => resolve());
    });
    this.stalledSinceMs = 0;
  }

  /** Ends the response in order, after the event that is being written. */
  end(reason: CloseReason): void {
    if (this.closeReason !== undefined) return;
    this.closeReason = reason;
    // What ends a response would be taken for a part of the event.
    if (!this.#isPartway) this.#finish();
  }

  /** Cuts the connection: its reader resumes after the last event that it has read whole. */
  cut(reason: CloseReason): void {
    this.closeReason ??= reason;
    this.socket.destroy();
  }

  #finish(): void {
    if (!this.socket.writable) return;
    if (this.wire.chunked) this.socket.end(LAST_CHUNK);
    else this.socket.end();
  }
}

/** How much further on the next visit begins, as a part of all: near the golden section, so that beginnings spread evenly. */
const FURTHER = 0.618;

/** The live subscribers of the whole stream. A slot that becomes empty stays until the next visit: nobody is passed over. */
export class LiveSubscribers {
  #slots: (Subscriber | undefined)[] = [];
  #start = 0;
  #gzip = 0;
  size = 0;
  /** How many of them take shared compression. */
  grouped = 0;

  /** How many gzip subscribers are not in the group. */
  get ungrouped(): number {
    return this.#gzip - this.grouped;
  }

  add(subscriber: Subscriber): void {
    subscriber.slot = this.#slots.length;
    this.#slots.push(subscriber);
    this.#count(subscriber, 1);
  }

  /** Takes one out, also out of its group; nothing where it is not in. */
  remove(subscriber: Subscriber): void {
    if (this.#slots[subscriber.slot] !== subscriber) return;
    this.#slots[subscriber.slot] = undefined;
    subscriber.slot = -1;
    this.#count(subscriber, -1);
    this.part(subscriber);
  }

  join(subscriber: Subscriber): void {
    if (subscriber.inGroup) return;
    subscriber.inGroup = true;
    this.grouped += 1;
  }

  part(subscriber: Subscriber): void {
    if (!subscriber.inGroup) return;
    subscriber.inGroup = false;
    this.grouped -= 1;
  }

  subscribers(): Subscriber[] {
    return this.#slots.filter((subscriber) => subscriber !== undefined);
  }

  /** Those that are in now, while others come and go. It begins with another one each time: none is always last. */
  *visit(): Generator<Subscriber> {
    if (this.size < this.#slots.length) this.#close();
    const slots = this.#slots;
    const count = slots.length;
    this.#start = count === 0 ? 0 : (this.#start + Math.floor(count * FURTHER)) % count;
    for (let step = 0; step < count; step += 1) {
      const slot = this.#start + step;
      const subscriber = slots[slot < count ? slot : slot - count];
      if (subscriber) yield subscriber;
    }
  }

  #count({ wire }: Subscriber, by: 1 | -1): void {
    this.size += by;
    if (wire.encoding === 'gzip') this.#gzip += by;
  }

  #close(): void {
    this.#slots = this.subscribers();
    for (const [slot, subscriber] of this.#slots.entries()) (subscriber as Subscriber).slot = slot;
  }
}

/** A request and its response as Node.js has them, of HTTP/1 or HTTP/2. */
export interface PushExchange {
  readonly request: IncomingMessage | Http2ServerRequest;
  readonly response: ServerResponse | Http2ServerResponse;
}

/** What the header of a push stream says. */
export interface PushHead {
  readonly cursor: Cursor;
  readonly link: string;
  /** How the sources of the stream are; absent where it has none. */
  readonly source: SourceState | undefined;
  readonly encoding: PushEncoding;
}

export interface TakenSocket extends Pick<SubscriberOptions, 'socket' | 'isChunked'> {
  /** What is still to be written before the body; empty where the header has gone already. */
  readonly header: Buffer;
}

/** Takes over the socket of a response; with HTTP/1 only once the response has its socket (PUSH-1). */
export function takeOver({ request, response }: PushExchange, head: PushHead): TakenSocket {
  const fields = fieldsOf(head);
  if ('stream' in response) {
    response.writeHead(200, fields);
    return { socket: response.stream, isChunked: false, header: NOTHING };
  }
  const isChunked = request.httpVersion !== '1.0';
  // It ends with the connection.
  const all = { ...fields, ...(isChunked && { 'transfer-encoding': 'chunked' }), connection: 'close' };
  const lines = Object.entries({ ...all, date: new Date().toUTCString() }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const socket = response.socket as Socket;
  // What comes after the request has no answer any more: it is not to be kept, nor complained of amid the events.
  const parsing = socket.listeners('data') as (() => void)[];
  // First the one, then the others: without any in between it would take more memory from then on.
  socket.on('data', drop);
  for (const listener of parsing) socket.removeListener('data', listener);
  return { socket, isChunked, header: Buffer.from(`HTTP/1.1 200 OK\r\n${lines.join('')}\r\n`, 'latin1') };
}

/** Whether the socket of a connection of HTTP/1 has been taken by {@link takeOver}. */
export function isTaken(socket: Socket): boolean {
  return socket.listeners('data').includes(drop);
}

function drop(): void {}

/**
 * Answers with a header and no stream.
 *
 * @param retryMs - for a stream that ends at once: a browser takes any error for final; absent for a HEAD request
 */
export function answerWithoutStream({ response }: PushExchange, head: PushHead, retryMs?: number): void {
  const body = retryMs === undefined ? undefined : formatSseRetry(retryMs);
  (response as ServerResponse).writeHead(200, fieldsOf(head)).end(body);
}

function fieldsOf({ cursor, link, source, encoding }: PushHead): Record<string, string> {
  return {
    'content-type': EVENT_STREAM_MEDIA_TYPE,
    // An intermediary that stored or recoded a stream would hold its events back.
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    // The same for all intermediaries (RFC 10036).
    incremental: '?1',
    [httpFields.cursor]: formatCursor(cursor),
    ...(source && { [httpFields.source]: formatSourceState(source) }),
    ...CORS_HEADERS,
    link,
    ...(encoding !== 'identity' && { 'content-encoding': encoding }),
  };
}

// Server-Sent Events, written and read.
//
//   formatSseEvent({ event: 'update', id: 'k3x9a-42', data: '{"a":1}' })
//   -> event: update
//      id: k3x9a-42
//      data: {"a":1}
//                           (a blank line ends it)
//   SseParser.push(bytes) --onEvent--> { event: 'update', id: 'k3x9a-42', data: '{"a":1}' }
//
// The parser is our own: libraries lose the id of a block without data (PUSH-13, PUSH-60), or need a newer Node.js than
// we do; this one counts bytes, and ends an event at a bare CR.

import { errors } from './errors.ts';

/** One Server-Sent Event. */
export interface SseEventFields {
  /** Its type; `message` for the reader when absent. */
  readonly event?: string | undefined;
  /** What the reader sends back as `Last-Event-ID`; unchanged when absent. */
  readonly id?: string | undefined;
  /** The payload; each line break in it, of whatever kind, reaches the reader as LF. */
  readonly data: string;
}

/**
 * Writes an event, the blank line that ends it included.
 *
 * @throws {@link StreamError} `ERR_SSE_FIELD_INVALID` - a line break or NUL in `event` or `id`
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export function formatSseEvent({ event, id, data }: SseEventFields): string {
  const type = event === undefined ? '' : field('event', event);
  const lastId = id === undefined ? '' : field('id', id);
  return `${type}${lastId}${prefixLines('data: ', data)}\n`;
}

/** Writes a comment, which readers ignore and proxies take for traffic. */
export function formatSseComment(text: string): string {
  return `${prefixLines(': ', text)}\n`;
}

/**
 * Writes the delay that a reader should keep before it reconnects, whole milliseconds from 0 on.
 *
 * @throws {@link StreamError} `ERR_SSE_FIELD_INVALID` - anything else
 */
export function formatSseRetry(retryMs: number): string {
  // Safe integers only: larger ones may print with an exponent, which readers ignore.
  if (!Number.isSafeInteger(retryMs) || retryMs < 0) {
    throw errors.ERR_SSE_FIELD_INVALID({ field: 'retry', value: String(retryMs) });
  }
  return `retry: ${retryMs}\n\n`;
}

function field(name: 'event' | 'id', value: string): string {
  // NUL makes a reader ignore the id.
  if (/[\r\n\0]/.test(value)) throw errors.ERR_SSE_FIELD_INVALID({ field: name, value: value.slice(0, 80) });
  return `${name}: ${value}\n`;
}

function prefixLines(prefix: string, text: string): string {
  // As JSON is: one line, which may be long.
  if (!text.includes('\n') && !text.includes('\r')) return `${prefix}${text}\n`;
  return `${prefix}${text.split(/\r\n|\r|\n/).join(`\n${prefix}`)}\n`;
}

/** An event as a reader gets it. */
export interface SseEvent {
  /** Event type; `message` when the server named none. */
  readonly event: string;
  /** The last event ID: of this event or, when it has none, of the last one before it; empty before the first. */
  readonly id: string;
  readonly data: string;
}

/** What an {@link SseParser} calls, synchronously from `push`. */
export interface SseParserOptions {
  readonly onEvent: (event: SseEvent) => void;
  /** Called with each comment, without its colon and the space after it. */
  readonly onComment?: ((text: string) => void) | undefined;
  /** Called with the id of a block that has no data and a new id: no event, but where to go on from. */
  readonly onId?: ((id: string) => void) | undefined;
  /** Called with each reconnection delay that the server states, in milliseconds. */
  readonly onRetry?: ((retryMs: number) => void) | undefined;
  /** The most bytes buffered for one event, its unfinished line included. @defaultValue 16 MiB */
  readonly limitBytes?: number | undefined;
}

const LF = 0x0a;
const CR = 0x0d;
const BOM = [0xef, 0xbb, 0xbf];

/**
 * An incremental parser. Chunks may be cut anywhere and reused after `push` returns. An event is delivered with the last
 * byte of the blank line that ends it, a bare CR included; what the stream ends in without one is never delivered.
 */
export class SseParser {
  readonly #options: SseParserOptions;
  readonly #limitBytes: number;
  // The BOM is ours to skip: only the stream's first line can have one.
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #line = new ByteBuffer();
  #atStart = true;
  #skipLf = false;
  #event = '';
  #data: string[] = [];
  #dataBytes = 0;
  #idBuffer = '';
  #lastEventId = '';

  constructor(options: SseParserOptions) {
    this.#options = options;
    this.#limitBytes = options.limitBytes ?? 16 * 1024 * 1024;
  }

  /** The id to resume from: that of the last block that ended, with or without data. */
  get lastEventId(): string {
    return this.#lastEventId;
  }

  /**
   * Takes the next bytes of the stream. After an error the parser is of no further use.
   *
   * @throws {@link StreamError} `ERR_SSE_EVENT_TOO_LARGE` - an event larger than `limitBytes`
   */
  push(chunk: Uint8Array): void {
    let start = 0;
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index];
      if (byte !== LF && byte !== CR) {
        this.#skipLf = false;
        continue;
      }
      // The LF of a CRLF, whose line ended at the CR: waiting for it would hold an event back.
      if (!(byte === LF && this.#skipLf)) this.#endLine(chunk.subarray(start, index));
      this.#skipLf = byte === CR;
      start = index + 1;
    }
    const rest = chunk.subarray(start);
    this.#reserve(rest.length);
    this.#line.append(rest);
  }

  #reserve(bytes: number): void {
    if (this.#dataBytes + this.#line.length + bytes > this.#limitBytes) {
      throw errors.ERR_SSE_EVENT_TOO_LARGE({ limitBytes: this.#limitBytes });
    }
  }

  #endLine(tail: Uint8Array): void {
    this.#reserve(tail.length);
    let bytes = tail;
    if (this.#line.length > 0) {
      this.#line.append(tail);
      bytes = this.#line.take();
    }
    if (this.#atStart && BOM.every((byte, index) => bytes[index] === byte)) bytes = bytes.subarray(BOM.length);
    this.#atStart = false;
    const line = this.#decoder.decode(bytes);
    const colon = line.indexOf(':');
    // Of a comment it is empty.
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (line === '') this.#dispatch();
    else if (name === 'data') {
      this.#data.push(value);
      this.#dataBytes += bytes.length;
    } else if (name === 'event') this.#event = value;
    else if (name === 'id' && !value.includes('\0')) this.#idBuffer = value;
    else if (name === 'retry' && /^[0-9]+$/.test(value)) this.#options.onRetry?.(Number(value));
    else if (name === '') this.#options.onComment?.(value);
  }

  #dispatch(): void {
    const event = this.#event || 'message';
    const data = this.#data;
    const isNewId = this.#idBuffer !== this.#lastEventId;
    this.#lastEventId = this.#idBuffer;
    this.#event = '';
    this.#data = [];
    this.#dataBytes = 0;
    // No data line at all; a single empty one is an event with empty data.
    if (data.length > 0) this.#options.onEvent({ event, id: this.#lastEventId, data: data.join('\n') });
    else if (isNewId) this.#options.onId?.(this.#lastEventId);
  }
}

const INITIAL_BYTES = 1024;
const KEPT_BYTES = 65_536;

// Bytes that are appended piece by piece and taken all at once, in time linear in their number.
class ByteBuffer {
  #bytes = new Uint8Array(INITIAL_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#bytes.length) {
      // Doubling, since growing to fit would copy everything for each piece.
      const grown = new Uint8Array(Math.max(length, this.#bytes.length * 2));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length = length;
  }

  /** Takes what it holds; valid until the next append. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    // One large event must not hold memory for as long as the connection lives.
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = new Uint8Array(INITIAL_BYTES);
    return taken;
  }
}

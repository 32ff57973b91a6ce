import { ByteBuffer } from './byte-buffer.ts';
import { errors } from './errors.ts';

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
  readonly onComment?: (text: string) => void;
  /** Called with each reconnection delay that the server states, in milliseconds. */
  readonly onRetry?: (retryMs: number) => void;
  /**
   * The most bytes buffered for one event, its unfinished line included.
   *
   * @defaultValue 16 MiB
   */
  readonly limitBytes?: number;
}

const LF = 0x0a;
const CR = 0x0d;
const BOM = [0xef, 0xbb, 0xbf];

/**
 * An incremental parser of Server-Sent Events, by the rules of the HTML standard.
 *
 * Chunks may be cut anywhere and reused after `push` returns. An event is delivered with the last byte of the
 * blank line that ends it, a bare CR included; what the stream ends in without one is never delivered.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
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
    if (line === '') {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(':');
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (colon === 0) this.#options.onComment?.(value);
    else this.#field(colon < 0 ? line : line.slice(0, colon), value, bytes.length);
  }

  #field(name: string, value: string, bytes: number): void {
    switch (name) {
      case 'data':
        this.#data.push(value);
        this.#dataBytes += bytes;
        break;
      case 'event':
        this.#event = value;
        break;
      case 'id':
        if (!value.includes('\0')) this.#idBuffer = value;
        break;
      case 'retry':
        if (/^[0-9]+$/.test(value)) this.#options.onRetry?.(Number(value));
        break;
    }
  }

  #dispatch(): void {
    const event = this.#event === '' ? 'message' : this.#event;
    const data = this.#data;
    this.#lastEventId = this.#idBuffer;
    this.#event = '';
    this.#data = [];
    this.#dataBytes = 0;
    // No data line at all; a single empty one is an event with empty data.
    if (data.length > 0) this.#options.onEvent({ event, id: this.#lastEventId, data: data.join('\n') });
  }
}

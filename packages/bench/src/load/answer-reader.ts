import { gunzipSync } from 'node:zlib';
import { type AnswerHeader, readAnswerHeader } from './answer-header.ts';
import { ChunkedBody } from './chunked-body.ts';
import { findStamp, readStamp } from './stamp.ts';

const LAST_CHUNK = Buffer.from('0\r\n\r\n');
const CHUNK_LINE_END = '\r\n'.length;

/** An answer that has come whole. */
export interface Answer extends AnswerHeader {
  /** Length on the wire, header included. */
  readonly wholeBytes: number;
  /** The instant of the first stamp in its body, microseconds; `undefined` where there is none. */
  readonly stampMicros: number | undefined;
}

/**
 * Reads the answers of one connection, one after the other, in whatever pieces they come. An answer that comes in one piece is
 * read where it lies.
 */
export class AnswerReader {
  #kept: Buffer | undefined;
  #keptBytes = 0;
  #header: AnswerHeader | undefined;

  /** Whether a part of an answer has come. */
  get isWithin(): boolean {
    return this.#kept !== undefined;
  }

  /**
   * Takes what has come.
   *
   * @param length - how many of the bytes count; they may be used again as soon as it returns
   * @returns the answer, when this was its end
   */
  feed(bytes: Buffer, length: number): Answer | undefined {
    if (this.#kept !== undefined) {
      this.#keep(bytes, length);
      return this.#read(this.#kept, this.#keptBytes);
    }
    const answer = this.#read(bytes, length);
    if (answer === undefined) this.#keep(bytes, length);
    return answer;
  }

  /** Forgets what has come: the connection is another one. */
  begin(): void {
    this.#kept = undefined;
    this.#keptBytes = 0;
    this.#header = undefined;
  }

  #read(bytes: Buffer, length: number): Answer | undefined {
    this.#header ??= readAnswerHeader(bytes, length);
    const header = this.#header;
    if (header === undefined) return undefined;
    const { headerBytes, bodyBytes } = header;
    const end = bodyBytes === undefined ? chunkedEnd(bytes, headerBytes, length) : headerBytes + bodyBytes;
    if (end === undefined || end > length) return undefined;
    this.begin();
    return { ...header, wholeBytes: end, stampMicros: stampOf(header, bytes, end) };
  }

  #keep(bytes: Buffer, length: number): void {
    const { headerBytes = 0, bodyBytes = 0 } = this.#header ?? {};
    const needed = Math.max(this.#keptBytes + length, headerBytes + bodyBytes);
    if (this.#kept === undefined || this.#kept.length < needed) {
      const larger = Buffer.allocUnsafe(needed);
      this.#kept?.copy(larger, 0, 0, this.#keptBytes);
      this.#kept = larger;
    }
    bytes.copy(this.#kept, this.#keptBytes, 0, length);
    this.#keptBytes += length;
  }
}

/** Where a body in chunks ends; `undefined` where its end has not come. */
function chunkedEnd(bytes: Buffer, from: number, length: number): number | undefined {
  for (let at = from; at < length; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0 || lineEnd >= length - 1) return undefined;
    const chunkBytes = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (chunkBytes === 0) return at + LAST_CHUNK.length;
    at = lineEnd + CHUNK_LINE_END + chunkBytes + CHUNK_LINE_END;
  }
  return undefined;
}

function stampOf({ headerBytes, bodyBytes, isGzip }: AnswerHeader, bytes: Buffer, end: number): number | undefined {
  if (end === headerBytes) return undefined;
  if (!isGzip && bodyBytes !== undefined) return firstStamp(bytes, headerBytes, end);
  const coded = bytes.subarray(headerBytes, end);
  const content = bodyBytes === undefined ? Buffer.concat(new ChunkedBody().feed(coded)) : coded;
  const text = isGzip ? gunzipSync(content) : content;
  return firstStamp(text, 0, text.length);
}

function firstStamp(bytes: Buffer, from: number, end: number): number | undefined {
  const at = findStamp(bytes, from, end);
  return at < 0 ? undefined : readStamp(bytes, at);
}

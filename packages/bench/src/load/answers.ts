/*
 * Answers of HTTP/1.1 on plain sockets, read no further than who asks has to know.
 *
 *   bytes of a socket -> AnswerReader.feed() -> { status: 200, wholeBytes: 5432, stampMicros: 7000000, field('etag') }
 */
import { findStamp, readStamp } from '../timing.ts';
import { ChunkedBody } from './event-stream.ts';

/** An answer that has come whole. */
export interface Answer {
  readonly status: number;
  /** Length on the wire, header included. */
  readonly wholeBytes: number;
  /** The instant of the first stamp in its body; `undefined` where there is none. */
  readonly stampMicros: number | undefined;
  /** The value of a header field, by its name in lower case. */
  field(name: string): string | undefined;
}

/**
 * Reads the answers of one connection, one after the other, in whatever pieces they come. An answer that comes in one piece is
 * read where it lies.
 */
export class AnswerReader {
  #kept: Buffer | undefined;

  /** Whether a part of an answer has come. */
  get isWithin(): boolean {
    return this.#kept !== undefined;
  }

  /**
   * Takes what has come, which may be used again as soon as it returns.
   *
   * @returns the answer, when this was its end
   */
  feed(bytes: Buffer): Answer | undefined {
    const whole = this.#kept === undefined ? bytes : Buffer.concat([this.#kept, bytes]);
    const answer = answerIn(whole);
    if (answer !== undefined) this.#kept = undefined;
    else this.#kept = whole === bytes ? Buffer.from(bytes) : whole;
    return answer;
  }
}

const HEADER_END = Buffer.from('\r\n\r\n');
const CHUNK_LINE_END = '\r\n';
const LAST_CHUNK = '0\r\n\r\n';

function answerIn(bytes: Buffer): Answer | undefined {
  const headerEnd = bytes.indexOf(HEADER_END);
  if (headerEnd < 0) return undefined;
  const header = bytes.toString('latin1', 0, headerEnd + CHUNK_LINE_END.length);
  const lower = header.toLowerCase();
  const field = (name: string) => {
    const at = lower.indexOf(`\r\n${name}:`);
    if (at < 0) return undefined;
    const from = at + CHUNK_LINE_END.length + name.length + 1;
    return header.slice(from, header.indexOf(CHUNK_LINE_END, from)).trim();
  };
  const status = Number(header.slice(9, 12));
  const from = headerEnd + HEADER_END.length;
  // Whatever length they state, these have no body.
  const length = status === 304 || status === 204 ? '0' : field('content-length');
  const end = length === undefined ? chunkedEnd(bytes, from) : from + Number(length);
  if (end === undefined || end > bytes.length) return undefined;
  const body = bytes.subarray(from, end);
  const content = length === undefined ? Buffer.concat(new ChunkedBody().feed(body)) : body;
  const at = findStamp(content, 0, content.length);
  return { status, wholeBytes: end, stampMicros: at < 0 ? undefined : readStamp(content, at), field };
}

/** Where a body in chunks ends; `undefined` where its end has not come. */
function chunkedEnd(bytes: Buffer, from: number): number | undefined {
  for (let at = from; at < bytes.length; ) {
    const lineEnd = bytes.indexOf(CHUNK_LINE_END, at);
    if (lineEnd < 0) return undefined;
    const chunkBytes = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (chunkBytes === 0) return at + LAST_CHUNK.length;
    at = lineEnd + chunkBytes + 2 * CHUNK_LINE_END.length;
  }
  return undefined;
}

import { findStamp, readStamp } from '../timing.ts';

/** An answer of HTTP/1.1 that has come whole. */
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
 * Reads the answers of one connection, one after the other, in whatever pieces they come, and no further than who asks has to
 * know. An answer that comes in one piece is read where it lies. All servers here state the length of documents, as the loop in
 * C requires too.
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
   * @throws Error - an answer is in chunks
   */
  feed(bytes: Buffer): Answer | undefined {
    const whole = this.#kept === undefined ? bytes : Buffer.concat([this.#kept, bytes]);
    const answer = answerIn(whole);
    if (answer !== undefined) this.#kept = undefined;
    else this.#kept = whole === bytes ? Buffer.from(bytes) : whole;
    return answer;
  }
}

const LINE_END = '\r\n';
const HEADER_END = Buffer.from(LINE_END + LINE_END);

function answerIn(bytes: Buffer): Answer | undefined {
  const headerEnd = bytes.indexOf(HEADER_END);
  if (headerEnd < 0) return undefined;
  const header = bytes.toString('latin1', 0, headerEnd + LINE_END.length);
  const lower = header.toLowerCase();
  const field = (name: string) => {
    const at = lower.indexOf(`${LINE_END}${name}:`);
    if (at < 0) return undefined;
    const from = at + LINE_END.length + name.length + 1;
    return header.slice(from, header.indexOf(LINE_END, from)).trim();
  };
  const status = Number(header.slice(9, 12));
  const from = headerEnd + HEADER_END.length;
  // Whatever length they state, these have no body.
  const length = status === 304 || status === 204 ? '0' : field('content-length');
  if (field('transfer-encoding') !== undefined) throw new Error(`an answer in chunks: ${header}`);
  // It ends with its connection, as where Node.js refuses a request: then it has never come whole.
  if (length === undefined) return undefined;
  const end = from + Number(length);
  if (end > bytes.length) return undefined;
  const at = findStamp(bytes, from, end);
  return { status, wholeBytes: end, stampMicros: at < 0 ? undefined : readStamp(bytes, at), field };
}

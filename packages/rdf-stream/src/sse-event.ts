import { errors } from './errors.ts';

/** One Server-Sent Event. */
export interface SseEventFields {
  /** Event type; `message` for the reader when absent. */
  readonly event?: string;
  /** What the reader sends back as `Last-Event-ID`; unchanged when absent. */
  readonly id?: string;
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
 * Writes the delay that a reader should keep before it reconnects.
 *
 * @param retryMs - whole milliseconds, >= 0
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
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => `${prefix}${line}\n`)
    .join('');
}

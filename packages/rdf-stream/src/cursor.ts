import { errors } from './errors.ts';

/**
 * A position in a stream's log: everything up to and including `sequence` has been seen.
 *
 * `sequence` 0 is before the first member. Cursors of different epochs have no order: the log was
 * rebuilt in between.
 *
 * @see specs/push.md PUSH-2
 */
export interface Cursor {
  /** The life of the log: 1 to 32 characters of `a-z0-9`. */
  readonly epoch: string;
  /** The sequence number of the last member seen: an integer from 0 to `Number.MAX_SAFE_INTEGER`. */
  readonly sequence: number;
}

// No leading zeros, so that a position has one spelling only and cursors compare as strings in caches.
const PATTERN = /^([a-z0-9]{1,32})-(0|[1-9][0-9]{0,15})$/;

/** Prints a cursor as `<epoch>-<sequence>`. */
export function formatCursor(cursor: Cursor): string {
  return `${cursor.epoch}-${cursor.sequence}`;
}

/**
 * Reads `<epoch>-<sequence>`.
 *
 * @throws {@link StreamError} `ERR_CURSOR_MALFORMED` - anything else
 */
export function parseCursor(text: string): Cursor {
  const match = PATTERN.exec(text);
  const sequence = Number(match?.[2]);
  if (!match || !Number.isSafeInteger(sequence)) {
    // Cut, since the text comes from a request and ends up in answers and logs.
    throw errors.ERR_CURSOR_MALFORMED({ value: text.slice(0, 80) });
  }
  return { epoch: match[1] as string, sequence };
}

/**
 * The order of two cursors: negative, zero or positive; `undefined` when their epochs differ.
 */
export function compareCursors(left: Cursor, right: Cursor): number | undefined {
  return left.epoch === right.epoch ? left.sequence - right.sequence : undefined;
}

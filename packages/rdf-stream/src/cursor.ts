import { errors } from './errors.ts';

/**
 * A position in a stream's log: everything up to and including `sequence` has been seen. Cursors of different epochs have
 * no order: the log was rebuilt in between.
 *
 * @see specs/push.md PUSH-2
 */
export interface Cursor {
  /** The life of the log: 1 to 32 characters of `a-z0-9`. */
  readonly epoch: string;
  /** Of the last member seen: 0, before the first member, to `Number.MAX_SAFE_INTEGER`. */
  readonly sequence: number;
}

// No leading zeros, so that a position has one spelling only and cursors compare as strings in caches.
const PATTERN = /^([a-z0-9]{1,32})-(0|[1-9][0-9]{0,15})$/;

/** Prints a cursor as `<epoch>-<sequence>`. */
export function formatCursor({ epoch, sequence }: Cursor): string {
  return `${epoch}-${sequence}`;
}

/**
 * Reads `<epoch>-<sequence>`.
 *
 * @throws {@link StreamError} `ERR_CURSOR_MALFORMED` - anything else
 */
export function parseCursor(text: string): Cursor {
  const cursor = cursorOf(text);
  // Cut, since the text comes from a request and ends up in answers and logs.
  if (!cursor) throw errors.ERR_CURSOR_MALFORMED({ value: text.slice(0, 80) });
  return cursor;
}

/** As {@link parseCursor}, but `undefined` for anything else. */
export function cursorOf(text: string): Cursor | undefined {
  const [, epoch, digits] = PATTERN.exec(text) ?? [];
  const sequence = Number(digits);
  return epoch !== undefined && Number.isSafeInteger(sequence) ? { epoch, sequence } : undefined;
}

/** The order of two cursors: negative, zero or positive; `undefined` when their epochs differ. */
export function compareCursors(left: Cursor, right: Cursor): number | undefined {
  return left.epoch === right.epoch ? left.sequence - right.sequence : undefined;
}

// Which member stands on which page is arithmetic on sequence numbers, so that every server over the same log
// lays out the same pages.

/** Members on a sealed page. @see specs/documents.md DOC-5 */
export const PAGE_MEMBERS = 250;
/** Members in a tail: whoever lacks more reads pages. @see specs/documents.md DOC-60 */
export const TAIL_MEMBERS = 1000;
/** Pages in a sealed range. */
export const RANGE_PAGES = 100;

/** Index of the page that holds a member: 0 or more. */
export function pageOf(sequence: number): number {
  return Math.floor((sequence - 1) / PAGE_MEMBERS);
}

/** Index of the range that holds a page. */
export function rangeOf(page: number): number {
  return Math.floor(page / RANGE_PAGES);
}

/** Index of the open page: the one that takes the next member. */
export function openPage(headSequence: number): number {
  return pageOf(headSequence + 1);
}

/** The part of the log, in sequence numbers, that a page or range stands for. */
export interface Extent {
  readonly first: number;
  readonly last: number;
}

/** What a page holds when it is full. */
export function extentOfPage(page: number): Extent {
  return { first: page * PAGE_MEMBERS + 1, last: (page + 1) * PAGE_MEMBERS };
}

/** What a range holds when it is full. */
export function extentOfRange(range: number): Extent {
  return { first: extentOfPage(range * RANGE_PAGES).first, last: extentOfPage((range + 1) * RANGE_PAGES - 1).last };
}

/** Whether a page or range is full, and so immutable. */
export function isSealed(extent: Extent, headSequence: number): boolean {
  return extent.last <= headSequence;
}

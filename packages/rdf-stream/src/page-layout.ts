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
  const size = PAGE_MEMBERS * RANGE_PAGES;
  return { first: range * size + 1, last: (range + 1) * size };
}

/** Index of the open page: the one that takes the next member. */
export function openPage(headSequence: number): number {
  return pageOf(headSequence + 1);
}

/** Whether a page or range is full, and so immutable. */
export function isSealed(extent: Extent, headSequence: number): boolean {
  return extent.last <= headSequence;
}

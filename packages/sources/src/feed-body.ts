import { createHash } from 'node:crypto';

/** What one poll brought: all that its reading depends on. */
export interface FeedBody {
  /** The pages, decompressed, in order; one where a feed has no more. */
  readonly pages: readonly Uint8Array[];
  /** Other documents that are read beside it, by name. */
  readonly lookups: Readonly<Record<string, Uint8Array>>;
}

/** Whether two bodies are the same bytes. */
export function isSameBody(left: FeedBody, right: FeedBody): boolean {
  const names = Object.keys(left.lookups);
  return (
    isSamePages(left.pages, right.pages) &&
    names.length === Object.keys(right.lookups).length &&
    names.every((name) => isSameBytes(left.lookups[name], right.lookups[name]))
  );
}

/** Whether the pages of a body are the beginning of those of another, and less than they. */
export function isStartOfBody({ pages }: FeedBody, { pages: whole }: FeedBody): boolean {
  const last = pages.length - 1;
  const there = pages[last];
  const wanted = whole[last];
  if (!there || !wanted || !isSamePages(pages.slice(0, last), whole.slice(0, last))) return false;
  if (there.length === wanted.length) return pages.length < whole.length && isSameBytes(there, wanted);
  return there.length < wanted.length && isSameBytes(there, wanted.subarray(0, there.length));
}

/** How large the pages of a body are together, bytes. */
export function bodyBytes({ pages }: FeedBody): number {
  return pages.reduce((sum, page) => sum + page.length, 0);
}

/** A hash of the pages of a body: equal for equal bytes. */
export function bodyHash({ pages }: FeedBody): string {
  const hash = createHash('sha256');
  for (const page of pages) hash.update(page);
  return hash.digest('base64');
}

function isSamePages(left: readonly Uint8Array[], right: readonly Uint8Array[]): boolean {
  return left.length === right.length && left.every((page, index) => isSameBytes(page, right[index]));
}

function isSameBytes(left: Uint8Array | undefined, right: Uint8Array | undefined): boolean {
  return left === right || (left !== undefined && right !== undefined && Buffer.compare(left, right) === 0);
}

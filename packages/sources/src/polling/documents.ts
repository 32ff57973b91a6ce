/* All bytes of one poll: the documents beside a feed, which change less often than it, then its pages in order.
 *
 *   gbfs.json (directory) -> { url: 'https://h/station_status.json', lookups: { information: { url, ... } } }
 *     -> station_information.json, if that is due -> page 1 -> page 2 ...
 *     -> { pages: [bytes, bytes], lookups: { information: bytes } }
 *
 * Each is asked for by the validators that came with it. A document beside the feed that cannot be gotten stays as it was;
 * a page that cannot be gotten fails the poll. */

import { createHash } from 'node:crypto';
import { MAX_RETRY_AFTER_MS } from '@ldes-live/latency';
import { isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import { named, parsedUrl, printableUrl, requestedWaitMs } from '../options.ts';
import type { Slices } from '../slices.ts';
import type { GetAnswer, Validators } from './fetch.ts';

/** How soon a document that could not be gotten is asked for again, milliseconds; its own interval if that is less. */
export const LOOKUP_RETRY_MS = 60_000;

/** How many bytes are hashed at once. */
const HASHED_BYTES = 4 * 1024 * 1024;

/** Gets a document of a feed: with its header fields, where they may be sent, and within its limits. */
export type GetDocument = (url: string, validators: Validators | undefined, limitBytes?: number) => Promise<GetAnswer>;

/** Where a feed is, and the documents that are read beside it. */
export interface FeedPlace {
  /** Of its first page; absolute, http or https. */
  readonly url: string;
  /** By name. */
  readonly lookups: Readonly<Record<string, PolledLookup>>;
}

/** A document that says where a feed is. */
export interface FeedDirectory {
  readonly lookup: PolledLookup;
  /** Where its bytes say that the feed is; what it throws fails the poll. */
  readonly place: (bytes: Uint8Array) => FeedPlace | Promise<FeedPlace>;
}

/** A document beside a feed that changes less often than it. */
export interface PolledLookup {
  /** Absolute, http or https. */
  readonly url: string;
  /** How often it is gotten, milliseconds. */
  readonly intervalMs: number;
  /** Throws if the bytes are not what they should be: then those from before stay. */
  readonly check: (bytes: Uint8Array) => void | Promise<void>;
}

/** How a feed goes on from page to page. */
export interface Paging {
  /** How many pages are read in one poll, 1 or more. */
  readonly limitPages: number;
  /** Whether a feed that has more pages fails the poll; otherwise those beyond the limit are left unread. */
  readonly needsAll: boolean;
  /** The URL of the page after one, absolute or relative to it; what it throws fails the poll. */
  readonly next: (page: {
    readonly bytes: Uint8Array;
    readonly link: string | undefined;
  }) => string | undefined | Promise<string | undefined>;
}

/** A document as it was gotten last. */
interface FetchedDocument {
  readonly bytes: Uint8Array;
  readonly validators: Validators | undefined;
}

interface FetchedPage extends FetchedDocument {
  /** The URL of the page after it, absolute; absent when it is the last. */
  readonly next: string | undefined;
}

interface FetchedLookup extends FetchedDocument {
  readonly url: string;
  /** When it is to be gotten again, epoch milliseconds. */
  readonly dueMs: number;
}

/** The pages of a feed by the URLs that they were asked for. */
export type FetchedPages = ReadonlyMap<string, FetchedPage>;

/** The documents beside a feed as they were gotten last. */
export interface Auxiliary {
  readonly directory?: FetchedLookup | undefined;
  readonly lookups: Readonly<Record<string, FetchedLookup>>;
}

/** What one poll brought: all that its reading depends on. */
export interface FeedBody {
  /** The pages, decompressed, in order; one where a feed has no more. */
  readonly pages: readonly Uint8Array[];
  /** Other documents that are read beside it, by name. */
  readonly lookups: Readonly<Record<string, Uint8Array>>;
}

/**
 * Gets the documents beside a feed that are due: first the directory, then the lookups, all at once.
 *
 * @returns where the feed is; the documents as they are now; the errors of those that stay as they were
 * @throws {@link StreamError} that of a document of which nothing is held
 * @see specs/sources.md SRC-10, SRC-11
 */
export async function fetchAuxiliary(
  place: FeedPlace | FeedDirectory,
  held: Auxiliary,
  get: GetDocument,
  clock: () => number,
): Promise<{ readonly url: string; readonly auxiliary: Auxiliary; readonly warnings: readonly StreamError[] }> {
  const fetch = (lookup: PolledLookup, former: FetchedLookup | undefined) =>
    // One that has moved is another: that of the former place says nothing of it.
    fetchLookup(lookup, former?.url === lookup.url ? former : undefined, get, clock);
  const directory = 'lookup' in place ? await fetch(place.lookup, held.directory) : undefined;
  const { url, lookups } = 'lookup' in place ? await place.place(directory?.held.bytes as Uint8Array) : place;
  const fetched = await Promise.all(
    Object.entries(lookups).map(async ([name, lookup]) => ({ name, ...(await fetch(lookup, held.lookups[name])) })),
  );
  const problems = [directory?.error, ...fetched.map(({ error }) => error)];
  return {
    url,
    auxiliary: {
      directory: directory?.held,
      lookups: Object.fromEntries(fetched.map(({ name, held: now }) => [name, now])),
    },
    warnings: problems.filter((error) => error !== undefined),
  };
}

async function fetchLookup(
  { url, intervalMs, check }: PolledLookup,
  former: FetchedLookup | undefined,
  get: GetDocument,
  clock: () => number,
): Promise<{ readonly held: FetchedLookup; readonly error?: StreamError }> {
  if (former && isWaiting(former, intervalMs, clock())) return { held: former };
  try {
    const answer = await get(url, former?.validators);
    const dueMs = clock() + intervalMs;
    if (answer.kind === 'unchanged') return { held: { ...(former as FetchedLookup), dueMs } };
    const { bytes, validators } = answer;
    // The bytes that are held may have been read already, and are not read again.
    if (former && isSameBytes(bytes, former.bytes)) return { held: { ...former, validators, dueMs } };
    await check(bytes);
    return { held: { bytes, url, validators, dueMs } };
  } catch (thrown) {
    if (!former) throw thrown;
    const error = named(thrown);
    const askedMs = Math.min(requestedWaitMs(error) ?? 0, MAX_RETRY_AFTER_MS);
    const waitMs = Math.max(Math.min(intervalMs, LOOKUP_RETRY_MS), askedMs);
    // As with a feed: after a body that was not accepted, the next request must bring a whole one.
    return { held: { ...former, validators: undefined, dueMs: clock() + waitMs }, error };
  }
}

// A clock that was set back must not put it off for longer than its interval.
function isWaiting({ dueMs }: FetchedLookup, intervalMs: number, nowMs: number): boolean {
  return nowMs < dueMs && dueMs - nowMs <= Math.max(intervalMs, MAX_RETRY_AFTER_MS);
}

/**
 * What is held once a poll has failed: the feed may have moved, so the directory is due; and a lookup that changed since
 * the body that was last accepted may be at fault, so it is due as a whole.
 *
 * @param accepted - the bytes of the lookups that were read with that body
 */
export function afterFailure({ directory, lookups }: Auxiliary, accepted: FeedBody['lookups']): Auxiliary {
  const suspect = ([name, held]: [string, FetchedLookup]): [string, FetchedLookup] =>
    accepted[name] === held.bytes ? [name, held] : [name, { ...held, validators: undefined, dueMs: 0 }];
  return {
    directory: directory && { ...directory, dueMs: 0 },
    lookups: Object.fromEntries(Object.entries(lookups).map(suspect)),
  };
}

const ONE_PAGE: Paging = { limitPages: 1, needsAll: false, next: () => undefined };

/** All pages of a feed, in order. */
export interface PagesAnswer {
  readonly pages: FetchedPages;
  /** Whether the server said of each that it is the one held. */
  readonly isUnchanged: boolean;
  /** Whether there are more, which were left unread. */
  readonly isLimited: boolean;
}

/**
 * Gets the pages of a feed, one after the other.
 *
 * @param held - the pages that make requests conditional
 * @param limitBytes - of all pages together
 * @throws {@link StreamError} those of `get`, for any of the pages
 * @throws {@link StreamError} `ERR_PAGES_CYCLE` - a page leads to one before it, or to itself
 * @throws {@link StreamError} `ERR_PAGES_TOO_MANY` - over `limitPages`, where all are needed
 * @throws {@link StreamError} `ERR_PAGES_LINK` - what should be the URL of the next page is not one of http or https
 * @see specs/sources.md SRC-5
 */
export async function fetchPages(
  first: string,
  { limitPages, needsAll, next }: Paging = ONE_PAGE,
  held: FetchedPages,
  limitBytes: number,
  get: GetDocument,
): Promise<PagesAnswer> {
  const pages = new Map<string, FetchedPage>();
  let isUnchanged = true;
  let leftBytes = limitBytes;
  let url: string | undefined = first;
  while (url !== undefined) {
    const name = shown(url);
    if (pages.has(url)) throw errors.ERR_PAGES_CYCLE({ url: name });
    if (pages.size === limitPages) {
      if (needsAll) throw errors.ERR_PAGES_TOO_MANY({ url: shown(first), limitPages });
      return { pages, isUnchanged, isLimited: true };
    }
    const former = held.get(url);
    const tooLarge = () => errors.ERR_FEED_TOO_LARGE({ url: name, limitBytes });
    const answer = await get(url, former?.validators, leftBytes).catch((thrown) => {
      // What is left for a page says nothing to an operator.
      throw isStreamError(thrown, 'ERR_FEED_TOO_LARGE') ? tooLarge() : thrown;
    });
    let page = former as FetchedPage;
    if (answer.kind === 'body') {
      isUnchanged = false;
      const { bytes, validators, link } = answer;
      const target = await next({ bytes, link });
      page = { bytes, validators, next: target === undefined ? undefined : targetUrl(target, answer.url) };
    }
    leftBytes -= page.bytes.length;
    if (leftBytes < 0) throw tooLarge();
    pages.set(url, page);
    url = page.next;
  }
  return { pages, isUnchanged, isLimited: false };
}

function targetUrl(target: string, base: string): string {
  const url = parsedUrl(target, base);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href;
  throw errors.ERR_PAGES_LINK({ url: shown(base) });
}

function shown(url: string): string {
  return printableUrl(new URL(url));
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
  const isShorter = pages.length < whole.length || there.length < wanted.length;
  return isShorter && isSameBytes(there, wanted.subarray(0, there.length));
}

/** How large the pages of a body are together, bytes. */
export function bodyBytes({ pages }: FeedBody): number {
  return pages.reduce((sum, page) => sum + page.length, 0);
}

/** A hash of the pages of a body: equal for equal bytes. */
export async function bodyHash({ pages }: FeedBody, slices: Slices): Promise<string> {
  const hash = createHash('sha256');
  for (const page of pages) {
    for (let start = 0; start < page.length; start += HASHED_BYTES) {
      if (slices.isOver) await slices.next();
      hash.update(page.subarray(start, start + HASHED_BYTES));
    }
  }
  return hash.digest('base64');
}

function isSamePages(left: readonly Uint8Array[], right: readonly Uint8Array[]): boolean {
  return left.length === right.length && left.every((page, index) => isSameBytes(page, right[index]));
}

function isSameBytes(left: Uint8Array | undefined, right: Uint8Array | undefined): boolean {
  return left === right || (left !== undefined && right !== undefined && Buffer.compare(left, right) === 0);
}

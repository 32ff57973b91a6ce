import { createHash } from 'node:crypto';
import { MAX_RETRY_AFTER_MS } from '@ldes-live/latency';
import { isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import { named, parsedUrl, printableUrl, requestedWaitMs, splitCredentials } from '../options.ts';
import type { SourceEnvironment } from '../source.ts';
import { type HttpGetAnswer, type HttpGetLimits, httpGet, type Validators } from './fetch.ts';

/** A page as it was gotten last. */
interface HeldPage {
  readonly bytes: Uint8Array;
  readonly validators: Validators | undefined;
  /** The URL of the page after it, absolute; absent when it is the last. */
  readonly next?: string;
}

/** The pages of a feed by the URLs that they were asked for. */
export type HeldPages = ReadonlyMap<string, HeldPage>;

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

/** Pages to get. */
export interface PagesRequest {
  /** The first one; absolute, http or https. */
  readonly url: string;
  /** Sent to the origin of `home`, and nowhere else. */
  readonly headers: Readonly<Record<string, string>>;
  /** The URL whose origin the header fields, and the user that it has, are meant for. */
  readonly home: string;
  /** `limitBytes` holds for all pages together, the times for each. */
  readonly limits: HttpGetLimits;
  /** One page when absent. */
  readonly paging?: Paging;
  /** Pages that the caller holds, which make requests conditional. */
  readonly held: HeldPages;
}

/** All pages of a feed, in order. */
export interface Pages {
  readonly pages: HeldPages;
  /** Whether the server said of each that it is the one held. */
  readonly isUnchanged: boolean;
  /** Whether there are more, which were left unread. */
  readonly isLimited: boolean;
}

const ONE_PAGE: Paging = { limitPages: 1, needsAll: false, next: () => undefined };

/**
 * Gets the pages of a feed, one after the other, each by a conditional request if it is held.
 *
 * @throws {@link StreamError} those of `httpGet`, for any of the pages
 * @throws {@link StreamError} `ERR_PAGES_CYCLE` - a page leads to one before it, or to itself
 * @throws {@link StreamError} `ERR_PAGES_TOO_MANY` - over `limitPages`, where all are needed
 * @throws {@link StreamError} `ERR_PAGES_LINK` - what should be the URL of the next page is none of http or https
 * @see specs/sources.md SRC-5
 */
export async function getPages(
  request: PagesRequest,
  edge: Pick<SourceEnvironment, 'fetch' | 'clock' | 'sleep'>,
  signal: AbortSignal,
): Promise<Pages> {
  const { limitPages, needsAll, next } = request.paging ?? ONE_PAGE;
  const pages = new Map<string, HeldPage>();
  let isUnchanged = true;
  let leftBytes = request.limits.limitBytes;
  let url: string | undefined = request.url;
  while (url !== undefined) {
    if (pages.has(url)) throw errors.ERR_PAGES_CYCLE({ url: shown(url) });
    if (pages.size === limitPages) {
      if (needsAll) throw errors.ERR_PAGES_TOO_MANY({ url: shown(request.url), limitPages });
      return { pages, isUnchanged, isLimited: true };
    }
    const held = request.held.get(url);
    const answer = await getPage(url, request, held?.validators, leftBytes, edge, signal);
    let page: HeldPage;
    if (answer.kind === 'unchanged') page = held as HeldPage;
    else {
      isUnchanged = false;
      const { bytes, validators, link } = answer;
      const target = await next({ bytes, link });
      page = { bytes, validators, ...(target === undefined ? {} : { next: targetUrl(target, answer.url) }) };
    }
    leftBytes -= page.bytes.length;
    if (leftBytes < 0) throw tooLarge(url, request.limits.limitBytes);
    pages.set(url, page);
    url = page.next;
  }
  return { pages, isUnchanged, isLimited: false };
}

async function getPage(
  url: string,
  { headers, home, limits }: PagesRequest,
  validators: Validators | undefined,
  limitBytes: number,
  edge: Pick<SourceEnvironment, 'fetch' | 'clock' | 'sleep'>,
  signal: AbortSignal,
): Promise<HttpGetAnswer> {
  try {
    const fields = fieldsFor(url, home, headers);
    return await httpGet({ url, headers: fields, validators, limits: { ...limits, limitBytes } }, edge, signal);
  } catch (thrown) {
    // What is left for a page says nothing to an operator.
    if (isStreamError(thrown, 'ERR_FEED_TOO_LARGE')) throw tooLarge(url, limits.limitBytes);
    throw thrown;
  }
}

/**
 * The header fields for a URL: those of a feed, and the user of its URL, if they are of one origin.
 *
 * @param home - the URL that the fields are meant for
 */
export function fieldsFor(
  url: string,
  home: string,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (new URL(url).origin !== new URL(home).origin) return {};
  const { authorization } = splitCredentials(new URL(home));
  return { ...(authorization === undefined ? {} : { authorization }), ...headers };
}

function targetUrl(target: string, base: string): string {
  const url = parsedUrl(target, base);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href;
  throw errors.ERR_PAGES_LINK({ url: shown(base) });
}

function tooLarge(url: string, limitBytes: number): StreamError {
  return errors.ERR_FEED_TOO_LARGE({ url: shown(url), limitBytes });
}

function shown(url: string): string {
  return printableUrl(new URL(url));
}

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
  readonly place: (bytes: Uint8Array) => FeedPlace;
}

/** What is held of the documents beside a feed. */
export interface HeldBeside {
  readonly directory?: HeldLookup;
  readonly lookups: Readonly<Record<string, HeldLookup>>;
}

/** Where the feed is now, with the documents beside it as they are now. */
export interface BesideFeed {
  readonly url: string;
  readonly held: HeldBeside;
  /** Of documents that stay as they were. */
  readonly problems: readonly StreamError[];
}

/**
 * Gets the documents beside a feed that are due: first the directory, then the lookups, all at once.
 *
 * @throws {@link StreamError} that of a document of which nothing is held
 * @see specs/sources.md SRC-10
 */
export async function besideFeed(
  place: FeedPlace | FeedDirectory,
  held: HeldBeside,
  request: LookupRequest,
  edge: Pick<SourceEnvironment, 'fetch' | 'clock' | 'sleep'>,
  signal: AbortSignal,
): Promise<BesideFeed> {
  const refresh = (lookup: PolledLookup, former: HeldLookup | undefined) =>
    refreshLookup(lookup, former, request, edge, signal);
  const directory = 'lookup' in place ? await refresh(place.lookup, held.directory) : undefined;
  const { url, lookups } = 'lookup' in place ? place.place(directory?.held.bytes as Uint8Array) : place;
  const refreshed = await Promise.all(
    Object.entries(lookups).map(async ([name, lookup]) => ({
      name,
      ...(await refresh(lookup, held.lookups[name])),
    })),
  );
  const errors = [directory?.error, ...refreshed.map(({ error }) => error)];
  return {
    url,
    held: {
      ...(directory && { directory: directory.held }),
      lookups: Object.fromEntries(refreshed.map(({ name, held: now }) => [name, now])),
    },
    problems: errors.filter((error) => error !== undefined),
  };
}

/**
 * What is held once a poll has failed: the feed may have moved, so the directory is due; and a lookup that changed since
 * the body that was last taken may be at fault, so it is due as a whole.
 *
 * @param taken - the bytes of the lookups that were read with that body
 */
export function afterFailure(
  { directory, lookups }: HeldBeside,
  taken: Readonly<Record<string, Uint8Array>>,
): HeldBeside {
  const suspect = ([name, held]: [string, HeldLookup]): [string, HeldLookup] =>
    taken[name] === held.bytes ? [name, held] : [name, { ...held, validators: undefined, dueMs: 0 }];
  return {
    ...(directory && { directory: { ...directory, dueMs: 0 } }),
    lookups: Object.fromEntries(Object.entries(lookups).map(suspect)),
  };
}

/** How soon a document that could not be gotten is asked for again, milliseconds; its own interval if that is less. */
export const LOOKUP_RETRY_MS = 60_000;

/** A document beside a feed that changes less often than it. */
export interface PolledLookup {
  /** Absolute, http or https. */
  readonly url: string;
  /** How often it is gotten, milliseconds. */
  readonly intervalMs: number;
  /** Throws if the bytes are not what they should be: then those from before stay. */
  readonly check: (bytes: Uint8Array) => void | Promise<void>;
}

/** A document as it was gotten last. */
export interface HeldLookup {
  readonly bytes: Uint8Array;
  /** Of where it came from. */
  readonly url: string;
  readonly validators: Validators | undefined;
  /** When it is to be gotten again, epoch milliseconds. */
  readonly dueMs: number;
}

/** What a lookup is now, and what went wrong where it is still the one from before. */
export interface RefreshedLookup {
  readonly held: HeldLookup;
  readonly error?: StreamError;
}

/** What requests of lookups have in common with those of their feed. */
export interface LookupRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** The URL whose origin the header fields are meant for. */
  readonly home: string;
  readonly limits: HttpGetLimits;
}

/**
 * Gets a lookup again if that is due; one that cannot be gotten, or is not what it should be, stays as it was.
 *
 * @param held - as it was gotten last; whatever fails is thrown when there is none
 * @throws {@link StreamError} those of `httpGet`, and what `check` throws - where nothing is held
 * @see specs/sources.md SRC-10
 */
export async function refreshLookup(
  lookup: PolledLookup,
  held: HeldLookup | undefined,
  request: LookupRequest,
  edge: Pick<SourceEnvironment, 'fetch' | 'clock' | 'sleep'>,
  signal: AbortSignal,
): Promise<RefreshedLookup> {
  const { url, intervalMs, check } = lookup;
  const former = held?.url === url ? held : undefined;
  if (former && isWaiting(former, intervalMs, edge.clock())) return { held: former };
  try {
    const headers = fieldsFor(url, request.home, request.headers);
    const answer = await httpGet(
      { url, headers, validators: former?.validators, limits: request.limits },
      edge,
      signal,
    );
    const dueMs = edge.clock() + intervalMs;
    if (answer.kind === 'unchanged') return { held: { ...(former as HeldLookup), dueMs } };
    const { bytes, validators } = answer;
    // The bytes that are held may have been read already, and are not read again.
    const isSame = former !== undefined && Buffer.compare(bytes, former.bytes) === 0;
    if (!isSame) await check(bytes);
    return { held: { bytes: isSame ? former.bytes : bytes, url, validators, dueMs } };
  } catch (thrown) {
    // A lookup that has moved is another: that of the former place says nothing of it.
    if (!former || signal.aborted) throw thrown;
    const error = named(thrown);
    const askedMs = Math.min(requestedWaitMs(error) ?? 0, MAX_RETRY_AFTER_MS);
    const waitMs = Math.max(Math.min(intervalMs, LOOKUP_RETRY_MS), askedMs);
    // As with a feed: after a body that was not taken, the next request must bring a whole one.
    return { held: { ...former, validators: undefined, dueMs: edge.clock() + waitMs }, error };
  }
}

// A clock that was set back must not put it off for longer than its interval.
function isWaiting({ dueMs }: HeldLookup, intervalMs: number, nowMs: number): boolean {
  return nowMs < dueMs && dueMs - nowMs <= Math.max(intervalMs, MAX_RETRY_AFTER_MS);
}

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

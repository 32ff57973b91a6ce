import { isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';
import { printableUrl, splitCredentials } from './feed-url.ts';
import { type HttpGetAnswer, type HttpGetLimits, httpGet } from './http-get.ts';
import { parsedUrl } from './parsed-url.ts';
import type { SourceEnvironment } from './source.ts';
import type { Validators } from './validators.ts';

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

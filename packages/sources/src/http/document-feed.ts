import { checkFeedUrl, checkHeaders, checkInteger, checkShare, MAX_INTERVAL_MS } from '../check-option.ts';
import { printableUrl } from '../feed-url.ts';
import { documentLimits } from '../formats/document-limits.ts';
import { readDocument } from '../formats/read-document.ts';
import { DEFAULT_HTTP_GET_LIMITS } from '../http-get.ts';
import type { CompiledMapping } from '../mapping/compiled-mapping.ts';
import type { PolledSourceOptions } from '../polled-source.ts';
import type { PolledLookup } from '../refresh-lookup.ts';
import { DEFAULT_LIMIT_GONE_SHARE } from '../shrink-guard.ts';
import type { DocumentSourceOptions, HttpSourceLookup } from './http-source-options.ts';
import { mappedReader } from './read-mapped.ts';

/** How often a document is polled that says nothing of it, and of which nothing else is configured, milliseconds. */
export const DEFAULT_INTERVAL_MS = 60_000;

/** The least time between polls that follow what a document says, unless configured, milliseconds. */
export const DEFAULT_LEAST_INTERVAL_MS = 5000;

/** The longest time between polls that follow what a document says, unless configured, milliseconds. */
export const DEFAULT_MOST_INTERVAL_MS = 3_600_000;

/** How often a document beside a feed is gotten, unless configured, milliseconds. */
export const DEFAULT_LOOKUP_INTERVAL_MS = 3_600_000;

/** The most pages that an operator may ask for in one poll. */
const MOST_PAGES = 10_000;

/** How many pages are read in one poll, unless configured. */
export const DEFAULT_LIMIT_PAGES = 100;

/** What sources of documents poll alike. */
export type DocumentFeed = Omit<PolledSourceOptions, 'place' | 'paging'>;

/**
 * Checks what sources of documents have in common, and fills in the defaults.
 *
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - an option out of its range
 */
export function documentFeed(url: URL, options: DocumentSourceOptions): DocumentFeed {
  const { mapping, headers = {}, limits = {}, intervalMs, leastIntervalMs = DEFAULT_LEAST_INTERVAL_MS } = options;
  const { limitBytes, limitHeadersMs, limitBodyMs, limitRedirects } = { ...DEFAULT_HTTP_GET_LIMITS, ...limits };
  const { limitGoneShare = DEFAULT_LIMIT_GONE_SHARE, limitPages = DEFAULT_LIMIT_PAGES } = limits;
  if (intervalMs !== undefined) checkInteger('intervalMs', intervalMs, 1, MAX_INTERVAL_MS);
  checkInteger('leastIntervalMs', leastIntervalMs, 1, MAX_INTERVAL_MS);
  const { mostIntervalMs = Math.max(DEFAULT_MOST_INTERVAL_MS, leastIntervalMs) } = options;
  checkInteger('mostIntervalMs', mostIntervalMs, leastIntervalMs, MAX_INTERVAL_MS);
  checkHeaders('headers', headers);
  checkInteger('limitBytes', limitBytes, 1, Number.MAX_SAFE_INTEGER);
  checkInteger('limitHeadersMs', limitHeadersMs, 1, MAX_INTERVAL_MS);
  checkInteger('limitBodyMs', limitBodyMs, 1, MAX_INTERVAL_MS);
  checkInteger('limitRedirects', limitRedirects, 0, 100);
  checkInteger('limitPages', limitPages, 1, MOST_PAGES);
  checkShare('limitGoneShare', limitGoneShare);
  const origin = options.origin ?? printableUrl(url);
  return {
    origin,
    headers,
    limits: { limitBytes, limitHeadersMs, limitBodyMs, limitRedirects },
    limitGoneShare,
    intervalMs: intervalMs ?? DEFAULT_INTERVAL_MS,
    // An interval that is configured is the operator's word; what the document says is the producer's.
    ...(intervalMs === undefined ? { leastIntervalMs, mostIntervalMs } : {}),
    read: mappedReader({ mapping, origin, limits: documentLimitsOf(options) }),
  };
}

/**
 * The limits of documents, checked.
 *
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - one is out of its range
 */
export function documentLimitsOf({
  limits = {},
}: Pick<DocumentSourceOptions, 'limits'>): ReturnType<typeof documentLimits> {
  const { limitDepth, limitRecords } = limits;
  return documentLimits({
    ...(limitDepth === undefined ? {} : { limitDepth }),
    ...(limitRecords === undefined ? {} : { limitRecords }),
  });
}

/**
 * Checks a lookup of a mapping.
 *
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - its URL or its interval cannot be
 */
export function documentLookup(
  name: string,
  { url, intervalMs = DEFAULT_LOOKUP_INTERVAL_MS }: HttpSourceLookup,
  options: Pick<DocumentSourceOptions, 'limits'> & { readonly mapping: Pick<CompiledMapping, 'lookups'> },
): PolledLookup {
  const { href } = checkFeedUrl(`lookups["${name}"].url`, url);
  checkInteger(`lookups["${name}"].intervalMs`, intervalMs, 1, MAX_INTERVAL_MS);
  const limits = documentLimitsOf(options);
  const reading = options.mapping.lookups[name]?.reads ?? {};
  return { url: href, intervalMs, check: (bytes) => void readDocument(bytes, reading, limits) };
}

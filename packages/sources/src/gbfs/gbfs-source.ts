import type { FeedDirectory, FeedPlace } from '../beside-feed.ts';
import { checkFeedUrl, checkInteger, MAX_INTERVAL_MS } from '../check-option.ts';
import { errors } from '../errors.ts';
import { printableUrl } from '../feed-url.ts';
import { readDocument } from '../formats/read-document.ts';
import { DEFAULT_LOOKUP_INTERVAL_MS, documentFeed, documentLimitsOf, documentLookup } from '../http/document-feed.ts';
import type { HttpSourceLookup } from '../http/http-source-options.ts';
import { createPolledSource } from '../polled-source.ts';
import { type Source, type SourceEnvironment, systemEnvironment } from '../source.ts';
import { feedOfLookup, type GbfsUrls, gbfsUrls, urlOf } from './gbfs-directory.ts';
import { GBFS_FEEDS, type GbfsFeedName, type GbfsSourceOptions } from './gbfs-source-options.ts';

/**
 * Makes the source of a feed of GBFS, versions 1 to 3: the discovery document says where it is, and `last_updated` with
 * `ttl` when it is polled.
 *
 * @param edge - the world as the source sees it; where parts are absent, as it is
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - an option out of its range, an unknown feed, or a lookup of the
 *   mapping that is neither given nor named as a feed
 * @see specs/sources.md SRC-24
 */
export function createGbfsSource(options: GbfsSourceOptions, edge: Partial<SourceEnvironment> = {}): Source {
  const { feed, language, discoveryIntervalMs = DEFAULT_LOOKUP_INTERVAL_MS } = options;
  const url = checkFeedUrl('url', options.url);
  checkInteger('discoveryIntervalMs', discoveryIntervalMs, 1, MAX_INTERVAL_MS);
  checkFeed(feed);
  const common = documentFeed(url, { ...options, origin: options.origin ?? `${printableUrl(url)}#${feed}` });
  const limits = documentLimitsOf(options);
  const lookups = lookupPlaces(options);
  const urlsIn = (bytes: Uint8Array) => gbfsUrls(readDocument(bytes, {}, limits), url.href, feed, language);
  const place: FeedDirectory = {
    lookup: { url: url.href, intervalMs: discoveryIntervalMs, check: (bytes) => void urlsIn(bytes) },
    place: (bytes): FeedPlace => {
      const urls = urlsIn(bytes);
      return {
        url: urlOf(urls, feed) as string,
        lookups: Object.fromEntries(lookups.map(([name, where]) => [name, documentLookup(name, where(urls), options)])),
      };
    },
  };
  return createPolledSource({ ...common, place }, { ...systemEnvironment, ...edge });
}

/** Where the lookups of the mapping are, once it is known where the feeds are. */
function lookupPlaces(options: GbfsSourceOptions): (readonly [string, (urls: GbfsUrls) => HttpSourceLookup])[] {
  const { lookups = {}, mapping, url } = options;
  return Object.keys(mapping.lookups).map((name) => {
    const given = Object.hasOwn(lookups, name) ? lookups[name] : undefined;
    if (given) {
      // Said at the start, not with the first poll.
      documentLookup(name, given, options);
      return [name, () => given] as const;
    }
    const feed = feedOfLookup(name);
    if (!feed) {
      const expected = `the URL of the document, or a mapping whose lookup is named as a feed (${GBFS_FEEDS.join(', ')})`;
      throw errors.ERR_SOURCE_OPTION({ option: `lookups["${name}"]`, value: 'missing', expected });
    }
    return [
      name,
      (urls: GbfsUrls) => {
        const found = urlOf(urls, feed);
        if (found !== undefined) return { url: found };
        throw errors.ERR_GBFS_FEED({ url: printableUrl(new URL(url)), feed, found: [...urls.keys()].join(', ') });
      },
    ] as const;
  });
}

function checkFeed(feed: GbfsFeedName): void {
  if (GBFS_FEEDS.includes(feed)) return;
  throw errors.ERR_SOURCE_OPTION({ option: 'feed', value: `"${feed}"`, expected: `one of ${GBFS_FEEDS.join(', ')}` });
}

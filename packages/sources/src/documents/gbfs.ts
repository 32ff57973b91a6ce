import { errors } from '../errors.ts';
import { checkFeedUrl, checkInteger, MAX_INTERVAL_MS, parsedUrl, printableUrl } from '../options.ts';
import type { FeedDirectory, FeedPlace } from '../polling/documents.ts';
import { createPolledSource } from '../polling/polled-source.ts';
import { type Source, type SourceEnvironment, systemEnvironment } from '../source.ts';
import {
  DEFAULT_LOOKUP_INTERVAL_MS,
  type DocumentSourceOptions,
  documentFeed,
  documentLimitsOf,
  documentLookup,
  type HttpSourceLookup,
} from './http-source.ts';
import { readDocument } from './read-document.ts';

/** The feeds of GBFS that change all the time, and those that say what they are about. */
export const GBFS_FEEDS = [
  'station_status',
  'vehicle_status',
  'free_bike_status',
  'station_information',
  'vehicle_types',
  'system_information',
] as const;

/** The name of a feed, as the discovery document has it. */
export type GbfsFeedName = (typeof GBFS_FEEDS)[number];

/** A feed of a system of shared vehicles. */
export interface GbfsSourceOptions extends DocumentSourceOptions {
  /** Where the discovery document (`gbfs.json`) is: absolute, http or https. */
  readonly url: string;
  /** Which feed. Before version 3, `vehicle_status` is the one that was named `free_bike_status`, and the other way round. */
  readonly feed: GbfsFeedName;
  /**
   * Which language, where the discovery document tells feeds apart by it, as before version 3.
   * @defaultValue the first that has the feed
   */
  readonly language?: string;
  /**
   * How often the discovery document is fetched, milliseconds: 1 to 86400000; and whenever a poll has failed.
   * @defaultValue 3600000, an hour
   */
  readonly discoveryIntervalMs?: number;
  /**
   * Where the lookups of the mapping are, each by its name. One that is not here and is named as a feed, such as
   * `station_information`, is that feed of the same system.
   */
  readonly lookups?: Readonly<Record<string, HttpSourceLookup>>;
}

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
    lookup: { url: url.href, intervalMs: discoveryIntervalMs, check: async (bytes) => void urlsIn(bytes) },
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

/** The URLs of the feeds of a system, by name. */
export type GbfsUrls = ReadonlyMap<string, string>;

/**
 * The URLs that a discovery document (`gbfs.json`) gives: of version 3, where feeds stand in a list; or of those
 * before, where there is a list for each language.
 *
 * @param url - where the document is; what is relative is relative to it
 * @param language - which list; the first that has the feed when absent
 * @throws {@link StreamError} `ERR_GBFS_FEED` - there is no such feed; the message says what there is
 * @see specs/sources.md SRC-24
 */
export function gbfsUrls(document: unknown, url: string, feed: GbfsFeedName, language?: string): GbfsUrls {
  const data = fieldOf(document, 'data');
  const lists = Array.isArray(fieldOf(data, 'feeds'))
    ? [feedsOf(fieldOf(data, 'feeds'), url)]
    : languagesOf(data)
        .filter((name) => language === undefined || name === language)
        .map((name) => feedsOf(fieldOf(fieldOf(data, name), 'feeds'), url));
  const found = lists.find((list) => urlOf(list, feed) !== undefined);
  if (found) return found;
  throw errors.ERR_GBFS_FEED({
    url: printableUrl(new URL(url)),
    feed,
    found: foundText(lists, languagesOf(data), language),
  });
}

/** The URL of a feed; that of vehicles has two names. */
export function urlOf(urls: GbfsUrls, feed: string): string | undefined {
  const other = VEHICLES.get(feed);
  return urls.get(feed) ?? (other === undefined ? undefined : urls.get(other));
}

/**
 * The feed that a lookup of a mapping is by its name: `station_information`, or `information` for short.
 */
export function feedOfLookup(name: string): GbfsFeedName | undefined {
  return [name, `station_${name}`, `vehicle_${name}`]
    .map((one) => GBFS_FEEDS.find((feed) => feed === one))
    .find(Boolean);
}

const VEHICLES: ReadonlyMap<string, string> = new Map([
  ['vehicle_status', 'free_bike_status'],
  ['free_bike_status', 'vehicle_status'],
]);

function feedsOf(list: unknown, base: string): GbfsUrls {
  const urls = new Map<string, string>();
  for (const feed of Array.isArray(list) ? list : []) {
    const name = fieldOf(feed, 'name');
    const target = fieldOf(feed, 'url');
    if (typeof name !== 'string' || typeof target !== 'string') continue;
    const url = parsedUrl(target, base);
    if (url?.protocol === 'http:' || url?.protocol === 'https:') urls.set(name, url.href);
  }
  return urls;
}

function languagesOf(data: unknown): string[] {
  return typeof data === 'object' && data !== null && !Array.isArray(data) ? Object.keys(data) : [];
}

function foundText(lists: readonly GbfsUrls[], languages: readonly string[], language: string | undefined): string {
  const names = [...new Set(lists.flatMap((list) => [...list.keys()]))];
  if (names.length > 0) return names.join(', ');
  return language === undefined || languages.length === 0 ? 'no feeds' : `the languages ${languages.join(', ')}`;
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

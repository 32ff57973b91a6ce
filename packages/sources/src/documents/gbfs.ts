/* A feed of GBFS: its discovery document says where it is, and `last_updated` with `ttl` when it is polled.
 *
 *   { data: { feeds: [{ name: 'station_status', url: 'https://bikes.example/station_status.json' }, ...] } }   version 3
 *   { data: { en: { feeds: [...] }, fr: { feeds: [...] } } }                                            versions 1 and 2 */

import { errors } from '../errors.ts';
import { checkFeedUrl, checkInteger, MAX_INTERVAL_MS, parsedUrl, printableUrl } from '../options.ts';
import type { FeedDirectory } from '../polling/documents.ts';
import { createPolledSource } from '../polling/polled-source.ts';
import { type Source, type SourceEnvironment, systemEnvironment } from '../source.ts';
import {
  DEFAULT_LOOKUP_INTERVAL_MS,
  type DocumentSourceOptions,
  documentFeed,
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
export function createGbfsSource(options: GbfsSourceOptions, environment: Partial<SourceEnvironment> = {}): Source {
  const { feed: name, language, lookups: given = {}, mapping } = options;
  const { discoveryIntervalMs = DEFAULT_LOOKUP_INTERVAL_MS } = options;
  const url = checkFeedUrl('url', options.url);
  checkInteger('discoveryIntervalMs', discoveryIntervalMs, 1, MAX_INTERVAL_MS);
  if (!GBFS_FEEDS.includes(name)) {
    throw errors.ERR_SOURCE_OPTION({ option: 'feed', value: `"${name}"`, expected: `one of ${GBFS_FEEDS.join(', ')}` });
  }
  const origin = options.origin ?? `${printableUrl(url)}#${name}`;
  const { feed, limits, lookup } = documentFeed(url, { ...options, origin });
  // What is given is checked at the start, not with the first poll.
  const lookups = Object.keys(mapping.lookups).map(
    (of) => [of, Object.hasOwn(given, of) ? lookup(of, given[of] as HttpSourceLookup) : feedOfLookup(of)] as const,
  );
  const urlsIn = (bytes: Uint8Array) => gbfsUrls(readDocument(bytes, {}, limits), url, name, language);
  const place: FeedDirectory = {
    lookup: { url: url.href, intervalMs: discoveryIntervalMs, check: (bytes) => void urlsIn(bytes) },
    place(bytes) {
      const urlOfFeed = urlsIn(bytes);
      const polled = lookups.map(([of, where]) => [
        of,
        typeof where === 'string' ? lookup(of, { url: urlOfFeed(where) }) : where,
      ]);
      return { url: urlOfFeed(name), lookups: Object.fromEntries(polled) };
    },
  };
  return createPolledSource({ ...feed, place }, { ...systemEnvironment, ...environment });
}

/** The feed that a lookup of a mapping is by its name: `station_information`, or `information` for short. */
function feedOfLookup(name: string): GbfsFeedName {
  const feed = GBFS_FEEDS.find((one) => [name, `station_${name}`, `vehicle_${name}`].includes(one));
  if (feed) return feed;
  const expected = `the URL of the document, or a mapping whose lookup is named as a feed (${GBFS_FEEDS.join(', ')})`;
  throw errors.ERR_SOURCE_OPTION({ option: `lookups["${name}"]`, value: 'missing', expected });
}

/**
 * Finds the feeds of a system by its discovery document: of version 3, where they stand in a list; or of those before,
 * where there is a list for each language.
 *
 * @param base - where the document is; what is relative is relative to it
 * @param feed - it has to be there; the others are of the same list
 * @param language - which list; the first that has the feed when absent
 * @returns the URL of a feed
 * @throws {@link StreamError} `ERR_GBFS_FEED`, then and there - there is no such feed; the message says what there is
 * @see specs/sources.md SRC-24
 */
function gbfsUrls(document: unknown, base: URL, feed: GbfsFeedName, language?: string): (name: GbfsFeedName) => string {
  const data = fieldOf(document, 'data');
  const list = fieldOf(data, 'feeds');
  const languages = Array.isArray(list) || Array.isArray(data) ? [] : Object.keys(Object(data));
  const lists = Array.isArray(list)
    ? [feedsOf(list, base)]
    : languages
        .filter((name) => language === undefined || name === language)
        .map((name) => feedsOf(fieldOf(fieldOf(data, name), 'feeds'), base));
  const urls = lists.find((one) => urlOf(one, feed) !== undefined);
  const urlOfFeed = (name: GbfsFeedName): string => {
    const url = urls && urlOf(urls, name);
    if (url !== undefined) return url;
    const there = [...new Set((urls ? [urls] : lists).flatMap((one) => [...one.keys()]))];
    const others =
      language !== undefined && languages.length > 0 ? `the languages ${languages.join(', ')}` : 'no feeds';
    throw errors.ERR_GBFS_FEED({ url: printableUrl(base), feed: name, found: there.join(', ') || others });
  };
  urlOfFeed(feed);
  return urlOfFeed;
}

/** That of vehicles has two names. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['vehicle_status', 'free_bike_status'],
  ['free_bike_status', 'vehicle_status'],
]);

function urlOf(urls: ReadonlyMap<string, string>, feed: string): string | undefined {
  return urls.get(feed) ?? urls.get(OTHER_NAMES.get(feed) ?? '');
}

function feedsOf(list: unknown, base: URL): ReadonlyMap<string, string> {
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

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

import { errors } from '../errors.ts';
import { printableUrl } from '../feed-url.ts';
import { parsedUrl } from '../parsed-url.ts';
import { GBFS_FEEDS, type GbfsFeedName } from './gbfs-source-options.ts';

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

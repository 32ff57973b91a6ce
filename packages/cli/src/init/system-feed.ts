import type { Recognition } from './recognition.ts';

/** What a system publishes of what can be rented, the likeliest first. */
const FEEDS = ['station_status', 'vehicle_status', 'free_bike_status'];

/**
 * Which feed of a GBFS system is published: that of its stations, or of its vehicles where it has no stations.
 *
 * @param bytes - the discovery document: feeds in a list, or before version 3 in one for each language
 * @param read - the bytes at a URL: a list of stations may be there and empty
 */
export async function systemFeed(
  bytes: Uint8Array,
  read: (url: string) => Promise<Uint8Array>,
): Promise<Pick<Recognition, 'gbfsFeed'> & { readonly because?: string }> {
  const lists: Lists = JSON.parse(new TextDecoder().decode(bytes)).data;
  const listed = [lists, ...Object.values(lists)].flatMap(({ feeds }) => (Array.isArray(feeds) ? feeds : []));
  const [first, second] = FEEDS.flatMap((name) => listed.find((feed) => feed?.name === name) ?? []);
  if (!first) return {};
  const isEmpty = second !== undefined && first.name === 'station_status' && (await hasNoStations(first.url, read));
  const { name } = isEmpty ? second : first;
  if (name === 'station_status') return { gbfsFeed: name };
  const because = `it lists the feeds of a GBFS system without stations, so ${name} is published`;
  return { gbfsFeed: name, because };
}

type Lists = Readonly<Record<string, { readonly feeds?: readonly { readonly name: string; readonly url: string }[] }>>;

async function hasNoStations(url: string, read: (url: string) => Promise<Uint8Array>): Promise<boolean> {
  try {
    const { stations } = JSON.parse(new TextDecoder().decode(await read(url))).data;
    return Array.isArray(stations) && stations.length === 0;
  } catch {
    // It may not answer just now: what the system lists counts then.
    return false;
  }
}

import type { DocumentSourceOptions, HttpSourceLookup } from '../http/http-source-options.ts';

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

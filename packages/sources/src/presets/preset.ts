import type { Mapping } from '../mapping/schema.ts';

/** What fetches the documents that a preset maps. */
type PresetSource = 'http' | 'gbfs' | 'sensorThings' | 'mqtt';

/**
 * A mapping that ships, and what one has to know to use it.
 *
 * @see specs/presets.md PRE-1
 */
export interface Preset {
  /** What it is of, in a few words. */
  readonly title: string;
  /** What it takes and gives, in a sentence or two. */
  readonly description: string;
  /** Which kind of source it is meant for. */
  readonly source: PresetSource;
  readonly mapping: Mapping;
  /**
   * A URL of the kind that the source takes: for `gbfs` the list of feeds, for `sensorThings` the root of the service,
   * else the document or the broker. `<...>` is where a key, a name or an id has to be put in.
   */
  readonly exampleUrl: string;
  /** URLs of the same kind for the lookups of the mapping, by name; a lookup without one is the user's to find. */
  readonly exampleLookups?: Readonly<Record<string, string>>;
  /** Where the format is documented. */
  readonly documentation: string;
}

import type { MappedProperty, MappedValue, Mapping } from '../mapping/schema.ts';
import { presetPrefixes } from './preset-terms.ts';

// What the files of GBFS have in common.

/** From 2010, before which there was no such feed, to 2100: some feeds send a number of long ago where they know none. */
const meant = { between: { least: 1_262_304_000, most: 4_102_444_800 } };

/** Versions 1 and 2 count seconds, version 3 writes times. */
const reported: MappedValue = { path: 'last_reported', convert: [meant, 'epochOrIso'] };

/** When a station or a vehicle last told of itself. */
export const gbfsReported: MappedProperty = { predicate: 'gbfs:last_reported', ...reported };

/** Times of a file and of its records: `last_updated` and `ttl` say when the next one comes. */
export const gbfsDocument = {
  prefixes: presetPrefixes,
  versionTime: reported,
  ignoreForChange: ['last_reported'],
  documentTime: { path: 'last_updated', convert: 'epochOrIso' },
  documentTtl: { path: 'ttl', convert: 'number' },
} as const satisfies Partial<Mapping>;

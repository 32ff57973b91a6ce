import type { Mapping } from '../mapping/schema.ts';
import { freeSpaces, pageOf, pointOf, presetPrefixes, totalSpaces } from './preset-terms.ts';

/**
 * Occupancy of the car parks of Basel, data set 100088 of `data.bs.ch`.
 *
 * @see specs/presets.md PRE-10
 */
export const parkingBasel: Mapping = {
  prefixes: presetPrefixes,
  records: 'results[*] | [*]',
  subject: '{+stream}/entities/car-parks/{id2}',
  type: 'mv:ParkingGarage',
  versionTime: { path: 'published', convert: 'iso' },
  ignoreForChange: ['published'],
  properties: [
    { predicate: 'dct:identifier', path: 'id2' },
    { predicate: 'rdfs:label', path: 'name', language: 'de' },
    { predicate: 'dct:title', path: 'title', language: 'de' },
    { predicate: 'dct:modified', path: 'published', convert: 'iso' },
    totalSpaces('total'),
    freeSpaces('free'),
    { predicate: 'mv:rateOfOccupancy', path: 'auslastung_prozent', convert: 'decimal' },
    pageOf('link'),
    pointOf('geo_point_2d.lon', 'geo_point_2d.lat'),
  ],
  // Shares that follow from the two counts, and a sentence that repeats one of them.
  leftOut: ['anteil_frei', 'auslastung', 'description'],
};

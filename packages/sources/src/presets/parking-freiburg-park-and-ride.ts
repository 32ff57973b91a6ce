import type { Mapping } from '../mapping/schema.ts';
import { freeSpaces, geometryOf, pageOf, presetPrefixes, takenSpaces, totalSpaces } from './preset-terms.ts';

/**
 * Occupancy of the park-and-ride car parks of Freiburg, counted by sensors: GeoJSON in WGS 84.
 *
 * @see specs/presets.md PRE-12
 */
export const parkingFreiburgParkAndRide: Mapping = {
  reads: { format: 'geojson' },
  prefixes: presetPrefixes,
  timeZone: 'Europe/Berlin',
  records: 'features[*]',
  variables: { park: { path: 'properties.park_id' } },
  subject: '{+stream}/entities/car-parks/{park}',
  type: 'mv:ParkingLot',
  versionTime: { path: 'properties.obs_ts', convert: 'local' },
  ignoreForChange: ['properties.obs_ts'],
  properties: [
    { predicate: 'dct:identifier', path: 'properties.park_id' },
    { predicate: 'rdfs:label', path: 'properties.park_name', language: 'de' },
    { predicate: 'dct:modified', path: 'properties.obs_ts', convert: 'local' },
    totalSpaces('properties.obs_max'),
    freeSpaces('properties.obs_free'),
    takenSpaces('properties.belegt'),
    pageOf('properties.park_url'),
    {
      predicate: 'schema:containedInPlace',
      node: {
        type: 'schema:Place',
        properties: [{ predicate: 'rdfs:label', path: 'properties.park_zone', language: 'de' }],
      },
    },
    geometryOf('geometry'),
  ],
  // The share of free spaces follows from the counts; the state is a number that nobody explains.
  leftOut: ['type', 'properties.prozent', 'properties.obs_state'],
};

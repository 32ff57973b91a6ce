import type { Mapping } from '../mapping/schema.ts';
import { freeSpaces, pageOf, presetPrefixes, status, totalSpaces } from './preset-terms.ts';

/**
 * Occupancy of the car parks of Freiburg: GeoJSON in metres (EPSG:25832), numbers in strings, local time.
 *
 * @see specs/presets.md PRE-12
 */
export const parkingFreiburg: Mapping = {
  reads: { format: 'geojson' },
  prefixes: presetPrefixes,
  timeZone: 'Europe/Berlin',
  records: 'features[*]',
  variables: { park: { path: 'properties.park_id' } },
  subject: '{+stream}/entities/car-parks/{park}',
  type: 'mv:ParkingGarage',
  versionTime: { path: 'properties.obs_ts', convert: 'local' },
  ignoreForChange: ['properties.obs_ts', 'properties.obs_id'],
  properties: [
    { predicate: 'dct:identifier', path: 'properties.park_id' },
    { predicate: 'rdfs:label', path: 'properties.park_name', language: 'de' },
    { predicate: 'dct:modified', path: 'properties.obs_ts', convert: 'local' },
    totalSpaces('properties.obs_max'),
    freeSpaces('properties.obs_free'),
    // Only 1 is explained by what stands beside it.
    status('properties.obs_state', { '1': 'mv:Operational' }, 'mv:StatusUnknown'),
    pageOf('properties.park_url'),
    {
      predicate: 'schema:containedInPlace',
      node: {
        type: 'schema:Place',
        properties: [{ predicate: 'rdfs:label', path: 'properties.park_zone', language: 'de' }],
      },
    },
    {
      predicate: 'geo:hasGeometry',
      node: {
        type: 'geo:Geometry',
        properties: [
          { predicate: 'geo:asWKT', path: 'geometry.coordinates', convert: [{ crs: 'EPSG:25832' }, 'point'] },
        ],
      },
    },
  ],
  // Row numbers, a share that follows from the two counts, the colour of a sign, and a number that nobody explains.
  leftOut: [
    'type',
    'geometry.type',
    'properties.obs_id',
    'properties.obs_parkid',
    'properties.prozent',
    'properties.free_color',
    'properties.trend',
  ],
};

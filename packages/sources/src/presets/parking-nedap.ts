import type { Mapping } from '../mapping/schema.ts';
import { freeSpaces, pointOf, presetPrefixes, status, totalSpaces } from './preset-terms.ts';

/**
 * Occupancy of car parks by the interface of Nedap, as in Ellwangen.
 *
 * @see specs/presets.md PRE-13
 */
export const parkingNedap: Mapping = {
  prefixes: presetPrefixes,
  subject: '{+stream}/entities/car-parks/{id}',
  type: 'mv:ParkingFacility',
  properties: [
    { predicate: 'dct:identifier', path: 'id', datatype: 'xsd:string' },
    { predicate: 'rdfs:label', path: 'name' },
    status('actualStatus.full', { true: 'mv:Full', false: 'mv:EnoughParkingSpacesAvailable' }),
    totalSpaces('actualStatus.parkingCapacity'),
    freeSpaces('actualStatus.vacantSpaces'),
    pointOf('location.longitude', 'location.latitude'),
  ],
  // What a sign shows, which may be less than there is; a height above sea level of 0; and single bays.
  leftOut: ['actualStatus.displayValue', 'location.altitude', 'bays'],
};

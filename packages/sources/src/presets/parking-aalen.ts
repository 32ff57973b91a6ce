import type { Mapping } from '../mapping/schema.ts';
import { freeSpaces, presetPrefixes, status, takenSpaces, totalSpaces } from './preset-terms.ts';

/**
 * Occupancy of the car parks of Aalen: no id, no time, no place, and a status in German.
 *
 * @see specs/presets.md PRE-13
 */
export const parkingAalen: Mapping = {
  prefixes: presetPrefixes,
  subject: '{+stream}/entities/car-parks/{name}',
  type: 'mv:ParkingGarage',
  properties: [
    { predicate: 'rdfs:label', path: 'name', language: 'de' },
    status('status', { geöffnet: 'mv:Operational', geschlossen: 'mv:Closed', besetzt: 'mv:Full' }, 'mv:StatusUnknown'),
    totalSpaces('max'),
    freeSpaces('free'),
    takenSpaces('occupied'),
  ],
};

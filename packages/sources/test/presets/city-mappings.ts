import type { Mapping } from '../../src/mapping/schema.ts';
import { freeSpaces, presetPrefixes, status, takenSpaces, totalSpaces } from '../../src/presets/preset-terms.ts';

// Mappings of formats that one publisher sends to its partners only: for tests of what mappings can say.

/** CSV with semicolons in Latin-1, times in milliseconds, and how many spaces are taken instead of free. */
export const bietigheimBissingen: Mapping = {
  reads: { format: 'csv', charset: 'iso-8859-1', delimiter: ';' },
  prefixes: presetPrefixes,
  subject: '{+stream}/entities/car-parks/{Name}',
  type: 'mv:ParkingFacility',
  versionTime: { path: 'Timestamp', convert: 'epochMs' },
  ignoreForChange: ['Timestamp'],
  properties: [
    { predicate: 'rdfs:label', path: 'Name', language: 'de' },
    { predicate: 'dct:modified', path: 'Timestamp', convert: 'epochMs' },
    status('OpeningState', { Geöffnet: 'mv:Operational', Geschlossen: 'mv:Closed' }, 'mv:StatusUnknown'),
    totalSpaces('Capacity'),
    takenSpaces('OccupiedSites'),
  ],
};

/** One car park a document, with counts that need not add up. */
export const sensade: Mapping = {
  prefixes: presetPrefixes,
  subject: '{+stream}/entities/car-parks/{parkingLotId}',
  type: 'mv:ParkingLot',
  properties: [
    { predicate: 'dct:identifier', path: 'parkingLotId' },
    { predicate: 'rdfs:label', path: 'parkingLotName' },
    totalSpaces('totalSpaceCount'),
    freeSpaces('availableSpaceCount'),
    takenSpaces('occupiedSpaceCount'),
  ],
};

import type { Mapping } from '../mapping/schema.ts';
import { attribute, ngsiLdPlace, ofAttributes, own, ownEach, shortId } from './ngsi-ld-attribute.ts';
import { presetPrefixes } from './preset-terms.ts';

/**
 * Single spaces of NGSI-LD (`ParkingSpot`), as key-values or normalised.
 *
 * @see specs/presets.md PRE-17
 */
export const ngsiLdParkingSpot: Mapping = {
  prefixes: presetPrefixes,
  variables: { spot: shortId('id', 'ParkingSpot') },
  subject: '{+stream}/entities/spots/{spot}',
  type: 'mv:ParkingSpace',
  versionTime: { path: `status.observedAt | ${attribute('dateModified')} | modifiedAt`, convert: 'iso' },
  ignoreForChange: ['dateModified', 'modifiedAt', 'createdAt'],
  properties: [
    { predicate: 'rdfs:label', path: attribute('name') },
    ownEach('category'),
    own('status'),
    {
      predicate: 'mv:isOccupied',
      path: attribute('status'),
      convert: [{ enum: { values: { free: false, occupied: true }, otherwise: 'absent' } }],
      datatype: 'xsd:boolean',
    },
    { predicate: 'sdm:parkingPermit', path: 'status.parkingPermit.value' },
    {
      predicate: 'schema:containedInPlace',
      ...shortId(
        'refParkingSite.object | refParkingSite.value | refParkingSite',
        'ParkingSite',
        'OffStreetParking',
        'OnStreetParking',
      ),
      iri: '{+base}id/parking-sites/{value}',
    },
    { predicate: 'schema:dateModified', path: attribute('dateModified'), convert: 'iso' },
    ngsiLdPlace,
  ],
  leftOut: [...ofAttributes, 'status.parkingPermit.type', 'createdAt', 'modifiedAt'],
};

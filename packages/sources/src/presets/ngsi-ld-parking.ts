import type { MappedProperty, Mapping } from '../mapping/schema.ts';
import { attribute, ngsiLdPlace, ofAttributes, own, ownEach, shortId } from './ngsi-ld-attribute.ts';
import { freeSpaces, presetPrefixes, status, takenSpaces, totalSpaces } from './preset-terms.ts';

function slotsOf(name: string): MappedProperty[] {
  const count = (field: string): MappedProperty => ({ predicate: `sdm:${field}`, path: field, convert: 'integer' });
  const node = { properties: ['totalSpotNumber', 'availableSpotNumber', 'occupiedSpotNumber'].map(count) };
  return [`${name}.value`, name].map((path) => ({ predicate: `sdm:${name}`, path, node }));
}

function addressAt(path: string): MappedProperty {
  return {
    predicate: 'schema:address',
    path,
    node: {
      type: 'schema:PostalAddress',
      properties: ['streetAddress', 'addressLocality', 'addressCountry', 'addressRegion', 'postalCode'].map((name) => ({
        predicate: `schema:${name}`,
        path: name,
      })),
    },
  };
}

/**
 * Car parks of NGSI-LD (`OffStreetParking`, `OnStreetParking`) by the data models of FIWARE: as key-values or
 * normalised. No context is fetched.
 *
 * @see specs/presets.md PRE-17
 */
export const ngsiLdParking: Mapping = {
  prefixes: presetPrefixes,
  variables: { parking: shortId('id', 'OffStreetParking', 'OnStreetParking') },
  subject: '{+stream}/entities/parkings/{parking}',
  type: 'mv:ParkingFacility',
  versionTime: {
    path: `availableSpotNumber.observedAt | ${attribute('occupancyModified')} | ${attribute('observationDateTime')} | ${attribute('dateModified')} | modifiedAt`,
    convert: 'iso',
  },
  ignoreForChange: ['dateModified', 'modifiedAt', 'createdAt'],
  properties: [
    { predicate: 'rdfs:label', path: attribute('name') },
    { predicate: 'dct:description', path: attribute('description') },
    totalSpaces(attribute('totalSpotNumber')),
    freeSpaces(attribute('availableSpotNumber')),
    takenSpaces(attribute('occupiedSpotNumber')),
    own('occupancy', 'decimal'),
    own('outOfServiceSlotNumber', 'integer'),
    ...slotsOf('fourWheelerSlots'),
    ...slotsOf('twoWheelerSlots'),
    ...slotsOf('unclassifiedSlots'),
    own('vehicleEntranceCount', 'integer'),
    own('vehicleExitCount', 'integer'),
    ownEach('category'),
    ownEach('extCategory'),
    ownEach('allowedVehicleType'),
    ownEach('chargeType'),
    ownEach('requiredPermit'),
    ownEach('layout'),
    { ...own('maximumParkingDuration'), datatype: 'xsd:duration' },
    own('parkingSiteId'),
    status(attribute('status'), { open: 'mv:Operational', closed: 'mv:Closed', full: 'mv:Full' }),
    own('accessModified', 'iso'),
    own('occupancyModified', 'iso'),
    own('observationDateTime', 'iso'),
    { predicate: 'schema:dateModified', path: attribute('dateModified'), convert: 'iso' },
    addressAt('address.value'),
    addressAt('address'),
    ngsiLdPlace,
  ],
  leftOut: [...ofAttributes, 'municipalityInfo', 'address.value.type', 'createdAt', 'modifiedAt'],
};

import type { Mapping } from '../mapping/schema.ts';
import { freeSpaces, pageOf, pointOf, presetPrefixes, status, totalSpaces } from './preset-terms.ts';

/**
 * Occupancy of the car parks of Ghent, by both versions of the interface (`records[].fields`, or flat).
 *
 * @see specs/presets.md PRE-7
 */
export const ghentGarages: Mapping = {
  prefixes: presetPrefixes,
  records: 'records[*].fields | results[*] | [*]',
  variables: { garage: { path: 'id', convert: [{ split: '/' }, { item: -1 }] } },
  subject: '{+stream}/entities/garages/{garage}',
  type: 'mv:ParkingFacility',
  versionTime: { path: 'lastupdate', convert: 'iso' },
  ignoreForChange: ['lastupdate'],
  properties: [
    {
      predicate: 'rdf:type',
      path: 'type',
      convert: {
        enum: {
          values: { carPark: 'mv:ParkingGarage', offStreetParkingGround: 'mv:ParkingLot' },
          otherwise: 'absent',
          iri: true,
        },
      },
      iri: true,
    },
    { predicate: 'dct:identifier', path: 'id' },
    { predicate: 'rdfs:label', path: 'name', language: 'nl' },
    { predicate: 'dct:description', path: 'description', language: 'nl' },
    { predicate: 'dct:modified', path: 'lastupdate', convert: 'iso' },
    totalSpaces('totalcapacity'),
    freeSpaces('availablecapacity'),
    { predicate: 'mv:rateOfOccupancy', path: 'occupation', convert: 'decimal' },
    status('isopennow', { '1': 'mv:Operational', '0': 'mv:Closed' }),
    status('temporaryclosed', { '1': 'mv:TemporarelyUnavailable' }),
    { predicate: 'datex:parkingOccupancyTrend', path: 'occupancytrend' },
    { predicate: 'schema:openingHours', path: 'openingtimesdescription' },
    {
      predicate: 'mv:operatedBy',
      node: { type: 'schema:Organization', properties: [{ predicate: 'rdfs:label', path: 'operatorinformation' }] },
    },
    {
      predicate: 'mv:price',
      node: {
        type: 'schema:PriceSpecification',
        properties: [{ predicate: 'mv:freeOfCharge', path: 'freeparking', convert: 'bool01' }],
      },
    },
    pageOf('urllinkaddress'),
    {
      predicate: 'schema:address',
      path: 'locationanddimension',
      convert: 'json',
      node: {
        type: 'schema:PostalAddress',
        properties: [
          { predicate: 'schema:streetAddress', path: 'roadName' },
          { predicate: 'schema:telephone', path: 'contactDetailsTelephoneNumber' },
        ],
      },
    },
    pointOf('location.lon | location[1]', 'location.lat | location[0]'),
    { predicate: 'mv:additionalInformation', path: 'text', language: 'nl' },
    { predicate: 'schema:keywords', path: 'categorie', language: 'nl' },
  ],
};

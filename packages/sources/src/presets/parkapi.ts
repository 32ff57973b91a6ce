import type { MappedProperty, Mapping } from '../mapping/schema.ts';
import { freeSpaces, pageOf, pointOf, presetPrefixes, status, totalSpaces } from './preset-terms.ts';

/** Spaces that are kept for a group, as `capacity_...`, with how many of them are free. */
function spacesFor(group: string, suffix: string): MappedProperty[] {
  const forGroup = (type: string, predicate: string, path: string): MappedProperty => ({
    predicate: 'mv:capacity',
    path,
    node: {
      type,
      properties: [
        { predicate: 'mv:validForUserGroup', value: group, iri: true },
        { predicate, path: '$this', convert: 'integer' },
      ],
    },
  });
  return [
    forGroup('mv:Capacity', 'mv:maximumValue', `capacity_${suffix}`),
    forGroup('mv:RealTimeCapacity', 'mv:currentValue', `realtime_free_capacity_${suffix}`),
  ];
}

/**
 * Parking sites in the format of ParkAPI 3, which many cities of Germany send, and MobiData BW publishes.
 *
 * @see specs/presets.md PRE-9
 */
export const parkapi: Mapping = {
  prefixes: presetPrefixes,
  records: 'items[*]',
  variables: { site: { path: 'id | original_uid | uid' } },
  subject: '{+stream}/entities/parking-sites/{site}',
  type: 'mv:ParkingFacility',
  versionTime: { path: 'realtime_data_updated_at | static_data_updated_at', convert: 'iso' },
  ignoreForChange: ['realtime_data_updated_at', 'static_data_updated_at', 'modified_at'],
  properties: [
    {
      predicate: 'rdf:type',
      path: 'type',
      convert: {
        enum: {
          values: {
            CAR_PARK: 'mv:ParkingGarage',
            UNDERGROUND: 'mv:UndergroundParkingGarage',
            OFF_STREET_PARKING_GROUND: 'mv:ParkingLot',
          },
          otherwise: 'absent',
          iri: true,
        },
      },
      iri: true,
    },
    { predicate: 'dct:identifier', path: 'original_uid | uid', datatype: 'xsd:string' },
    { predicate: 'rdfs:label', path: 'name' },
    { predicate: 'dct:description', path: 'description' },
    { predicate: 'dct:modified', path: 'realtime_data_updated_at', convert: 'iso' },
    { predicate: 'schema:dateModified', path: 'static_data_updated_at', convert: 'iso' },
    totalSpaces('capacity'),
    freeSpaces('realtime_free_capacity', 'realtime_capacity'),
    ...spacesFor('mv:PersonsWithDisabledParkingPermit', 'disabled'),
    ...spacesFor('mv:Women', 'woman'),
    ...spacesFor('mv:Families', 'family'),
    status(
      'realtime_opening_status',
      { OPEN: 'mv:Operational', CLOSED: 'mv:Closed', UNKNOWN: 'mv:StatusUnknown' },
      'mv:StatusUnknown',
    ),
    { predicate: 'schema:openingHours', path: 'opening_hours' },
    {
      predicate: 'mv:operatedBy',
      node: { type: 'schema:Organization', properties: [{ predicate: 'rdfs:label', path: 'operator_name' }] },
    },
    { predicate: 'schema:address', path: 'address' },
    pageOf('public_url'),
    {
      predicate: 'mv:vehicleHeightLimitInM',
      path: 'max_height',
      convert: ['number', { multiply: 0.01 }, { round: 2 }, 'decimal'],
    },
    pointOf('lon', 'lat'),
  ],
  // Of the exchange of data, not of the parking site.
  leftOut: [
    'has_realtime_data',
    'source_id',
    'source_uid',
    'created_at',
    'modified_at',
    'purpose',
    'duplicate_of_parking_site_id',
    'group_uid',
    'parking_site_group_id',
    'photo_url',
    'tags',
    'external_identifiers',
    'restrictions',
  ],
};

import type { Mapping } from '../mapping/schema.ts';
import { freeSpaces, pointOf, presetPrefixes, status, takenSpaces, totalSpaces } from './preset-terms.ts';

const OCCUPANCY = 'parkingOccupancy';
const COUNTS = `${OCCUPANCY}.vehicleCountAndRate.vehicleCountWithinInterval`;
const POINT = '$sites.parkingLocation.pointByCoordinates.pointCoordinates';

/**
 * Parking of DATEX II, version 2: the status of sites, joined with their table by the id of the record.
 *
 * @see specs/presets.md PRE-8
 */
export const datex2Parking: Mapping = {
  reads: { format: 'xml' },
  prefixes: presetPrefixes,
  lookups: {
    sites: {
      reads: { format: 'xml' },
      records:
        'payloadPublication.genericPublicationExtension.parkingTablePublication.parkingTable[*].parkingRecord[*] | payloadPublication.parkingTable[*].parkingRecord[*]',
      key: '@id',
      by: 'parkingRecordReference.@id',
    },
  },
  records:
    'payloadPublication.genericPublicationExtension.parkingStatusPublication.parkingRecordStatus[*] | payloadPublication.parkingRecordStatus[*]',
  documentTime: { path: 'payloadPublication.publicationTime', convert: 'iso' },
  variables: { site: { path: 'parkingRecordReference.@id' } },
  subject: '{+stream}/entities/parking-sites/{site}',
  type: 'mv:ParkingFacility',
  versionTime: { path: 'parkingStatusOriginTime', convert: 'iso' },
  ignoreForChange: ['parkingStatusOriginTime', 'parkingRecordReference.@version'],
  properties: [
    {
      predicate: 'rdf:type',
      path: '$sites.parkingLayout',
      convert: {
        enum: {
          values: {
            multiStorey: 'mv:ParkingGarage',
            underground: 'mv:UndergroundParkingGarage',
            automatedParkingGarage: 'mv:AutomatedParkingGarage',
            openSpace: 'mv:ParkingLot',
          },
          otherwise: 'absent',
          iri: true,
        },
      },
      iri: true,
    },
    { predicate: 'dct:identifier', path: 'parkingRecordReference.@id' },
    {
      predicate: 'rdfs:label',
      path: '$sites.parkingName.values.value[*]["#text"] | $sites.parkingName.values.value[*]',
      languagePath: '@lang',
    },
    {
      predicate: 'dct:description',
      path: '$sites.parkingDescription.values.value[*]["#text"] | $sites.parkingDescription.values.value[*]',
      languagePath: '@lang',
    },
    { predicate: 'dct:modified', path: 'parkingStatusOriginTime', convert: 'iso' },
    totalSpaces('$sites.parkingNumberOfSpaces'),
    freeSpaces(`${OCCUPANCY}.parkingNumberOfVacantSpaces`, `${OCCUPANCY}.parkingNumberOfSpacesOverride`),
    takenSpaces(`${OCCUPANCY}.parkingNumberOfOccupiedSpaces`),
    { predicate: 'datex:parkingNumberOfVehicles', path: `${OCCUPANCY}.parkingNumberOfVehicles`, convert: 'integer' },
    { predicate: 'mv:rateOfOccupancy', path: `${OCCUPANCY}.parkingOccupancy`, convert: 'decimal' },
    { predicate: 'datex:parkingOccupancyTrend', path: `${OCCUPANCY}.parkingOccupancyTrend` },
    {
      predicate: 'datex:vehicleCountWithinInterval',
      node: {
        properties: [
          { predicate: 'datex:measurementInterval', path: `${COUNTS}.measurementInterval`, convert: 'seconds' },
          {
            predicate: 'datex:numberOfIncomingVehicles',
            path: `${COUNTS}.numberOfIncomingVehicles.vehicleCount`,
            convert: 'integer',
          },
          {
            predicate: 'datex:numberOfOutgoingVehicles',
            path: `${COUNTS}.numberOfOutgoingVehicles.vehicleCount`,
            convert: 'integer',
          },
        ],
      },
    },
    status(
      'parkingSiteStatus',
      {
        spacesAvailable: 'mv:EnoughParkingSpacesAvailable',
        almostFull: 'mv:OnlyAFewParkingSpacesAvailable',
        full: 'mv:Full',
        fullAtEntrance: 'mv:Full',
      },
      'mv:StatusUnknown',
    ),
    status(
      'parkingSiteOpeningStatus',
      { open: 'mv:Operational', closed: 'mv:Closed', closedAbnormal: 'mv:TemporarelyUnavailable' },
      'mv:StatusUnknown',
    ),
    pointOf(`${POINT}.longitude`, `${POINT}.latitude`),
  ],
  // Of the exchange of data; and when a sign is to say that the site is full.
  leftOut: [
    '@type',
    'parkingRecordReference.@targetClass',
    'parkingRecordReference.@version',
    'overrideParkingThresholds',
    '$sites.@type',
    '$sites.@version',
    '$sites.parkingRecordVersionTime',
    '$sites.parkingLocation.@type',
    '$sites.urbanParkingSiteType',
    '$sites.openingTimes',
  ],
};

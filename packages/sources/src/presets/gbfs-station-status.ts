import type { Mapping } from '../mapping/schema.ts';
import { gbfsDocument, gbfsReported } from './gbfs-document.ts';
import { pointOf } from './preset-terms.ts';

/**
 * Stations of a bike or vehicle sharing system, by GBFS 1, 2 and 3: how many vehicles and docks there are.
 *
 * @see specs/presets.md PRE-3
 */
export const gbfsStationStatus: Mapping = {
  ...gbfsDocument,
  lookups: { information: { records: 'data.stations[*]', key: 'station_id', by: 'station_id' } },
  records: 'data.stations[*]',
  subject: '{+stream}/entities/stations/{station_id}',
  type: 'gbfs:Station',
  properties: [
    { predicate: 'dct:identifier', path: 'station_id', datatype: 'xsd:string' },
    {
      predicate: 'rdfs:label',
      path: '$information.name[*].text | $information.name',
      languagePath: 'language',
    },
    gbfsReported,
    { predicate: 'gbfs:capacity', path: '$information.capacity', convert: 'integer' },
    // One property whichever version the feed has: 3 counts vehicles where 1 and 2 count bikes.
    {
      predicate: 'gbfs:num_vehicles_available',
      path: 'num_vehicles_available | num_bikes_available',
      convert: 'integer',
    },
    { predicate: 'gbfs:num_vehicles_disabled', path: 'num_vehicles_disabled | num_bikes_disabled', convert: 'integer' },
    { predicate: 'gbfs:num_docks_available', path: 'num_docks_available', convert: 'integer' },
    { predicate: 'gbfs:num_docks_disabled', path: 'num_docks_disabled', convert: 'integer' },
    {
      predicate: 'gbfs:vehicle_types_available',
      path: 'vehicle_types_available[*]',
      node: {
        properties: [
          { predicate: 'gbfs:vehicle_type_id', path: 'vehicle_type_id', datatype: 'xsd:string' },
          { predicate: 'gbfs:count', path: 'count', convert: 'integer' },
        ],
      },
    },
    {
      predicate: 'gbfs:vehicle_docks_available',
      path: 'vehicle_docks_available[*]',
      node: {
        properties: [
          { predicate: 'gbfs:vehicle_type_id', path: 'vehicle_type_ids[*]', datatype: 'xsd:string' },
          { predicate: 'gbfs:count', path: 'count', convert: 'integer' },
        ],
      },
    },
    { predicate: 'gbfs:is_installed', path: 'is_installed', convert: 'boolean' },
    { predicate: 'gbfs:is_renting', path: 'is_renting', convert: 'boolean' },
    { predicate: 'gbfs:is_returning', path: 'is_returning', convert: 'boolean' },
    { predicate: 'schema:address', path: '$information.address' },
    pointOf('$information.lon', '$information.lat'),
  ],
  // What is known of a station beyond its name and place belongs to another, slower stream.
  leftOut: [
    '$information.short_name',
    '$information.external_id',
    '$information.cross_street',
    '$information.region_id',
    '$information.post_code',
    '$information.rental_methods',
    '$information.rental_uris',
    '$information.is_virtual_station',
    '$information.station_area',
    '$information.parking_type',
    '$information.parking_hoop',
    '$information.contact_phone',
    '$information.station_opening_hours',
    '$information.city',
    '$information.vehicle_capacity',
    '$information.vehicle_type_capacity',
    '$information.vehicle_types_capacity',
    '$information.vehicle_docks_capacity',
    '$information.is_valet_station',
    '$information.is_charging_station',
  ],
};

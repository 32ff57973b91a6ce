import type { Mapping } from '../mapping/schema.ts';
import { gbfsDocument, gbfsReported } from './gbfs-document.ts';
import { pointOf } from './preset-terms.ts';

/**
 * Vehicles that can be rented now, by GBFS 3 (`vehicle_status`), 2 and 1 (`free_bike_status`).
 *
 * The ids change after each rental by design, so an entity is a stay of a vehicle in the feed and no vehicle: it ends
 * with the id, and nothing says which vehicle it was.
 *
 * @see specs/presets.md PRE-4
 */
export const gbfsVehicleStatus: Mapping = {
  ...gbfsDocument,
  records: 'data.vehicles[*] | data.bikes[*]',
  variables: { id: { path: 'vehicle_id | bike_id' } },
  subject: '{+stream}/entities/available-vehicles/{id}',
  type: 'gbfs:Vehicle',
  properties: [
    gbfsReported,
    { predicate: 'gbfs:is_reserved', path: 'is_reserved', convert: 'boolean' },
    { predicate: 'gbfs:is_disabled', path: 'is_disabled', convert: 'boolean' },
    { predicate: 'gbfs:vehicle_type_id', path: 'vehicle_type_id', datatype: 'xsd:string' },
    { predicate: 'gbfs:current_range_meters', path: 'current_range_meters', convert: 'decimal' },
    { predicate: 'gbfs:current_fuel_percent', path: 'current_fuel_percent', convert: 'decimal' },
    { predicate: 'gbfs:station_id', path: 'station_id', datatype: 'xsd:string' },
    { predicate: 'gbfs:home_station_id', path: 'home_station_id', datatype: 'xsd:string' },
    { predicate: 'gbfs:pricing_plan_id', path: 'pricing_plan_id', datatype: 'xsd:string' },
    { predicate: 'gbfs:vehicle_equipment', path: 'vehicle_equipment[*]' },
    { predicate: 'gbfs:available_until', path: 'available_until', convert: 'epochOrIso' },
    pointOf('lon', 'lat'),
  ],
  // Links that open the operator's own program carry the id of the vehicle.
  leftOut: ['rental_uris'],
};

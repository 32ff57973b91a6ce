import { namedNode } from '@ldes-live/rdf-stream';
import { type DescribedNode, say, sayConcept, sayInteger, sayNode, sayReference, sayString } from './described-node.ts';
import type { TripDescriptor, VehicleDescriptor } from './generated/gtfs-realtime.ts';
import { gtfs } from './standard-terms.ts';

/** Says which trip is meant. */
export function sayTrip(node: DescribedNode, trip: TripDescriptor): void {
  const { term } = node.mapping;
  sayReference(node, gtfs.trip, 'trip', trip.trip_id);
  sayReference(node, gtfs.route, 'route', trip.route_id);
  const instance = tripInstance(node, trip);
  if (instance !== undefined) say(node, term('tripInstance'), namedNode(instance));
  sayInteger(node, term('directionId'), trip.direction_id);
  sayString(node, term('startDate'), trip.start_date);
  sayString(node, term('startTime'), trip.start_time);
  sayConcept(node, term('scheduleRelationship'), 'TripScheduleRelationship', trip.schedule_relationship);
  if (trip.modified_trip) {
    const modified = sayNode(node, term('modifiedTrip'), term('ModifiedTrip'));
    sayString(modified, term('modificationsId'), trip.modified_trip.modifications_id);
    sayReference(modified, term('affectedTrip'), 'trip', trip.modified_trip.affected_trip_id);
    sayString(modified, term('startDate'), trip.modified_trip.start_date);
    sayString(modified, term('startTime'), trip.modified_trip.start_time);
  }
}

/** The IRI of the trip on its day; `undefined` where the feed does not say which day. */
export function tripInstance(node: DescribedNode, trip: TripDescriptor): string | undefined {
  if (!trip.trip_id || !trip.start_date) return undefined;
  return node.mapping.iris.tripInstance(trip.trip_id, trip.start_date, trip.start_time || undefined);
}

/** Says what the feed tells of a vehicle apart from its id and label. */
export function sayVehicle(node: DescribedNode, vehicle: VehicleDescriptor): void {
  const { term, publishLicensePlates } = node.mapping;
  if (publishLicensePlates) sayString(node, term('licensePlate'), vehicle.license_plate);
  sayConcept(node, term('wheelchairAccessible'), 'WheelchairAccessible', vehicle.wheelchair_accessible);
}

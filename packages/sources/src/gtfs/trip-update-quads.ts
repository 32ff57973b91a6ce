import type { Quad } from '@rdfjs/types';
import {
  type DescribedNode,
  describedEntity,
  sayConcept,
  sayDuration,
  sayInteger,
  sayNode,
  sayReference,
  sayString,
  sayTime,
  sayType,
} from './described-node.ts';
import type { StopTimeProperties, StopTimeUpdate, TripProperties, TripUpdate } from './generated/gtfs-realtime.ts';
import type { RtMapping } from './rt-mapping.ts';
import { grt, gtfs, schema, sosa } from './standard-terms.ts';
import { sayTrip, sayVehicle } from './trip-quads.ts';

/**
 * What a trip update says, as RDF. Delays are not carried on to later stops: a reader who wants that has
 * the rule from the specification of GTFS-Realtime.
 *
 * @see specs/gtfs-realtime.md GTFS-16
 */
export function tripUpdateQuads(entity: string, said: TripUpdate, mapping: RtMapping): Quad[] {
  const node = describedEntity(entity, mapping);
  const { term } = mapping;
  sayType(node, grt.TripUpdate);
  sayTime(node, sosa.resultTime, said.timestamp);
  sayTrip(node, said.trip);
  sayReference(node, term('vehicle'), 'vehicle', said.vehicle?.id);
  sayString(node, term('vehicleLabel'), said.vehicle?.label);
  if (said.vehicle) sayVehicle(node, said.vehicle);
  sayDuration(node, term('delay'), said.delay);
  if (said.trip_properties) sayTripProperties(node, said.trip_properties);
  for (const update of said.stop_time_update ?? []) sayStopTimeUpdate(node, update);
  return node.quads;
}

function sayTripProperties(node: DescribedNode, said: TripProperties): void {
  const { term } = node.mapping;
  const properties = sayNode(node, term('tripProperties'), term('TripProperties'));
  sayReference(properties, gtfs.trip, 'trip', said.trip_id);
  sayString(properties, term('startDate'), said.start_date);
  sayString(properties, term('startTime'), said.start_time);
  sayReference(properties, gtfs.shape, 'shape', said.shape_id);
  sayString(properties, gtfs.headsign, said.trip_headsign);
  sayString(properties, gtfs.shortName, said.trip_short_name);
}

function sayStopTimeUpdate(node: DescribedNode, said: StopTimeUpdate): void {
  const { term } = node.mapping;
  const { arrival, departure } = said;
  const update = sayNode(node, term('stopTimeUpdate'), grt.StopTimeUpdate);
  sayInteger(update, gtfs.stopSequence, said.stop_sequence);
  sayReference(update, gtfs.stop, 'stop', said.stop_id);
  sayTime(update, schema.arrivalTime, arrival?.time);
  sayTime(update, schema.departureTime, departure?.time);
  sayDuration(update, term('arrivalDelay'), arrival?.delay);
  sayDuration(update, term('departureDelay'), departure?.delay);
  sayDuration(update, term('arrivalUncertainty'), arrival?.uncertainty);
  sayDuration(update, term('departureUncertainty'), departure?.uncertainty);
  sayTime(update, term('scheduledArrivalTime'), arrival?.scheduled_time);
  sayTime(update, term('scheduledDepartureTime'), departure?.scheduled_time);
  sayConcept(update, term('scheduleRelationship'), 'StopTimeScheduleRelationship', said.schedule_relationship);
  sayConcept(update, term('departureOccupancyStatus'), 'OccupancyStatus', said.departure_occupancy_status);
  if (said.stop_time_properties) sayStopTimeProperties(update, said.stop_time_properties);
}

function sayStopTimeProperties(update: DescribedNode, said: StopTimeProperties): void {
  sayReference(update, update.mapping.term('assignedStop'), 'stop', said.assigned_stop_id);
  sayString(update, gtfs.headsign, said.stop_headsign);
  sayConcept(update, gtfs.pickupType, 'DropOffPickupType', said.pickup_type);
  sayConcept(update, gtfs.dropOffType, 'DropOffPickupType', said.drop_off_type);
}

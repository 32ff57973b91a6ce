import { literal } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { decimalText } from './decimal-text.ts';
import {
  type DescribedNode,
  describedEntity,
  say,
  sayConcept,
  sayDecimal,
  sayInteger,
  sayNode,
  sayReference,
  sayString,
  sayTime,
  sayType,
} from './described-node.ts';
import type { CarriageDetails, Position, VehiclePosition } from './generated/gtfs-realtime.ts';
import type { RtMapping } from './rt-mapping.ts';
import { dct, geo, rdfs, schema, sosa, wgs } from './standard-terms.ts';
import { sayTrip, sayVehicle } from './trip-quads.ts';

/**
 * What a vehicle position says of its vehicle, as RDF: the entity is the vehicle.
 *
 * @see specs/gtfs-realtime.md GTFS-16
 */
export function vehiclePositionQuads(entity: string, said: VehiclePosition, mapping: RtMapping): Quad[] {
  const node = describedEntity(entity, mapping);
  const { term } = mapping;
  sayType(node, schema.Vehicle);
  sayTime(node, sosa.resultTime, said.timestamp);
  sayString(node, dct.identifier, said.vehicle?.id);
  sayString(node, rdfs.label, said.vehicle?.label);
  if (said.vehicle) sayVehicle(node, said.vehicle);
  if (said.trip) sayTrip(node, said.trip);
  // Not gtfs:stop: whether the vehicle is at the stop depends on its status.
  sayReference(node, term('currentStop'), 'stop', said.stop_id);
  sayInteger(node, term('currentStopSequence'), said.current_stop_sequence);
  sayConcept(node, term('currentStatus'), 'VehicleStopStatus', said.current_status);
  if (said.position) sayPosition(node, said.position);
  sayConcept(node, term('congestionLevel'), 'CongestionLevel', said.congestion_level);
  sayOccupancy(node, said);
  for (const carriage of said.multi_carriage_details ?? []) sayCarriage(node, carriage);
  return node.quads;
}

function sayPosition(node: DescribedNode, { latitude, longitude, bearing, odometer, speed }: Position): void {
  const { term } = node.mapping;
  const lat = decimalText(latitude, 'float');
  const long = decimalText(longitude, 'float');
  if (lat !== undefined && long !== undefined) {
    sayDecimal(node, wgs.lat, latitude, 'float');
    sayDecimal(node, wgs.long, longitude, 'float');
    const geometry = sayNode(node, geo.hasGeometry, geo.Geometry);
    say(geometry, geo.asWKT, literal(`POINT (${long} ${lat})`, geo.wktLiteral.value));
  }
  sayDecimal(node, term('bearing'), bearing, 'float');
  sayDecimal(node, term('odometer'), odometer, 'double');
  sayDecimal(node, term('speed'), speed, 'float');
}

function sayOccupancy(node: DescribedNode, said: VehiclePosition | CarriageDetails): void {
  const { term } = node.mapping;
  sayConcept(node, term('occupancyStatus'), 'OccupancyStatus', said.occupancy_status);
  sayInteger(node, term('occupancyPercentage'), said.occupancy_percentage);
}

function sayCarriage(node: DescribedNode, said: CarriageDetails): void {
  const { term } = node.mapping;
  const carriage = sayNode(node, term('carriage'), term('Carriage'));
  sayString(carriage, dct.identifier, said.id);
  sayString(carriage, rdfs.label, said.label);
  sayInteger(carriage, term('carriageSequence'), said.carriage_sequence);
  sayOccupancy(carriage, said);
}

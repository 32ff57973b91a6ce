import type { Quad } from '@rdfjs/types';
import { alertQuads } from './alert-quads.ts';
import type {
  Alert,
  FeedEntity,
  Shape,
  Stop,
  TripModifications,
  TripUpdate,
  VehiclePosition,
} from './generated/gtfs-realtime.ts';
import { genericQuads } from './generic-quads.ts';
import type { EntityKind } from './natural-key.ts';
import type { RtMapping } from './rt-mapping.ts';
import { tripUpdateQuads } from './trip-update-quads.ts';
import { vehiclePositionQuads } from './vehicle-position-quads.ts';

/**
 * What an entity is of one kind, as RDF.
 *
 * @param iri - the IRI that it is published under
 */
export function entityQuads(iri: string, entity: FeedEntity, kind: EntityKind, mapping: RtMapping): Quad[] {
  switch (kind) {
    case 'vehicle':
      return vehiclePositionQuads(iri, entity.vehicle as VehiclePosition, mapping);
    case 'trip_update':
      return tripUpdateQuads(iri, entity.trip_update as TripUpdate, mapping);
    case 'alert':
      return alertQuads(iri, entity.alert as Alert, mapping);
    case 'shape':
      return genericQuads(iri, 'Shape', entity.shape as Shape, mapping);
    case 'stop':
      return genericQuads(iri, 'Stop', entity.stop as Stop, mapping);
    case 'trip_modifications':
      return genericQuads(iri, 'TripModifications', entity.trip_modifications as TripModifications, mapping);
  }
}

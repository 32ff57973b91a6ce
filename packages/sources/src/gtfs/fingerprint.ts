import { hash } from 'node:crypto';
import type { VehicleDescriptor } from './generated/gtfs-realtime.ts';
import type { MessageName, WireMessage } from './messages.ts';

/**
 * The version of the mapping to RDF: raised by 1 with each release that writes other RDF for the same
 * content, so that what a feed still says is published anew.
 */
export const MAPPING_VERSION = 2;

/**
 * Equal for equal content, and for nothing else: a hash of what an entity is of one kind, and of the
 * {@link MAPPING_VERSION}.
 *
 * What changes without anything being new, or is not published, does not count: `FeedEntity.id` and
 * `is_deleted` (which are not part of the content), `TripUpdate.timestamp`, unknown fields, and licence
 * plates unless they are published.
 *
 * @param content - what the entity is, such as its `trip_update`, with its fields in the order that
 * `decodeFeed` gives them
 * @returns 22 characters
 * @see specs/gtfs-realtime.md GTFS-15
 */
export function fingerprint(
  kind: MessageName,
  content: WireMessage,
  options: { readonly licensePlates: boolean },
): string {
  // JSON leaves out what has a symbol for its name, and what is undefined.
  const text = JSON.stringify(counted(kind, content, options.licensePlates));
  return hash('sha256', `${MAPPING_VERSION} ${text}`, 'base64url').slice(0, 22);
}

function counted(kind: MessageName, content: WireMessage, licensePlates: boolean): object {
  const { timestamp, vehicle } = content as { readonly timestamp?: number; readonly vehicle?: VehicleDescriptor };
  const withoutTime = kind === 'TripUpdate' && timestamp !== undefined;
  const withoutPlate = vehicle?.license_plate !== undefined && !licensePlates;
  // Most content is hashed as it is, since copies cost more than the hash.
  if (!withoutTime && !withoutPlate) return content;
  return {
    ...content,
    ...(withoutTime ? { timestamp: undefined } : {}),
    ...(withoutPlate ? { vehicle: { ...vehicle, license_plate: undefined } } : {}),
  };
}

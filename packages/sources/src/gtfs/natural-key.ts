import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { errors } from '../errors.ts';
import {
  type FeedEntity,
  messages,
  type TripDescriptor,
  type VehicleDescriptor,
  type VehiclePosition,
} from './generated/gtfs-realtime.ts';
import { type MessageName, UNKNOWN_FIELDS, type WireMessage } from './messages.ts';

/** What an entity can be: the names of the content fields of `FeedEntity`. */
export type EntityKind = 'trip_update' | 'vehicle' | 'alert' | 'shape' | 'stop' | 'trip_modifications';

/** Which fields make the keys of a feed, where the defaults do not tell its entities apart. */
export interface KeyFields {
  /** Names of fields of `TripDescriptor`, or paths into its unknown fields such as `1001.1`, read as text. */
  readonly trip?: readonly string[];
  /** The same of `VehicleDescriptor`. */
  readonly vehicle?: readonly string[];
}

/** What tells an entity from the others of its kind, from poll to poll. */
export interface NaturalKey {
  /** What kind of thing the parts name. */
  readonly by: 'vehicles' | 'trips' | 'routes' | 'alerts' | 'shapes' | 'stops' | 'trip-modifications';
  /** The values of the key's fields; `undefined` for one that is not set, never the first. */
  readonly parts: readonly (string | undefined)[];
  /** Why it is not the key that it should be. */
  readonly fallback?: string;
}

/** Tells the key of what an entity is of a kind; `undefined` when it has none. */
export type ReadKey = (entity: FeedEntity, kind: EntityKind) => NaturalKey | undefined;

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

type ReadPart = (message: WireMessage) => string | undefined;

const TRIP_KEY = ['trip_id', 'start_date', 'start_time'];
const ROUTE_KEY = ['route_id', 'direction_id', 'start_date', 'start_time'];

/**
 * Makes the function that tells the keys of a feed's entities. `FeedEntity.id` is a key only where the
 * specification gives no other: most producers change it from poll to poll.
 *
 * A field that is the empty string counts as not set. A key without its first field is none; the next
 * one is tried, and the fallback named.
 *
 * @throws {@link StreamError} `ERR_KEY_FIELD` - a configured name is no text or number field of the message
 * @see specs/gtfs-realtime.md GTFS-8
 */
export function createKeyReader(fields: KeyFields = {}): ReadKey {
  const configuredTrip = fields.trip && readParts('TripDescriptor', fields.trip);
  const vehicle = readParts('VehicleDescriptor', fields.vehicle ?? ['id']);
  const trip = readParts('TripDescriptor', TRIP_KEY);
  const route = readParts('TripDescriptor', ROUTE_KEY);

  const tripKey = (descriptor: TripDescriptor): NaturalKey | undefined => {
    const configured = configuredTrip?.(descriptor);
    if (configured) return { by: 'trips', parts: configured };
    const parts = trip(descriptor);
    if (!parts) return withFallback('routes', route(descriptor), 'trip-by-route');
    if (configuredTrip) return { by: 'trips', parts, fallback: 'trip-by-default-key' };
    return parts[1] === undefined
      ? { by: 'trips', parts, fallback: 'trip-without-start-date' }
      : { by: 'trips', parts };
  };

  const positionKey = ({ vehicle: descriptor, trip: on }: VehiclePosition): NaturalKey | undefined => {
    const parts = descriptor && vehicle(descriptor as VehicleDescriptor);
    if (parts) return { by: 'vehicles', parts };
    const key = on && tripKey(on);
    return key && { ...key, fallback: 'vehicle-by-trip' };
  };

  return (entity, kind) => {
    switch (kind) {
      case 'vehicle':
        return entity.vehicle && positionKey(entity.vehicle);
      case 'trip_update':
        return entity.trip_update && tripKey(entity.trip_update.trip);
      case 'alert':
        return idKey('alerts', entity.id);
      case 'shape':
        return idKey('shapes', entity.shape?.shape_id);
      case 'stop':
        return idKey('stops', entity.stop?.stop_id);
      case 'trip_modifications':
        return idKey('trip-modifications', entity.id);
    }
  };
}

function withFallback(
  by: NaturalKey['by'],
  parts: NaturalKey['parts'] | undefined,
  fallback: string,
): NaturalKey | undefined {
  return parts && { by, parts, fallback };
}

function idKey(by: NaturalKey['by'], id: string | undefined): NaturalKey | undefined {
  return id ? { by, parts: [id] } : undefined;
}

function readParts(message: MessageName, fields: readonly string[]) {
  const readers = fields.map((field) => partReader(message, field));
  return (descriptor: WireMessage): (string | undefined)[] | undefined => {
    const parts = readers.map((read) => read(descriptor) || undefined);
    return parts[0] === undefined ? undefined : parts;
  };
}

function partReader(message: MessageName, name: string): ReadPart {
  if (/^\d+(\.\d+)*$/.test(name)) {
    const path = name.split('.').map(Number);
    return (descriptor) => unknownText(descriptor, path);
  }
  const field = Object.entries(messages[message]).find(([key]) => key === name)?.[1];
  if (field === undefined || field.type === 'message') throw errors.ERR_KEY_FIELD({ message, field: name });
  return (descriptor) => {
    const value = (descriptor as Record<string, unknown>)[name];
    return value === undefined ? undefined : String(value);
  };
}

/**
 * The text at a path of field numbers into the unknown fields of a message; of a field that comes twice
 * the last one.
 *
 * @param path - at least one number; what it leads to is read as UTF-8
 * @returns `undefined` where there is nothing, or nothing that can be read on
 */
export function unknownText(message: WireMessage, path: readonly number[]): string | undefined {
  const [first, ...rest] = path;
  const field = message[UNKNOWN_FIELDS]?.findLast(
    ({ number, wireType }) => number === first && wireType === WireType.LengthDelimited,
  );
  if (field === undefined) return undefined;
  try {
    let bytes: Uint8Array | undefined = new BinaryReader(field.bytes).bytes();
    for (const number of rest) bytes = bytes && lastField(bytes, number);
    return bytes && utf8.decode(bytes);
  } catch {
    // The field is not the message that the path takes it for: the same as a path that leads nowhere.
    return undefined;
  }
}

function lastField(bytes: Uint8Array, number: number): Uint8Array | undefined {
  const reader = new BinaryReader(bytes);
  let found: Uint8Array | undefined;
  while (reader.pos < reader.len) {
    const [at, wireType] = reader.tag();
    if (at === number && wireType === WireType.LengthDelimited) found = reader.bytes();
    else reader.skip(wireType, at);
  }
  return found;
}

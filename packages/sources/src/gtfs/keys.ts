/* What tells the entities of a feed apart from poll to poll, and the IRIs that follow from it.
 *
 *   { id: '1630596716_4382', vehicle: { vehicle: { id: '4382' }, ... } }
 *     -> { by: 'vehicles', parts: ['4382'] } -> https://h/vehicles/entities/vehicles/4382
 *
 * `FeedEntity.id` is a key only where the specification gives no other: most producers change it from poll to poll. */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { errors } from '../errors.ts';
import { cutTo, parseTemplate, percentEncoded } from '../mapping/templates.ts';
import { iriSegment, parsedUrl } from '../options.ts';
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
 * Makes the function that tells the keys of a feed's entities.
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
    if (!parts) {
      const byRoute = route(descriptor);
      return byRoute && { by: 'routes', parts: byRoute, fallback: 'trip-by-route' };
    }
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
        // An entity that lacks what is required has its key looked for as well.
        return entity.trip_update?.trip && tripKey(entity.trip_update.trip);
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
function unknownText(message: WireMessage, path: readonly number[]): string | undefined {
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

/**
 * RFC 6570 templates of the IRIs of a feed. `{+base}` is the base URL of the server, `{+stream}` that of the
 * stream: what is below `{+stream}/entities/` the server answers for.
 *
 * Those of entities have `{by}`, what the key names (`vehicles`, `trips`, `routes`, ...), and the list `{key}`, its
 * values; of a vehicle that its trip names, `vehicle` is the last of them. Those of references have `{id}`; a trip
 * instance the list `{key}`: trip, date, time.
 */
export interface IriTemplates {
  /** @defaultValue `{+stream}/entities{/by,key*}` */
  readonly vehiclePosition: string;
  /** @defaultValue `{+stream}/entities{/by,key*}/update` */
  readonly tripUpdate: string;
  /** @defaultValue `{+stream}/entities{/by,key*}` */
  readonly alert: string;
  /** A shape that the timetable does not have. @defaultValue `{+stream}/entities{/by,key*}` */
  readonly addedShape: string;
  /** A stop that the timetable does not have. @defaultValue `{+stream}/entities{/by,key*}` */
  readonly addedStop: string;
  /** @defaultValue `{+stream}/entities{/by,key*}` */
  readonly tripModifications: string;
  /** @defaultValue `{+base}#trips/{id}` */
  readonly trip: string;
  /** A trip on its day. @defaultValue `{+base}#trips{/key*}` */
  readonly tripInstance: string;
  /** @defaultValue `{+base}#routes/{id}` */
  readonly route: string;
  /** @defaultValue `{+base}#stops/{id}` */
  readonly stop: string;
  /** @defaultValue `{+base}#shapes/{id}` */
  readonly shape: string;
  /** @defaultValue `{+base}#vehicles/{id}` */
  readonly vehicle: string;
  /** @defaultValue `{+base}#agencies/{id}` */
  readonly agency: string;
}

/** Where the IRIs of a feed stand. */
export interface BaseUrls {
  readonly base: string;
  readonly stream: string;
}

/** What a member may refer to. */
export type ReferenceKind = 'trip' | 'route' | 'stop' | 'shape' | 'vehicle' | 'agency';

/** Makes the IRIs of a feed. */
export interface EntityIris {
  /**
   * The IRI of an entity.
   * @param occurrence - 1, or more for those that come after an entity of the same key
   */
  entity(kind: EntityKind, key: NaturalKey, occurrence: number): string;
  /** The IRI of what the timetable has under an id. */
  reference(kind: ReferenceKind, id: string): string;
  /** The IRI of a trip on its day. */
  tripInstance(tripId: string, startDate: string, startTime: string | undefined): string;
}

const defaults: IriTemplates = {
  vehiclePosition: '{+stream}/entities{/by,key*}',
  tripUpdate: '{+stream}/entities{/by,key*}/update',
  alert: '{+stream}/entities{/by,key*}',
  addedShape: '{+stream}/entities{/by,key*}',
  addedStop: '{+stream}/entities{/by,key*}',
  tripModifications: '{+stream}/entities{/by,key*}',
  trip: '{+base}#trips/{id}',
  tripInstance: '{+base}#trips{/key*}',
  route: '{+base}#routes/{id}',
  stop: '{+base}#stops/{id}',
  shape: '{+base}#shapes/{id}',
  vehicle: '{+base}#vehicles/{id}',
  agency: '{+base}#agencies/{id}',
};

const templateOfKind: Readonly<Record<EntityKind, keyof IriTemplates>> = {
  vehicle: 'vehiclePosition',
  trip_update: 'tripUpdate',
  alert: 'alert',
  shape: 'addedShape',
  stop: 'addedStop',
  trip_modifications: 'tripModifications',
};

/**
 * Prepares the IRIs of a feed. With the default templates two different keys never have one IRI.
 *
 * @param urls.base - base URL of the server, absolute, ending in `/`
 * @param urls.stream - URL of the stream, absolute
 * @throws {@link StreamError} `ERR_IRI_TEMPLATE` - a template ignores the key, or makes no absolute IRI
 * @see specs/gtfs-realtime.md GTFS-11
 */
export function createEntityIris(urls: BaseUrls, templates: Partial<IriTemplates> = {}): EntityIris {
  const expanders = new Map(
    Object.entries({ ...defaults, ...templates }).map(([name, template]) => [name, expander(urls, name, template)]),
  );
  const expand = (name: keyof IriTemplates, by: string, parts: readonly string[]) =>
    (expanders.get(name) as Expand)(by, parts);
  return {
    entity: (kind, { by, parts }, occurrence) => {
      const key = segments(parts);
      if (occurrence > 1) key.push(`~${occurrence}`);
      // The vehicle of a trip is not the trip.
      if (kind === 'vehicle' && by !== 'vehicles') key.push('vehicle');
      return expand(templateOfKind[kind], by, key);
    },
    reference: (kind, id) => expand(kind, kind, segments([id])),
    tripInstance: (tripId, startDate, startTime) =>
      expand('tripInstance', 'trips', segments([tripId, startDate, startTime])),
  };
}

type Expand = (by: string, parts: readonly string[]) => string;

function expander(urls: BaseUrls, name: string, template: string): Expand {
  const refuse = (): never => {
    throw errors.ERR_IRI_TEMPLATE({ name, template });
  };
  const parts = parseTemplate(template, refuse).map((part) => {
    const isUrl = typeof part === 'object' && (part.name === 'base' || part.name === 'stream');
    return isUrl ? percentEncoded(urls[part.name as keyof BaseUrls], part.reserved) : part;
  });
  const expand: Expand = (by, key) => {
    const values: Readonly<Record<string, readonly string[]>> = { by: [by], key, id: key.slice(0, 1) };
    const write = (part: (typeof parts)[number]) => {
      if (typeof part === 'string') return part;
      const { reserved, prefix, separator } = part;
      const list = values[part.name] ?? refuse();
      return list.map((value) => percentEncoded(cutTo(prefix, value), reserved)).join(separator);
    };
    // Joined at once: a text that is put together step by step takes more memory, and there is one for each entity.
    return parts.map(write).join('');
  };
  const probes = [expand('trips', ['a']), expand('trips', ['b'])];
  if (probes[0] === probes[1] || !probes.every((probe) => parsedUrl(probe))) refuse();
  return expand;
}

/** The parts of a key as path segments. What is not set is `-`, or nothing at the end. */
function segments(parts: readonly (string | undefined)[]): string[] {
  const length = parts.findLastIndex((part) => part !== undefined) + 1;
  return parts.slice(0, length).map(iriSegment);
}

import { parseTemplate } from 'url-template';
import { errors } from '../errors.ts';
import { iriSegment, parsedUrl } from '../options.ts';
import type { EntityKind, NaturalKey } from './natural-key.ts';

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

/** How many IRIs of a template are kept at hand: as many as the largest feeds have stops. */
const REMEMBERED_IRIS = 50_000;

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
  const parsed = parseTemplate(template);
  const expand: Expand = (by, parts) => parsed.expand({ ...urls, by, key: [...parts], id: parts[0] ?? '' });
  const probes = [expand('trips', ['a']), expand('trips', ['b'])];
  if (probes[0] === probes[1] || !probes.every((probe) => parsedUrl(probe))) {
    throw errors.ERR_IRI_TEMPLATE({ name, template });
  }
  return remembered(expand);
}

/** The same ids come back with every poll, and to expand a template costs more than all else of a draft. */
function remembered(expand: Expand): Expand {
  const iris = new Map<string, string>();
  return (by, parts) => {
    const key = JSON.stringify([by, parts]);
    let iri = iris.get(key);
    if (iri === undefined) {
      iri = expand(by, parts);
      // Ids that rotate must not pile up.
      if (iris.size >= REMEMBERED_IRIS) iris.clear();
      iris.set(key, iri);
    }
    return iri;
  };
}

/** The parts of a key as path segments. What is not set is `-`, or nothing at the end. */
function segments(parts: readonly (string | undefined)[]): string[] {
  const length = parts.findLastIndex((part) => part !== undefined) + 1;
  return parts.slice(0, length).map(iriSegment);
}

/* One GTFS-Realtime feed as a snapshot: what is published of it, what has ended, and what was odd.
 *
 *   { id: 'a', vehicle: { vehicle: { id: '12' }, timestamp: 1763805605, ... } }
 *     -> { entity: 'http://h/S/entities/vehicles/12', fingerprint: 'x4f', versionTime: '2025-11-22T10:00:05Z', quads() }
 *
 * Entities are read one after the other, in slices of time: of each its key, its fingerprint and what of it cannot be
 * published. Its quads are made of its bytes once it is known to have changed, since of most polls that is little. So of
 * a feed of 200,000 entities the body and some hundred bytes an entity are kept, and not the tree. */
import { hash } from 'node:crypto';
import { Slices } from '../slices.ts';
import type { Candidate, Snapshot } from '../source.ts';
import type { DecodeLimits } from './decode-limits.ts';
import type { Alert, FeedEntity, VehicleDescriptor } from './generated/gtfs-realtime.ts';
import {
  createEntityIris,
  createKeyReader,
  type EntityIris,
  type EntityKind,
  type IriTemplates,
  type KeyFields,
  type ReadKey,
} from './keys.ts';
import { type MessageName, type MessagePlan, type PlannedField, planOf, type WireMessage } from './messages.ts';
import { dateTimeText, entityQuads, httpIri, isUsableTime, languageTag, type RdfOptions } from './to-rdf.ts';
import { decodeEntity, FeedReader } from './wire.ts';

/**
 * The version of the mapping to RDF: raised by 1 with each release that writes other RDF for the same
 * content, so that what a feed still says is published anew.
 */
export const MAPPING_VERSION = 2;

/** How a feed is read, and becomes RDF. */
export interface RtReaderOptions {
  /** Base URL of the server, absolute, ending in `/`: `{+base}` in the templates. */
  readonly publicUrl: string;
  /** URL of the stream's root: `{+stream}` in the templates. */
  readonly streamUrl: string;
  /** Other fields to make the keys of. */
  readonly keys?: KeyFields;
  /** Other IRIs. */
  readonly iris?: Partial<IriTemplates>;
  /**
   * Whether licence plates are published: they can be personal data.
   * @defaultValue false
   */
  readonly publishLicensePlates?: boolean;
  readonly limits?: DecodeLimits;
}

/** The options, ready to use. */
interface Reading extends RdfOptions {
  readonly readKey: ReadKey;
  readonly iris: EntityIris;
  readonly limits: DecodeLimits;
}

/**
 * Prepares the reading of a feed: the function takes a body, decompressed, and throws what `decodeFeed` throws.
 *
 * Two entities of one key are told apart where the key is a trip's, since feeds do run two trains under one
 * trip: the second gets the key with `~2`, the third with `~3`. Of other entities of one key the last counts.
 *
 * @throws {@link StreamError} `ERR_KEY_FIELD` - `keys` names what is no field
 * @throws {@link StreamError} `ERR_IRI_TEMPLATE` - a template of `iris` does not make one IRI per key
 * @see specs/gtfs-realtime.md GTFS-9
 */
export function createRtReader(options: RtReaderOptions): (bytes: Uint8Array) => Promise<Snapshot> {
  const { publicUrl, streamUrl, keys, iris, publishLicensePlates = false, limits = {} } = options;
  const reading = {
    readKey: createKeyReader(keys),
    iris: createEntityIris({ base: publicUrl, stream: streamUrl }, iris),
    publishLicensePlates,
    limits,
  };
  return (bytes) => readFeed(bytes, reading);
}

const messageOfKind = {
  trip_update: 'TripUpdate',
  vehicle: 'VehiclePosition',
  alert: 'Alert',
  shape: 'Shape',
  stop: 'Stop',
  trip_modifications: 'TripModifications',
} as const satisfies Readonly<Record<EntityKind, MessageName>>;

const entityKinds = Object.keys(messageOfKind) as readonly EntityKind[];
const keyedById: readonly EntityKind[] = ['alert', 'trip_modifications'];

async function readFeed(bytes: Uint8Array, reading: Reading): Promise<Snapshot> {
  const { readKey, iris, publishLicensePlates, limits } = reading;
  const reader = new FeedReader(bytes, limits);
  const slices = new Slices();
  const candidates = new Map<string, Candidate>();
  const occurrences = new Map<string, number>();
  const deleted = new Set<string>();
  const unreadable: string[] = [];
  const findings: Record<string, number> = {};
  const count = (finding: string) => {
    findings[finding] = (findings[finding] ?? 0) + 1;
  };
  let unnamedRecords = 0;

  const add = (entity: FeedEntity, kind: EntityKind, start: number, end: number): void => {
    const key = readKey(entity, kind);
    if (key === undefined) {
      count(`entity-without-key:${kind}`);
      return;
    }
    if (key.fallback !== undefined) count(`key-fallback:${key.fallback}`);
    const first = iris.entity(kind, key, 1);
    let occurrence = 1;
    if (candidates.has(first)) {
      count(`key-collision:${kind}`);
      occurrence = (occurrences.get(first) ?? 1) + 1;
      occurrences.set(first, occurrence);
    }
    const isTold = key.by === 'trips' || key.by === 'routes';
    const iri = isTold && occurrence > 1 ? iris.entity(kind, key, occurrence) : first;
    const content = entity[kind] as WireMessage & { readonly timestamp?: number };
    const message = messageOfKind[kind];
    findUnusableValues(message, content, count);
    const print = fingerprint(message, content, { licensePlates: publishLicensePlates });
    const versionTime = content.timestamp === undefined ? undefined : dateTimeText(content.timestamp);
    // Holds the bytes, and nothing that was read of them.
    const quads = () => entityQuads(iri, decodeEntity(bytes.subarray(start, end)), kind, reading);
    candidates.set(iri, { entity: iri, fingerprint: print, versionTime, quads });
  };

  for (const { entity: read, skipped, start, end } of reader.entities()) {
    if (slices.isOver) await slices.next();
    const entity = skipped === undefined ? (read as FeedEntity) : { id: '', ...read };
    const kinds = entityKinds.filter((kind) => entity[kind] !== undefined);
    const irisOf = (of: readonly EntityKind[]) =>
      of.flatMap((kind) => {
        const key = readKey(entity, kind);
        return key ? [iris.entity(kind, key, 1)] : [];
      });
    if (skipped !== undefined) {
      count(`skipped-entity:${skipped}`);
      if (skipped === 'limitEntityBytes') unnamedRecords += 1;
      unreadable.push(...irisOf(kinds));
    } else if (entity.is_deleted === true) {
      if (kinds.length === 0) count('deleted-by-id-only');
      for (const iri of irisOf(kinds.length > 0 ? kinds : keyedById)) deleted.add(iri);
    } else {
      if (kinds.length === 0) count('entity-without-content');
      for (const kind of kinds) add(entity, kind, start, end);
    }
  }
  for (const [field, times] of Object.entries(reader.unknownFields)) findings[`unknown-field:${field}`] = times;
  const { timestamp, incrementality } = reader.message.header;
  return {
    entities: [...candidates.values()],
    deleted: [...deleted].filter((iri) => !candidates.has(iri)),
    unreadable,
    unnamedRecords,
    differential: incrementality === 'DIFFERENTIAL',
    findings,
    problems: [],
    headerMs: timestamp === undefined ? undefined : timestamp * 1000,
  };
}

/**
 * Equal for equal content, and for nothing else: a hash of what an entity is of one kind, and of the
 * {@link MAPPING_VERSION}.
 *
 * What changes without anything being new, or is not published, does not count: `FeedEntity.id` and
 * `is_deleted` (which are not part of the content), `TripUpdate.timestamp`, unknown fields, empty strings, and
 * licence plates unless they are published.
 *
 * @param content - what the entity is, such as its `trip_update`, as it was read
 * @returns 22 characters
 * @see specs/gtfs-realtime.md GTFS-15
 */
export function fingerprint(
  kind: MessageName,
  content: WireMessage,
  options: { readonly licensePlates: boolean },
): string {
  const counted = countedContent(kind, content, options.licensePlates);
  // JSON leaves out what has a symbol for its name, and what is undefined.
  let text = JSON.stringify(counted);
  // Looked for first: a function that is called with each value takes several times as long.
  if (text.includes('""')) text = JSON.stringify(counted, withoutEmpty);
  return hash('sha256', `${MAPPING_VERSION} ${text}`, 'base64url').slice(0, 22);
}

function withoutEmpty(_key: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((one) => one !== '');
  return value === '' ? undefined : value;
}

function countedContent(kind: MessageName, content: WireMessage, licensePlates: boolean): object {
  const { timestamp, vehicle } = content as { readonly timestamp?: number; readonly vehicle?: VehicleDescriptor };
  const withoutTime = kind === 'TripUpdate' && timestamp !== undefined;
  const withoutPlate = vehicle?.license_plate !== undefined && !licensePlates;
  // Most content is hashed as it is, since copies cost more than the hash.
  if (!withoutTime && !withoutPlate) return content;
  return {
    ...content,
    ...(withoutTime && { timestamp: undefined }),
    ...(withoutPlate && { vehicle: { ...vehicle, license_plate: undefined } }),
  };
}

/**
 * Finds the values that the mapping leaves out because they are not what they should be: times that are
 * no POSIX seconds, numbers that are none, language tags that are not well-formed, links that are no web
 * addresses.
 *
 * @see specs/gtfs-realtime.md GTFS-19
 */
function findUnusableValues(kind: MessageName, content: object, count: (finding: string) => void): void {
  walk(planOf(kind), content, count);
  if (kind !== 'Alert') return;
  for (const { text } of (content as Alert).url?.translation ?? []) {
    if (text !== '' && httpIri(text) === undefined) count('unusable-url');
  }
}

function walk(plan: MessagePlan, message: object, count: (finding: string) => void): void {
  for (const [field, check] of checksOf(plan)) {
    const value = (message as Record<string, object | string | undefined>)[field.name];
    // The empty string is a value that is not set.
    if (value === undefined || value === '') continue;
    if (check) {
      if (!check.isUsable(value as never)) count(check.finding);
    } else if (field.repeated) {
      for (const one of value as object[]) walk(field.message as MessagePlan, one, count);
    } else {
      walk(field.message as MessagePlan, value as object, count);
    }
  }
}

interface Check {
  readonly finding: string;
  readonly isUsable: (value: never) => boolean;
}

const checks = new Map<MessagePlan, readonly (readonly [PlannedField, Check | undefined])[]>();

/** What can be unusable in a message, or holds what can: little, so that most of a feed need not be looked at. */
function checksOf(plan: MessagePlan): readonly (readonly [PlannedField, Check | undefined])[] {
  let found = checks.get(plan);
  if (!found) {
    found = plan.fields
      .map((field) => [field, checkOf(field)] as const)
      .filter(([{ message }, check]) => check !== undefined || (message && checksOf(message).length > 0));
    checks.set(plan, found);
  }
  return found;
}

// No list of the specification holds values that can be unusable, other than messages.
function checkOf({ name, type }: PlannedField): Check | undefined {
  if (type === 'uint64' || type === 'int64') return { finding: 'unusable-time', isUsable: isUsableTime };
  if (type === 'float' || type === 'double') return { finding: 'unusable-number', isUsable: Number.isFinite };
  if (name === 'language') return { finding: 'unusable-language', isUsable: (tag) => languageTag(tag) !== undefined };
  if (name === 'url' && type === 'string') {
    return { finding: 'unusable-url', isUsable: (text) => httpIri(text) !== undefined };
  }
  return undefined;
}

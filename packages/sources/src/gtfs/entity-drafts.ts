import type { UpsertDraft } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { countFinding, type FindingCounts } from './finding-counts.ts';
import { fingerprint } from './fingerprint.ts';
import type { FeedEntity } from './generated/gtfs-realtime.ts';
import { deletedIris, keyedContents, unreadableIris } from './keyed-contents.ts';
import type { MessageName, WireMessage } from './messages.ts';
import type { EntityKind } from './natural-key.ts';
import type { RtMapping } from './rt-mapping.ts';
import { dateTimeText, entityQuads } from './to-rdf.ts';
import { findUnusableValues } from './unusable-values.ts';
import type { DecodedFeed } from './wire.ts';

/** What one feed says, entity by entity. */
export interface EntityDrafts {
  /** Each of another entity. The quads are made when they are first read. */
  readonly drafts: readonly UpsertDraft[];
  /** IRIs of the entities that the feed marks as deleted; they need not live. */
  readonly deletedEntities: readonly string[];
  /** IRIs of the entities that the feed has but that cannot be published: they have not ended. */
  readonly unreadableEntities: readonly string[];
  /** What was odd, by name, how often. */
  readonly findings: Readonly<Record<string, number>>;
  /** Whether the feed holds changes only, so that absence says nothing. */
  readonly differential: boolean;
  /** `FeedHeader.timestamp`, POSIX seconds. */
  readonly headerTime?: number;
}

/** Where the drafts come from, and how they are written. */
export interface EntityDraftsOptions {
  /** Which feed of the stream it is. */
  readonly origin: string;
  readonly mapping: RtMapping;
}

/**
 * Makes the drafts of a feed. Pure.
 *
 * Two entities of one key are told apart where the key is a trip's, since feeds do run two trains under one
 * trip: the second gets the key with `~2`, the third with `~3`. Of other entities of one key the last counts.
 * Findings say how often either came up.
 *
 * @see specs/gtfs-realtime.md GTFS-9
 */
export function entityDrafts(decoded: DecodedFeed, options: EntityDraftsOptions): EntityDrafts {
  const { header, entity: entities = [] } = decoded.feed;
  const findings: FindingCounts = new Map();
  for (const [field, count] of Object.entries(decoded.unknownFields))
    countFinding(findings, `unknown-field:${field}`, count);
  for (const { reason } of decoded.skippedEntities) countFinding(findings, `skipped-entity:${reason}`);
  const drafts = new Map<string, UpsertDraft>();
  for (const { iri, entity, kind } of keyedContents(entities, options.mapping, findings)) {
    drafts.set(iri, draftOf(iri, entity, kind, options, findings));
  }
  const deleted = new Set(deletedIris(entities, options.mapping, findings));
  return {
    drafts: [...drafts.values()],
    deletedEntities: [...deleted].filter((iri) => !drafts.has(iri)),
    unreadableEntities: unreadableIris(
      decoded.skippedEntities.map(({ entity }) => entity),
      options.mapping,
    ),
    findings: Object.fromEntries(findings),
    differential: header.incrementality === 'DIFFERENTIAL',
    ...(header.timestamp === undefined ? {} : { headerTime: header.timestamp }),
  };
}

function draftOf(
  iri: string,
  entity: FeedEntity,
  kind: EntityKind,
  { origin, mapping }: EntityDraftsOptions,
  findings: FindingCounts,
): UpsertDraft {
  const content = entity[kind] as WireMessage & { readonly timestamp?: number };
  const message = messageOfKind[kind];
  findUnusableValues(message, content, (finding) => countFinding(findings, finding));
  const versionTime = content.timestamp === undefined ? undefined : dateTimeText(content.timestamp);
  return new EntityDraft(
    {
      entity: iri,
      origin,
      fingerprint: fingerprint(message, content, { licensePlates: mapping.publishLicensePlates }),
      ...(versionTime === undefined ? {} : { versionTime }),
    },
    () => entityQuads(iri, entity, kind, mapping),
  );
}

/**
 * A draft that makes its quads when they are asked for, which the log does once: most entities of a poll have not
 * changed, and of those nobody asks. It keeps none, since a poll may change thousands. A class, since every object
 * literal with a getter gets a hidden class of its own.
 */
class EntityDraft implements UpsertDraft {
  readonly kind = 'upsert';
  readonly entity: string;
  readonly origin: string;
  readonly fingerprint: string;
  declare readonly versionTime?: string;
  readonly #make: () => readonly Quad[];

  constructor(facts: Pick<UpsertDraft, 'entity' | 'origin' | 'fingerprint' | 'versionTime'>, make: () => Quad[]) {
    this.entity = facts.entity;
    this.origin = facts.origin;
    this.fingerprint = facts.fingerprint;
    if (facts.versionTime !== undefined) this.versionTime = facts.versionTime;
    this.#make = make;
  }

  get quads(): readonly Quad[] {
    return this.#make();
  }
}

const messageOfKind = {
  vehicle: 'VehiclePosition',
  trip_update: 'TripUpdate',
  alert: 'Alert',
  shape: 'Shape',
  stop: 'Stop',
  trip_modifications: 'TripModifications',
} as const satisfies Readonly<Record<EntityKind, MessageName>>;

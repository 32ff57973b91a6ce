import { countFinding, type FindingCounts } from './finding-counts.ts';
import type { FeedEntity } from './generated/gtfs-realtime.ts';
import type { EntityKind } from './natural-key.ts';
import type { RtMapping } from './rt-mapping.ts';

/** What an entity is of one kind, with the IRI that it is published under. */
export interface KeyedContent {
  readonly iri: string;
  readonly entity: FeedEntity;
  readonly kind: EntityKind;
}

/**
 * What the entities of a feed are, kind by kind, in order; the same IRI may come twice.
 *
 * @see specs/gtfs-realtime.md GTFS-9
 */
export function keyedContents(
  entities: readonly FeedEntity[],
  mapping: RtMapping,
  findings: FindingCounts,
): KeyedContent[] {
  const occurrences = new Map<string, number>();
  const living = entities.filter((entity) => entity.is_deleted !== true);
  return living.flatMap((entity) => {
    const kinds = kindsOf(entity);
    if (kinds.length === 0) countFinding(findings, 'entity-without-content');
    return kinds.flatMap((kind) => {
      const key = mapping.readKey(entity, kind);
      if (key === undefined) {
        countFinding(findings, `entity-without-key:${kind}`);
        return [];
      }
      if (key.fallback !== undefined) countFinding(findings, `key-fallback:${key.fallback}`);
      const iri = mapping.iris.entity(kind, key, 1);
      const occurrence = (occurrences.get(iri) ?? 0) + 1;
      occurrences.set(iri, occurrence);
      if (occurrence === 1) return [{ iri, entity, kind }];
      countFinding(findings, `key-collision:${kind}`);
      const byTrip = key.by === 'trips' || key.by === 'routes';
      return [{ iri: byTrip ? mapping.iris.entity(kind, key, occurrence) : iri, entity, kind }];
    });
  });
}

/**
 * The IRIs of what is in the feed but lacks a required field: it can be recognised where its key is whole.
 *
 * @see specs/gtfs-realtime.md GTFS-6
 */
export function unreadableIris(skipped: readonly Partial<FeedEntity>[], mapping: RtMapping): string[] {
  return skipped.flatMap((entity) => {
    const whole = { ...entity, id: entity.id ?? '' };
    return kindsOf(whole).flatMap((kind) => {
      const key = mapping.readKey(whole, kind);
      return key ? [mapping.iris.entity(kind, key, 1)] : [];
    });
  });
}

/**
 * The IRIs of what is marked as deleted. An id alone is enough only for the kinds that are keyed by it.
 *
 * @see specs/gtfs-realtime.md GTFS-14
 */
export function deletedIris(entities: readonly FeedEntity[], mapping: RtMapping, findings: FindingCounts): string[] {
  const deleted = entities.filter((entity) => entity.is_deleted === true);
  return deleted.flatMap((entity) => {
    const kinds = kindsOf(entity);
    if (kinds.length === 0) countFinding(findings, 'deleted-by-id-only');
    return (kinds.length > 0 ? kinds : keyedById).flatMap((kind) => {
      const key = mapping.readKey(entity, kind);
      return key ? [mapping.iris.entity(kind, key, 1)] : [];
    });
  });
}

const entityKinds: readonly EntityKind[] = ['trip_update', 'vehicle', 'alert', 'shape', 'stop', 'trip_modifications'];
const keyedById: readonly EntityKind[] = ['alert', 'trip_modifications'];

function kindsOf(entity: FeedEntity): EntityKind[] {
  return entityKinds.filter((kind) => entity[kind] !== undefined);
}

import type { Draft, LatestView } from '@ldes-live/rdf-stream';
import type { Snapshot } from './snapshot.ts';

/** What a snapshot changes. */
export interface SnapshotDiff {
  /** At most one for each entity: what is new or differs, then what ended. */
  readonly drafts: readonly Draft[];
  /** How many of the drafts are deletes. */
  readonly gone: number;
  /** How many entities of the origin lived before. */
  readonly living: number;
  /** How many of the drafts have a version time before that of the version they replace. */
  readonly versionTimesBack: number;
}

/**
 * Tells what a snapshot changes in the latest state. Pure.
 *
 * In a full dataset an entity of the origin that is absent has ended; in a differential one only those
 * that are named as deleted. Nothing ends that came from another origin, or that is there but cannot be read.
 *
 * A version older than the one it replaces is a draft like any other: what the feed says now is the truth
 * of the moment, and a reader that holds anything else holds what the feed has taken back. It is counted,
 * since it usually means that two machines behind one address disagree.
 *
 * @see specs/gtfs-realtime.md GTFS-38
 */
export function diffSnapshot(snapshot: Snapshot, origin: string, latest: LatestView): SnapshotDiff {
  const described = new Map(snapshot.drafts.map((draft) => [draft.entity, draft]));
  const upserts = [...described.values()].filter(
    (draft) => latest.get(draft.entity)?.fingerprint !== draft.fingerprint,
  );
  const living = [...latest.entriesOf(origin)].map((entry) => entry.entity);
  const named = new Set(snapshot.deletedEntities);
  const unreadable = new Set(snapshot.unreadableEntities);
  const isAbsent = (entity: string) => !described.has(entity) && !unreadable.has(entity);
  const gone = living.filter((entity) => isAbsent(entity) && (!snapshot.differential || named.has(entity)));
  const versionTimesBack = upserts.filter((draft) =>
    isBefore(draft.versionTime, latest.get(draft.entity)?.versionTime),
  );
  return {
    drafts: [...upserts, ...gone.map((entity): Draft => ({ kind: 'delete', entity, origin }))],
    gone: gone.length,
    living: living.length,
    versionTimesBack: versionTimesBack.length,
  };
}

function isBefore(time: string | undefined, other: string | undefined): boolean {
  return time !== undefined && other !== undefined && Date.parse(time) < Date.parse(other);
}

import { type Draft, isNewestState, isPublishedState, type LatestView, type UpsertDraft } from '@ldes-live/rdf-stream';
import type { Candidate, Snapshot } from './source.ts';
import { type AbsentSince, waitingEnds } from './waiting-ends.ts';

/** What a snapshot changes. */
export interface SnapshotDiff {
  /** States that are new or differ, at most one for each entity; versions that are new, by time; then what ended. */
  readonly drafts: readonly Draft[];
  /** How many of the drafts are deletes. */
  readonly gone: number;
  /** Entities that may have ended, or be among the records that cannot be told apart. */
  readonly waiting: AbsentSince;
  /** How many entities of the origin lived before. */
  readonly living: number;
  /** How many of the drafts have a version time before that of the newest version of their entity. */
  readonly versionTimesBack: number;
}

/**
 * Tells what a snapshot changes in the latest state. Pure.
 *
 * In a full dataset an entity of the origin that is absent has ended; in a differential one only those
 * that are named as deleted. Nothing ends that came from another origin, or that is there but cannot be read;
 * and what is absent beside records that cannot be told apart waits.
 *
 * A version older than the newest one is a draft like any other, for the history: it does not become the newest state. It
 * is counted, since it usually means that two machines behind one address disagree. A feed that repeats it says nothing new.
 *
 * A draft with an IRI of its own, such as an observation, is said once and for ever: it is new unless it is known.
 *
 * @param known - the own IRIs of versions that need not be published
 * @param absent - since when entities are absent, and the present, epoch milliseconds
 * @see specs/gtfs-realtime.md GTFS-38
 * @see specs/sources.md SRC-14
 */
export function diffSnapshot(
  snapshot: Snapshot,
  origin: string,
  latest: LatestView,
  known: ReadonlySet<string>,
  absent: { readonly since: AbsentSince; readonly nowMs: number } = { since: new Map(), nowMs: 0 },
): SnapshotDiff {
  const states = new Map<string, Candidate>();
  const versions = new Map<string, Candidate>();
  for (const candidate of snapshot.entities) {
    if (candidate.id === undefined) states.set(candidate.entity, candidate);
    else if (!known.has(candidate.id)) versions.set(candidate.id, candidate);
  }
  const upserts = [
    ...[...states.values()].filter((candidate) => !isPublishedState(candidate, latest.get(candidate.entity))),
    ...byVersionTime([...versions.values()]),
  ].map((candidate) => draftOf(candidate, origin));
  const living = [...latest.ofOrigin(origin)].map((entry) => entry.entity);
  const named = new Set(snapshot.deleted);
  const unreadable = new Set(snapshot.unreadable);
  const isAbsent = (entity: string) => !states.has(entity) && !unreadable.has(entity);
  const gone = living.filter((entity) => isAbsent(entity) && (!snapshot.differential || named.has(entity)));
  // What is named as deleted is told apart.
  const unnamedRecords = snapshot.differential ? 0 : (snapshot.unnamedRecords ?? 0);
  const { ended, waiting } = waitingEnds(gone, unnamedRecords, absent.since, absent.nowMs);
  const versionTimesBack = upserts.filter((draft) => !isNewestState(draft, latest.get(draft.entity)));
  return {
    drafts: [...upserts, ...ended.map((entity): Draft => ({ kind: 'delete', entity, origin }))],
    gone: ended.length,
    waiting,
    living: living.length,
    versionTimesBack: versionTimesBack.length,
  };
}

/** The draft of what changed, with its quads made. */
export function draftOf(candidate: Candidate, origin: string): UpsertDraft {
  const { entity, id, fingerprint, versionTime } = candidate;
  return { kind: 'upsert', entity, origin, id, quads: candidate.quads(), fingerprint, versionTime };
}

// Those without a time come first, as they stand: nothing says that they are newer.
function byVersionTime(candidates: readonly Candidate[]): Candidate[] {
  const timed = candidates.map((candidate) => ({ candidate, timeMs: Date.parse(candidate.versionTime ?? '') }));
  const rank = (timeMs: number) => (Number.isNaN(timeMs) ? Number.NEGATIVE_INFINITY : timeMs);
  return timed
    .toSorted((left, right) =>
      rank(left.timeMs) < rank(right.timeMs) ? -1 : Number(rank(left.timeMs) > rank(right.timeMs)),
    )
    .map(({ candidate }) => candidate);
}

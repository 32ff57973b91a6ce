import {
  type Draft,
  isNewestState,
  isPublishedState,
  type LatestView,
  type StreamError,
  type UpsertDraft,
} from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import type { Candidate, Snapshot } from '../source.ts';

/** What the judgement of a feed's next snapshot depends on. */
export interface FeedRecord {
  readonly clock: HeaderClock;
  readonly suspicion?: ShrinkSuspicion;
  /** The own IRIs of the versions that the snapshot taken last described; absent when it had none. */
  readonly versions?: ReadonlySet<string>;
  /** Entities that are absent and have not ended; absent when there are none. */
  readonly waiting?: AbsentSince;
}

/** The record of a feed of which nothing is known. */
export const EMPTY_RECORD: FeedRecord = { clock: {} };

/** The measure that snapshots are judged by. */
export interface JudgeOptions {
  readonly origin: string;
  readonly limitGoneShare: number;
}

/** Whether a snapshot counts: then what it changes, else why not; and the record for the next one. */
export type Judgement =
  | {
      readonly kind: 'accepted';
      readonly drafts: readonly Draft[];
      readonly deletes: number;
      readonly versionTimesBack: number;
      /** How many entities are absent and have not ended. */
      readonly endsWaiting: number;
      readonly record: FeedRecord;
    }
  | { readonly kind: 'rejected'; readonly error: StreamError; readonly record: FeedRecord };

/**
 * Judges a snapshot: by its time, then by how much it would end. Pure.
 *
 * @param body - the bytes that the snapshot was read from, and the present
 * @param known - the own IRIs of versions that need not be published
 * @see specs/gtfs-realtime.md GTFS-39, GTFS-40
 */
export function judgeSnapshot(
  record: FeedRecord,
  snapshot: Snapshot,
  body: Pick<ShrinkPoll, 'bodyHash' | 'nowMs'>,
  latest: LatestView,
  known: ReadonlySet<string>,
  { origin, limitGoneShare }: JudgeOptions,
): Judgement {
  const { headerMs } = snapshot;
  const { counts, clock } = judgeHeaderTime(record.clock, headerMs);
  if (!counts) {
    const error = errors.ERR_FEED_TIME_WENT_BACK({
      headerTime: timeText(headerMs),
      newest: timeText(clock.newestMs),
    });
    return { kind: 'rejected', error, record: { ...record, clock } };
  }
  const absent = { since: record.waiting ?? new Map(), nowMs: body.nowMs };
  const { drafts, gone, waiting, living, versionTimesBack } = diffSnapshot(snapshot, origin, latest, known, absent);
  const taken = {
    kind: 'accepted',
    drafts,
    deletes: gone,
    versionTimesBack,
    endsWaiting: waiting.size,
    record: takenRecord(clock, snapshot, waiting),
  } as const;
  if (snapshot.differential) return taken;
  const isEmpty = snapshot.entities.length === 0;
  const poll = { living, gone, isEmpty, ...body, ...(headerMs === undefined ? {} : { headerMs }) };
  const guard = shrinkGuard(record.suspicion, poll, limitGoneShare);
  if (guard.counts) return taken;
  // A poll that does not count leaves the clock as it was: its time may be as wrong as its content.
  return {
    kind: 'rejected',
    error: errors.ERR_FEED_SHRUNK({ gone, living, limitGoneShare }),
    record: { ...record, suspicion: guard.suspicion },
  };
}

function takenRecord(clock: HeaderClock, { entities }: Snapshot, waiting: AbsentSince): FeedRecord {
  const versions = new Set(entities.flatMap(({ id }) => (id === undefined ? [] : [id])));
  return { clock, ...(versions.size > 0 && { versions }), ...(waiting.size > 0 && { waiting }) };
}

/**
 * The record after the feed was found to be what it was when last taken: whatever was suspected of it in
 * between was not so.
 */
export function recordUnchanged({ clock: { newestMs }, versions, waiting }: FeedRecord): FeedRecord {
  const clock = newestMs === undefined ? {} : { newestMs };
  return { clock, ...(versions && { versions }), ...(waiting && { waiting }) };
}

function timeText(timeMs: number | undefined): string {
  // A feed may state any number, also one beyond what a date can be.
  const date = new Date(timeMs ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? `${timeMs} ms` : date.toISOString();
}

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

/** How long an entity has to be absent until a record that cannot be told apart is not taken for it any more, milliseconds. */
export const UNNAMED_WAIT_MS = 600_000;

/** Since when entities are absent beside records that cannot be told apart, epoch milliseconds. */
export type AbsentSince = ReadonlyMap<string, number>;

/**
 * Tells which absent entities have ended. Pure.
 *
 * Beside a record of which nobody knows whose it is, an entity is absent only once it has been so for
 * {@link UNNAMED_WAIT_MS}, or as soon as there is no such record: a source whose records are odd for ever must not keep
 * its entities alive for ever.
 *
 * @param absent - the entities that seem to have ended
 * @param unnamedRecords - how many records there are that may be theirs
 * @param before - since when they were absent at the last poll that counted
 * @param nowMs - the present, epoch milliseconds
 * @see specs/sources.md SRC-2
 */
export function waitingEnds(
  absent: readonly string[],
  unnamedRecords: number,
  before: AbsentSince,
  nowMs: number,
): { readonly ended: readonly string[]; readonly waiting: AbsentSince } {
  if (unnamedRecords === 0) return { ended: absent, waiting: new Map() };
  // A clock that was set back begins the wait anew.
  const since = new Map(absent.map((entity) => [entity, Math.min(before.get(entity) ?? nowMs, nowMs)]));
  const isOver = (entity: string) => nowMs - (since.get(entity) ?? nowMs) >= UNNAMED_WAIT_MS;
  return {
    ended: absent.filter(isOver),
    waiting: new Map([...since].filter(([entity]) => !isOver(entity))),
  };
}

/** How much of its entities a feed may lose in one poll before it must say so twice. */
export const DEFAULT_LIMIT_GONE_SHARE = 0.5;

/**
 * How long the same bytes must stand until they confirm themselves, milliseconds: longer than a broken body is
 * likely to stand, and short enough that what has ended does not live on.
 */
export const SAME_BYTES_CONFIRM_MS = 600_000;

/** A poll as the guard sees it. */
export interface ShrinkPoll {
  /** How many entities of the origin live. */
  readonly living: number;
  /** How many of them would end. */
  readonly gone: number;
  /** Whether it describes nothing at all. */
  readonly isEmpty: boolean;
  /** Equal for equal bytes. */
  readonly bodyHash: string;
  /** The present, epoch milliseconds. */
  readonly nowMs: number;
  /** The feed's own time, epoch milliseconds, if it states one. */
  readonly headerMs?: number;
}

/** What the guard held back and another poll must confirm. */
export interface ShrinkSuspicion {
  /** Of the bytes that were held back last. */
  readonly bodyHash: string;
  /** Whether they describe nothing at all. */
  readonly isEmpty: boolean;
  /** Since when these bytes, or others that describe nothing either, stand; epoch milliseconds. */
  readonly sinceMs: number;
  /** The feed's own time at the first poll that was held back, epoch milliseconds, if it stated one. */
  readonly headerMs?: number;
}

/**
 * Whether a poll of a full dataset counts, seeing how much of it is gone: when it does not, the suspicion
 * that the next poll must confirm. Pure.
 *
 * A poll that would end more than `limitGoneShare` of the living entities does not count, until a later
 * one that would do so too confirms it: one with other bytes and, where both state times, a later one. The
 * same bytes confirm nothing until they have stood for {@link SAME_BYTES_CONFIRM_MS}, since a broken body
 * may well stand for a while; one that stands longer is what the producer means. Nor do other bytes that
 * describe nothing, where times are not stated: a page that says that there is an error may say when.
 *
 * @param limitGoneShare - from 0 to 1; with 1 every poll counts
 * @see specs/gtfs-realtime.md GTFS-39
 */
export function shrinkGuard(
  suspicion: ShrinkSuspicion | undefined,
  poll: ShrinkPoll,
  limitGoneShare: number,
): { readonly counts: true } | { readonly counts: false; readonly suspicion: ShrinkSuspicion } {
  if (poll.gone <= poll.living * limitGoneShare) return { counts: true };
  if (suspicion && confirms(suspicion, poll)) return { counts: true };
  return { counts: false, suspicion: suspicionAfter(suspicion, poll) };
}

function confirms(suspicion: ShrinkSuspicion, poll: ShrinkPoll): boolean {
  const hasStood = poll.nowMs - suspicion.sinceMs >= SAME_BYTES_CONFIRM_MS;
  if (suspicion.bodyHash === poll.bodyHash) return hasStood;
  if (suspicion.headerMs !== undefined && poll.headerMs !== undefined) {
    return poll.headerMs > suspicion.headerMs;
  }
  return !poll.isEmpty || (suspicion.isEmpty && hasStood);
}

function suspicionAfter(suspicion: ShrinkSuspicion | undefined, poll: ShrinkPoll): ShrinkSuspicion {
  const { bodyHash, isEmpty, nowMs } = poll;
  // Other bytes that confirm nothing are of no later time than those before them, whose time is kept.
  const headerMs = suspicion?.headerMs ?? poll.headerMs;
  const isTimed = suspicion?.headerMs !== undefined && poll.headerMs !== undefined;
  const goesOn = suspicion?.bodyHash === bodyHash || (suspicion?.isEmpty && isEmpty && !isTimed);
  // A clock that was set back begins the wait anew: otherwise it would grow by what the clock lost.
  const sinceMs = suspicion && goesOn ? Math.min(suspicion.sinceMs, nowMs) : nowMs;
  return headerMs === undefined ? { bodyHash, isEmpty, sinceMs } : { bodyHash, isEmpty, sinceMs, headerMs };
}

const POLLS_OF_A_RESTART = 3;

/** What is known of the times that a feed states. */
export interface HeaderClock {
  /** The time of the last poll that counted, epoch milliseconds; absent when none stated one. */
  readonly newestMs?: number;
  /** The polls since then whose times were before it, as long as they increase among themselves. */
  readonly back?: { readonly polls: number; readonly lastMs: number };
}

/** Whether a poll counts by its time, and what is known afterwards. */
export interface HeaderClockVerdict {
  readonly counts: boolean;
  readonly clock: HeaderClock;
}

/**
 * Judges the time that a feed states of itself. Pure.
 *
 * A time before that of the last poll that counted is what a machine that lags behind says, so the newer
 * state is kept. When three polls in a row say so and their own times increase, the
 * producer has set its clock back. A poll without a time always counts.
 *
 * @see specs/gtfs-realtime.md GTFS-40
 */
export function judgeHeaderTime(clock: HeaderClock, headerMs: number | undefined): HeaderClockVerdict {
  const { newestMs, back } = clock;
  if (headerMs === undefined) return { counts: true, clock: newestMs === undefined ? {} : { newestMs } };
  if (newestMs === undefined || headerMs >= newestMs) return { counts: true, clock: { newestMs: headerMs } };
  // The same time again says nothing: a feed may well be polled twice within one of its seconds.
  if (back?.lastMs === headerMs) return { counts: false, clock };
  const polls = back && headerMs > back.lastMs ? back.polls + 1 : 1;
  return polls >= POLLS_OF_A_RESTART
    ? { counts: true, clock: { newestMs: headerMs } }
    : { counts: false, clock: { newestMs, back: { polls, lastMs: headerMs } } };
}

/**
 * Splits drafts into batches to be appended one after the other, none with two drafts of one entity: those of an
 * entity keep their order. Pure.
 */
export function successiveBatches(drafts: readonly Draft[]): Draft[][] {
  const batches: Draft[][] = [];
  const before = new Map<string, number>();
  for (const draft of drafts) {
    const place = before.get(draft.entity) ?? 0;
    before.set(draft.entity, place + 1);
    const batch = batches[place];
    if (batch) batch.push(draft);
    else batches[place] = [draft];
  }
  return batches;
}

/**
 * Which versions with IRIs of their own a snapshot need not bring: those that the log holds, and those that the
 * snapshot taken last brought. Without the latter, a feed that lists more than retention keeps would have what was
 * erased published anew with every poll.
 *
 * @see specs/sources.md SRC-14
 */
export async function knownVersions(
  { entities }: Snapshot,
  { versions }: FeedRecord,
  latest: LatestView,
): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  const unknown = new Set<string>();
  for (const { id } of entities) if (id !== undefined) (versions?.has(id) ? known : unknown).add(id);
  if (unknown.size > 0) for (const id of await latest.hasVersions([...unknown])) known.add(id);
  return known;
}

/**
 * The newest time that a feed states of its data, epoch milliseconds: its own time, or else the newest version time of
 * what it describes that is not yet to come. `undefined` when it states none, or none that is a date. Pure.
 *
 * @param nowMs - epoch milliseconds
 * @see specs/sources.md SRC-22
 */
export function dataTimeMs(
  { headerMs, entities }: Pick<Snapshot, 'entities' | 'headerMs'>,
  nowMs: number,
): number | undefined {
  if (headerMs !== undefined) return isDate(headerMs) ? headerMs : undefined;
  let newestMs: number | undefined;
  for (const { versionTime } of entities) {
    const timeMs = versionTime === undefined ? Number.NaN : Date.parse(versionTime);
    if (timeMs <= nowMs && !(newestMs !== undefined && timeMs <= newestMs)) newestMs = timeMs;
  }
  return newestMs;
}

function isDate(timeMs: number): boolean {
  return !Number.isNaN(new Date(timeMs).getTime());
}

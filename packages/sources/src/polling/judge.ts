/* What one poll of a feed changes, and whether it is believed. Pure, but for the turns that it gives others.
 *
 * In: the `FeedState` that the last poll left, the `Snapshot` of the body, and the latest state of the log.
 *
 *   state     { newestHeaderMs: 1763805585000, absentSince: Map {}, accepted: { ... }, ... }
 *   snapshot  { entities: [{ entity: 'http://h/S/entities/vehicles/12', fingerprint: 'x4f', quads }], deleted: [],
 *               unreadable: [], unnamedRecords: 0, differential: false, headerMs: 1763805605000, ... }
 *
 * Out: what to publish, or why nothing is published; and the state for the next poll.
 *
 *   { kind: 'accepted', batches: [[candidate, { kind: 'delete', entity, origin }]], upserts: 1, deletes: 1, state, ... }
 *   { kind: 'rejected', error: ERR_FEED_SHRUNK, state }
 *
 * First the time that the feed states is judged, which may not go back; then what differs from the latest state is found;
 * then how much would end, which may not be most of what lives. */

import {
  type DeleteDraft,
  isNewestState,
  isPublishedState,
  type LatestView,
  type StreamError,
} from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import type { Slices } from '../slices.ts';
import type { Candidate, Snapshot } from '../source.ts';
import { type Auxiliary, bodyHash, type FeedBody, type FetchedPages } from './documents.ts';

/** How much of its entities a feed may lose in one poll before it must say so twice. */
export const DEFAULT_LIMIT_GONE_SHARE = 0.5;

/**
 * How long the same bytes must stand until they confirm themselves, milliseconds: longer than a broken body is
 * likely to stand, and short enough that what has ended does not live on.
 */
export const SAME_BYTES_CONFIRM_MS = 600_000;

/** How long an entity has to be absent until a record that cannot be told apart is not taken for it any more, milliseconds. */
export const DELETE_GRACE_MS = 600_000;

/**
 * How many drafts are published at once. With 10,000, the first import of 62,001 entities held the event loop of a server
 * for up to 559 ms at a commit; with 1,000 for up to 32 ms, in 118 MB less.
 */
export const LIMIT_BATCH = 1000;

const POLLS_OF_A_RESTART = 3;

/** How many versions are sorted at once. */
const SORTED_RUN = 4096;

type Counts = Readonly<Record<string, number>>;

/** What one poll leaves to the next. Immutable. */
export interface FeedState {
  /** The pages of the last poll, while polls have been good since: they make requests conditional. */
  readonly pages: FetchedPages;
  readonly auxiliary: Auxiliary;
  readonly accepted?: AcceptedFeed | undefined;
  /** The newest time that an accepted poll stated, epoch milliseconds; absent when none stated one. */
  readonly newestHeaderMs?: number | undefined;
  /** The polls since then whose times were before it, as long as they increase among themselves. */
  readonly rollback?: { readonly polls: number; readonly lastMs: number } | undefined;
  readonly shrink?: Shrink | undefined;
  /** Since when entities are absent beside records that cannot be told apart, epoch milliseconds. */
  readonly absentSince: ReadonlyMap<string, number>;
}

/** The body that was accepted last, and what it said. */
export interface AcceptedFeed {
  /** Whole, so that the same or a part of it is recognised. */
  readonly body: FeedBody;
  /** Of a body that is not kept. */
  readonly bodyHash?: string | undefined;
  /** IRIs of the entities whose states it described. */
  readonly entities: readonly string[];
  /** The own IRIs of the versions that it described. */
  readonly versionIris: ReadonlySet<string>;
  readonly findings: Counts;
  readonly headerMs: number | undefined;
  readonly ttlMs: number | undefined;
  /** The newest time that it stated of its data, epoch milliseconds: SRC-22. */
  readonly dataMs: number | undefined;
}

/** A poll that would end too much, and that another poll must confirm. */
interface Shrink {
  /** Of the bytes that were rejected last. */
  readonly bodyHash: string;
  /** Whether they describe nothing at all. */
  readonly isEmpty: boolean;
  /** Since when these bytes, or others that describe nothing either, stand; epoch milliseconds. */
  readonly sinceMs: number;
  /** The feed's own time at the first poll that was rejected, epoch milliseconds, if it stated one. */
  readonly headerMs: number | undefined;
}

/** The measure that snapshots are judged by. */
export interface JudgeOptions {
  readonly origin: string;
  /** From 0 to 1; with 1 every poll counts. */
  readonly limitGoneShare: number;
  /** Whether it is ordinary that an entity ends, however many do: it is then left out of that share. */
  readonly endsFreely?: ((entity: string) => boolean) | undefined;
}

/** What a judgement depends on, besides what a feed says. */
export interface Judging extends JudgeOptions {
  readonly latest: LatestView;
  /** Epoch milliseconds. */
  readonly nowMs: number;
  readonly slices: Slices;
}

/** What is published of an entity. */
export type Change = Candidate | DeleteDraft;

/** Whether a snapshot counts: then what it changes, else why not; and the state after it. */
export type Judgement = { readonly state: FeedState } & (
  | {
      readonly kind: 'accepted';
      /** To be appended one after the other: none is empty or has two changes of one entity. */
      readonly batches: readonly (readonly Change[])[];
      readonly upserts: number;
      readonly deletes: number;
      readonly findings: Counts;
    }
  | { readonly kind: 'rejected'; readonly error: StreamError }
);

/**
 * Judges the snapshot of a body: by its time, then by how much it would end.
 *
 * @see specs/gtfs-realtime.md GTFS-38, GTFS-39, GTFS-40
 * @see specs/sources.md SRC-14, SRC-15, SRC-28
 */
export async function judge(
  state: FeedState,
  snapshot: Snapshot,
  body: FeedBody,
  judging: Judging,
): Promise<Judgement> {
  const { limitGoneShare } = judging;
  const { headerMs } = snapshot;
  const time = judgeTime(state, headerMs);
  if (!time.counts) {
    const [headerTime, newest] = [timeText(headerMs), timeText(state.newestHeaderMs)];
    const error = errors.ERR_FEED_TIME_WENT_BACK({ headerTime, newest });
    return { kind: 'rejected', error, state: { ...state, rollback: time.rollback } };
  }
  const described = await describe(snapshot, state, judging);
  const { living, gone, ended, absentSince } = await findEnds(snapshot, described, state, judging);
  if (!snapshot.differential && gone > living * limitGoneShare) {
    const shrink = await shrinkAfter(state.shrink, snapshot, body, judging);
    if (shrink) {
      const error = errors.ERR_FEED_SHRUNK({ gone, living, limitGoneShare });
      // A poll that does not count leaves the clock as it was: its time may be as wrong as its content.
      return { kind: 'rejected', error, state: { ...state, shrink } };
    }
  }
  const { upserts, versionTimesBack } = await findUpserts(described, judging);
  const findings = {
    ...snapshot.findings,
    ...(versionTimesBack > 0 && { versionTimesBack }),
    ...(absentSince.size > 0 && { endsWaiting: absentSince.size }),
  };
  const { states, versionIris, dataMs } = described;
  const accepted = {
    body,
    entities: [...states.keys()],
    versionIris,
    findings,
    headerMs,
    ttlMs: snapshot.ttlMs,
    dataMs,
  };
  return {
    kind: 'accepted',
    batches: await batchesOf(upserts, ended, judging),
    upserts: upserts.length,
    deletes: ended.length,
    findings,
    state: { ...settled(state), accepted, newestHeaderMs: time.newestHeaderMs, absentSince },
  };
}

/**
 * The state after the feed was found to be what it was when last accepted: whatever was suspected of it in between was
 * not so.
 */
export function settled(state: FeedState): FeedState {
  return { ...state, rollback: undefined, shrink: undefined };
}

/**
 * Judges the time that a feed states of itself.
 *
 * A time before that of the last poll that counted is what a machine that lags behind says, so the newer state is kept.
 * When three polls in a row say so and their own times increase, the producer has set its clock back. A poll without a
 * time always counts.
 */
function judgeTime(
  { newestHeaderMs, rollback }: FeedState,
  headerMs: number | undefined,
): Pick<FeedState, 'newestHeaderMs' | 'rollback'> & { readonly counts: boolean } {
  if (headerMs === undefined) return { counts: true, newestHeaderMs };
  if (newestHeaderMs === undefined || headerMs >= newestHeaderMs) return { counts: true, newestHeaderMs: headerMs };
  // The same time again says nothing: a feed may well be polled twice within one of its seconds.
  if (rollback?.lastMs === headerMs) return { counts: false, rollback };
  const polls = rollback && headerMs > rollback.lastMs ? rollback.polls + 1 : 1;
  if (polls >= POLLS_OF_A_RESTART) return { counts: true, newestHeaderMs: headerMs };
  return { counts: false, rollback: { polls, lastMs: headerMs } };
}

/** What a snapshot describes, each once. */
interface Described {
  /** By entity: the last of several counts. */
  readonly states: ReadonlyMap<string, Candidate>;
  /** By their own IRIs, those that need not be published left out: the last of several counts. */
  readonly versions: ReadonlyMap<string, Candidate>;
  readonly versionIris: ReadonlySet<string>;
  readonly dataMs: number | undefined;
}

// A draft with an IRI of its own, such as an observation, is said once and for ever. It is new unless the log holds it or
// the snapshot before brought it: else a feed that lists more than retention keeps would have what was erased published
// anew with every poll.
async function describe(
  { entities, headerMs }: Snapshot,
  { accepted }: FeedState,
  { latest, nowMs, slices }: Judging,
): Promise<Described> {
  const states = new Map<string, Candidate>();
  const versions = new Map<string, Candidate>();
  const versionIris = new Set<string>();
  let dataMs = headerMs === undefined || isDate(headerMs) ? headerMs : undefined;
  for (const candidate of entities) {
    if (slices.isOver) await slices.next();
    const { id, entity, versionTime } = candidate;
    if (id === undefined) states.set(entity, candidate);
    else {
      versionIris.add(id);
      if (!accepted?.versionIris.has(id)) versions.set(id, candidate);
    }
    if (headerMs !== undefined || versionTime === undefined) continue;
    const timeMs = Date.parse(versionTime);
    // A time to come says nothing of how old the data is.
    if (timeMs <= nowMs && !(dataMs !== undefined && timeMs <= dataMs)) dataMs = timeMs;
  }
  if (versions.size > 0) for (const id of await latest.hasVersions([...versions.keys()])) versions.delete(id);
  return { states, versions, versionIris, dataMs };
}

/** What a snapshot ends. */
interface Ends {
  /** How many entities live whose end is not ordinary, and how many of these have ended. */
  readonly living: number;
  readonly gone: number;
  readonly ended: readonly string[];
  readonly absentSince: FeedState['absentSince'];
}

// In a full dataset an entity of the origin that is absent has ended; in a differential one only those that are named as
// deleted. Nothing ends that came from another origin, or that is there but cannot be read. Beside a record of which
// nobody knows whose it is, an entity ends once it has been absent for DELETE_GRACE_MS, or as soon as there is no such
// record: a source whose records are odd for ever must not keep its entities alive for ever.
async function findEnds(
  { deleted, unreadable, unnamedRecords, differential }: Snapshot,
  { states }: Described,
  { absentSince: before }: FeedState,
  { latest, origin, endsFreely, nowMs, slices }: Judging,
): Promise<Ends> {
  if (slices.isOver) await slices.next();
  // In one go, since others may append between slices.
  const living = differential ? [...new Set(deleted)] : Array.from(latest.ofOrigin(origin), ({ entity }) => entity);
  const unread = new Set(unreadable);
  const ends = { living: 0, gone: 0, ended: [] as string[], absentSince: new Map<string, number>() };
  for (const entity of living) {
    if (slices.isOver) await slices.next();
    const guarded = endsFreely?.(entity) ? 0 : 1;
    ends.living += guarded;
    if (states.has(entity) || unread.has(entity)) continue;
    if (differential && latest.get(entity)?.origin !== origin) continue;
    // A clock that was set back begins the wait anew.
    const sinceMs = Math.min(before.get(entity) ?? nowMs, nowMs);
    // What is named as deleted is told apart.
    const waits = unnamedRecords > 0 && !differential && nowMs - sinceMs < DELETE_GRACE_MS;
    if (waits) ends.absentSince.set(entity, sinceMs);
    else {
      ends.ended.push(entity);
      ends.gone += guarded;
    }
  }
  return ends;
}

// A version older than the newest one is published like any other, for the history: it does not become the newest state.
// It is counted, since it usually means that two machines behind one address disagree. A feed that repeats it says
// nothing new.
async function findUpserts(
  { states, versions }: Described,
  { latest, slices }: Judging,
): Promise<{ readonly upserts: readonly Candidate[]; readonly versionTimesBack: number }> {
  const upserts: Candidate[] = [];
  let versionTimesBack = 0;
  const add = (candidate: Candidate) => {
    const { entity, versionTime } = candidate;
    if (!isNewestState({ kind: 'upsert', versionTime }, latest.get(entity))) versionTimesBack += 1;
    upserts.push(candidate);
  };
  for (const candidate of states.values()) {
    if (slices.isOver) await slices.next();
    if (!isPublishedState(candidate, latest.get(candidate.entity))) add(candidate);
  }
  for (const candidate of await byVersionTime(versions.values(), slices)) {
    if (slices.isOver) await slices.next();
    add(candidate);
  }
  return { upserts, versionTimesBack };
}

interface Timed {
  readonly candidate: Candidate;
  readonly timeMs: number;
}

/** Those without a time come first, as they stand: nothing says that they are newer. */
async function byVersionTime(candidates: Iterable<Candidate>, slices: Slices): Promise<readonly Candidate[]> {
  const timed: Timed[] = [];
  for (const candidate of candidates) {
    if (slices.isOver) await slices.next();
    const timeMs = Date.parse(candidate.versionTime ?? '');
    timed.push({ candidate, timeMs: Number.isNaN(timeMs) ? Number.NEGATIVE_INFINITY : timeMs });
  }
  return (await sorted(timed, slices)).map(({ candidate }) => candidate);
}

async function sorted(items: readonly Timed[], slices: Slices): Promise<readonly Timed[]> {
  if (slices.isOver) await slices.next();
  const order = (left: Timed, right: Timed) => (left.timeMs < right.timeMs ? -1 : Number(left.timeMs > right.timeMs));
  if (items.length <= SORTED_RUN) return items.toSorted(order);
  const middle = items.length >> 1;
  const later = await sorted(items.slice(middle), slices);
  const merged: Timed[] = [];
  let next = 0;
  for (const item of await sorted(items.slice(0, middle), slices)) {
    if (slices.isOver) await slices.next();
    while (next < later.length && order(later[next] as Timed, item) < 0) merged.push(later[next++] as Timed);
    merged.push(item);
  }
  return merged.concat(later.slice(next));
}

// A feed may describe several versions of an entity: they keep their order, and a commit has one of them.
async function batchesOf(
  upserts: readonly Candidate[],
  ended: readonly string[],
  { origin, slices }: Judging,
): Promise<Change[][]> {
  const rounds: Change[][] = [];
  const before = new Map<string, number>();
  const add = (change: Change) => {
    const round = before.get(change.entity) ?? 0;
    before.set(change.entity, round + 1);
    const changes = rounds[round];
    if (changes) changes.push(change);
    else rounds[round] = [change];
  };
  for (const candidate of upserts) {
    if (slices.isOver) await slices.next();
    add(candidate);
  }
  for (const entity of ended) {
    if (slices.isOver) await slices.next();
    add({ kind: 'delete', entity, origin });
  }
  const batches: Change[][] = [];
  for (const round of rounds) {
    for (let start = 0; start < round.length; start += LIMIT_BATCH) {
      batches.push(round.slice(start, start + LIMIT_BATCH));
    }
  }
  return batches;
}

/**
 * What a poll that would end too much has to be confirmed by; `undefined` where it confirms the one before it.
 *
 * Another that would end too much as well confirms it: one with other bytes and, where both state times, a later one. The
 * same bytes confirm nothing until they have stood for {@link SAME_BYTES_CONFIRM_MS}, since a broken body may well stand
 * for a while; one that stands longer is what the producer means. Nor do other bytes that describe nothing, where times
 * are not stated: a page that says that there is an error may say when.
 */
async function shrinkAfter(
  before: Shrink | undefined,
  snapshot: Snapshot,
  body: FeedBody,
  { nowMs, slices }: Judging,
): Promise<Shrink | undefined> {
  const isEmpty = snapshot.entities.length === 0;
  const { headerMs } = snapshot;
  const shrink: Shrink = { bodyHash: await bodyHash(body, slices), isEmpty, sinceMs: nowMs, headerMs };
  if (!before) return shrink;
  const isSame = before.bodyHash === shrink.bodyHash;
  const isTimed = before.headerMs !== undefined && headerMs !== undefined;
  const hasStood = nowMs - before.sinceMs >= SAME_BYTES_CONFIRM_MS;
  if (isSame ? hasStood : confirms(before, shrink, hasStood)) return undefined;
  const goesOn = isSame || (before.isEmpty && isEmpty && !isTimed);
  return {
    ...shrink,
    // A clock that was set back begins the wait anew: otherwise it would grow by what the clock lost.
    sinceMs: goesOn ? Math.min(before.sinceMs, nowMs) : nowMs,
    // Other bytes that confirm nothing are of no later time than those before them, whose time is kept.
    headerMs: before.headerMs ?? headerMs,
  };
}

function confirms(before: Shrink, { headerMs, isEmpty }: Shrink, hasStood: boolean): boolean {
  if (before.headerMs !== undefined && headerMs !== undefined) return headerMs > before.headerMs;
  return !isEmpty || (before.isEmpty && hasStood);
}

function isDate(timeMs: number): boolean {
  return !Number.isNaN(new Date(timeMs).getTime());
}

function timeText(timeMs: number | undefined): string {
  // A feed may state any number, also one beyond what a date can be.
  return timeMs !== undefined && isDate(timeMs) ? new Date(timeMs).toISOString() : `${timeMs} ms`;
}

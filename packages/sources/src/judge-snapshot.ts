import type { Draft, LatestView, StreamError } from '@ldes-live/rdf-stream';
import { diffSnapshot } from './diff-snapshot.ts';
import { errors } from './errors.ts';
import { type HeaderClock, judgeHeaderTime } from './header-clock.ts';
import { type ShrinkPoll, type ShrinkSuspicion, shrinkGuard } from './shrink-guard.ts';
import type { Snapshot } from './source.ts';
import type { AbsentSince } from './waiting-ends.ts';

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

import type { Draft, LatestView, StreamError } from '@ldes-live/rdf-stream';
import { diffSnapshot } from './diff-snapshot.ts';
import { errors } from './errors.ts';
import { type HeaderClock, judgeHeaderTime } from './header-clock.ts';
import { type ShrinkPoll, type ShrinkSuspicion, shrinkGuard } from './shrink-guard.ts';
import type { Snapshot } from './snapshot.ts';

/** What the judgement of a feed's next snapshot depends on. */
export interface FeedRecord {
  readonly clock: HeaderClock;
  readonly suspicion?: ShrinkSuspicion;
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
      readonly kind: 'taken';
      readonly drafts: readonly Draft[];
      readonly deletes: number;
      readonly versionTimesBack: number;
      readonly record: FeedRecord;
    }
  | { readonly kind: 'heldBack'; readonly error: StreamError; readonly record: FeedRecord };

/**
 * Judges a snapshot: by its time, then by how much it would end. Pure.
 *
 * @param body - the bytes that the snapshot was read from, and the present
 * @see specs/gtfs-realtime.md GTFS-39, GTFS-40
 */
export function judgeSnapshot(
  record: FeedRecord,
  snapshot: Snapshot,
  body: Pick<ShrinkPoll, 'bodyHash' | 'nowMs'>,
  latest: LatestView,
  { origin, limitGoneShare }: JudgeOptions,
): Judgement {
  const { headerTimeMs } = snapshot;
  const { counts, clock } = judgeHeaderTime(record.clock, headerTimeMs);
  if (!counts) {
    const error = errors.ERR_FEED_TIME_WENT_BACK({
      headerTime: timeText(headerTimeMs),
      newest: timeText(clock.newestMs),
    });
    return { kind: 'heldBack', error, record: { ...record, clock } };
  }
  const { drafts, gone, living, versionTimesBack } = diffSnapshot(snapshot, origin, latest);
  const taken = { kind: 'taken', drafts, deletes: gone, versionTimesBack, record: { clock } } as const;
  if (snapshot.differential) return taken;
  const poll = { living, gone, ...body, ...(headerTimeMs === undefined ? {} : { headerTimeMs }) };
  const guard = shrinkGuard(record.suspicion, poll, limitGoneShare);
  if (guard.counts) return taken;
  // A poll that does not count leaves the clock as it was: its time may be as wrong as its content.
  return {
    kind: 'heldBack',
    error: errors.ERR_FEED_SHRUNK({ gone, living, limitGoneShare }),
    record: { clock: record.clock, suspicion: guard.suspicion },
  };
}

/**
 * The record after the feed was found to be what it was when last taken: whatever was suspected of it in
 * between was not so.
 */
export function recordUnchanged({ clock: { newestMs } }: FeedRecord): FeedRecord {
  return { clock: newestMs === undefined ? {} : { newestMs } };
}

function timeText(timeMs: number | undefined): string {
  // A feed may state any number, also one beyond what a date can be.
  const date = new Date(timeMs ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? `${timeMs} ms` : date.toISOString();
}

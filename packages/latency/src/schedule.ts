/**
 * What is known of a stream's next update.
 *
 * `interval`: an update can become visible every `intervalMs` milliseconds, next at `nextMs` (epoch
 * milliseconds, on the clock of whoever states it). `unknown`: at any moment.
 *
 * @see specs/mal.md MAL-1
 */
export type Schedule =
  | { readonly kind: 'interval'; readonly intervalMs: number; readonly nextMs: number }
  | { readonly kind: 'unknown' };

/**
 * When the next update comes, seen from one instant: `predicted` at an instant to come, `overdue` when
 * that instant has passed, `unknown` when there is nothing to predict from.
 */
export type NextUpdate =
  | { readonly state: 'predicted'; readonly atMs: number }
  | { readonly state: 'overdue' }
  | { readonly state: 'unknown' };

/**
 * Predicts the next update.
 *
 * @param nowMs - the present, epoch milliseconds on the schedule's clock
 * @see specs/mal.md MAL-1
 */
export function nextUpdate(schedule: Schedule, nowMs: number): NextUpdate {
  if (schedule.kind === 'unknown') return { state: 'unknown' };
  // Not the next multiple of the interval: a late update may come at any moment, and a header that
  // reached past it would hide it.
  return schedule.nextMs > nowMs ? { state: 'predicted', atMs: schedule.nextMs } : { state: 'overdue' };
}

/** How long a mutable document may be reused, in the terms of its header fields. */
export interface Freshness {
  /** `max-age`: whole seconds, 0 or more. */
  readonly maxAgeSeconds: number;
  /** `Expires`: epoch milliseconds, never in the past; HTTP-date drops the part below a second. */
  readonly expiresMs: number;
  /** `Next-Update`: epoch milliseconds; absent when the next update is unknown or overdue. */
  readonly nextUpdateMs?: number;
}

/** How long a document may be reused when the next update may come at any moment, in seconds. */
export const MICRO_CACHE_SECONDS = 1;

/**
 * Freshness of a response that is sent now: it reaches to the next update and no further.
 *
 * @param nowMs - the present, epoch milliseconds
 * @see specs/documents.md DOC-8
 * @see https://www.rfc-editor.org/rfc/rfc9111#section-4.2.1
 */
export function freshness(next: NextUpdate, nowMs: number): Freshness {
  if (next.state === 'predicted') {
    return {
      maxAgeSeconds: Math.max(0, Math.floor((next.atMs - nowMs) / 1000)),
      expiresMs: Math.max(nowMs, next.atMs),
      nextUpdateMs: next.atMs,
    };
  }
  return { maxAgeSeconds: MICRO_CACHE_SECONDS, expiresMs: nowMs + MICRO_CACHE_SECONDS * 1000 };
}

/**
 * Learns from the last commits of a stream when the next update comes: at a low estimate, so that what is kept until
 * then hides no update that comes a little early. Pure.
 *
 * @param commitTimesMs - publication times, epoch milliseconds, ascending; the last `LEARNED_COMMITS` count
 * @param nowMs - the present, epoch milliseconds on the same clock
 * @see specs/mal.md MAL-25 to MAL-30
 * @example
 * ```ts
 * const minutes = Array.from({ length: 20 }, (_, minute) => minute * 60_000);
 * learnSchedule(minutes, 19 * 60_000); // { kind: 'interval', intervalMs: 60_000, nextMs: 1_200_000 }
 * ```
 */
export function learnSchedule(commitTimesMs: readonly number[], nowMs: number): Schedule {
  return scheduleOfRhythm(learnRhythm(commitTimesMs), nowMs);
}

/**
 * The schedule that follows from a rhythm that was learned. Pure.
 *
 * @param nowMs - the present, epoch milliseconds
 * @see specs/mal.md MAL-29, MAL-30
 */
export function scheduleOfRhythm(rhythm: Rhythm | undefined, nowMs: number): Schedule {
  if (!rhythm) return { kind: 'unknown' };
  const { intervalMs, updateMs, commitMs, soonestMs, burstMs } = rhythm;
  // A commit to come says that a clock was set back: how far off the next one is by this clock, nothing tells.
  if (nowMs < commitMs) return { kind: 'interval', intervalMs, nextMs: nowMs };
  // An update that may get further commits is due already, as it were: a later instant would hide them.
  const isComplete = nowMs >= updateMs + burstMs;
  return { kind: 'interval', intervalMs, nextMs: isComplete ? updateMs + soonestMs : commitMs };
}

/** How many of the last commits a rhythm is learned from at most. */
export const LEARNED_COMMITS = 64;

/** The least share of the updates of a regular stream that come no earlier than was learned from those before. */
export const LEARNED_SHARE = 0.95;

/** The rhythm in which a stream has been updated of late. */
export interface Rhythm {
  /** Time between two updates, milliseconds: the usual one nearest to `medianMs`, which stays from update to update. */
  readonly intervalMs: number;
  /** The middle one of the intervals, updates that were missed filled in, milliseconds. */
  readonly medianMs: number;
  /** By how much the middle one of them differs from that (MAD), milliseconds. */
  readonly spreadMs: number;
  /** How soon after the start of an update the next one may start, milliseconds: a low estimate. */
  readonly soonestMs: number;
  /** For how long after its start an update may get further commits, milliseconds; 0 where none did. */
  readonly burstMs: number;
  /** When the last update started, epoch milliseconds. */
  readonly updateMs: number;
  /** When the last commit was, epoch milliseconds. */
  readonly commitMs: number;
}

/** How many of the newest intervals {@link Rhythm.soonestMs} stays below: an update that comes early counts at once. */
const NEWEST_INTERVALS = 8;
/** Of how many intervals one may be shorter, if it is none of the newest: one early update is no rule for ever. */
const INTERVALS_OF_AN_EXCEPTION = 24;
/** By how much of the spread the next interval may be shorter than any before. */
const MARGIN_SPREADS = 0.5;
/** By how much longer than any before the next update may take. */
const BURST_MARGIN = 1.5;

/**
 * Learns the rhythm of a stream from the times of its last commits; `undefined` where they are too few or
 * irregular. Pure.
 *
 * @param commitTimesMs - publication times, epoch milliseconds, ascending; the last {@link LEARNED_COMMITS} count
 * @see specs/mal.md MAL-25 to MAL-28
 */
export function learnRhythm(commitTimesMs: readonly number[]): Rhythm | undefined {
  const updates = groupUpdates(commitTimesMs.slice(-LEARNED_COMMITS));
  const intervals = regularIntervals(
    updates.slice(1).map(({ startMs }, index) => startMs - (updates[index] as Update).startMs),
  );
  if (intervals.length === 0) return undefined;
  const { startMs: updateMs, endMs: commitMs } = updates.at(-1) as Update;
  const filled = withoutMisses(intervals);
  const medianMs = middle(filled);
  const spreadMs = middleDeviation(filled);
  const soonestMs = Math.floor(shortest(intervals) - MARGIN_SPREADS * spreadMs);
  const burstMs = Math.ceil(BURST_MARGIN * Math.max(...updates.map(({ startMs, endMs }) => endMs - startMs)));
  // Where the next update may start before this one has ended, nothing can be told apart.
  if (soonestMs <= burstMs) return undefined;
  return { intervalMs: usualIntervalMs(medianMs), medianMs, spreadMs, soonestMs, burstMs, updateMs, commitMs };
}

/** The shortest interval, but for one old exception. */
function shortest(intervalsMs: readonly number[]): number {
  const ascending = [...intervalsMs].sort((left, right) => left - right);
  const exceptions = intervalsMs.length >= INTERVALS_OF_AN_EXCEPTION ? 1 : 0;
  return Math.min(ascending[exceptions] as number, ...intervalsMs.slice(-NEWEST_INTERVALS));
}

/** Commits close together that are one update, as when several feeds are read one after the other. */
export interface Update {
  /** Time of its first commit, epoch milliseconds. */
  readonly startMs: number;
  /** Time of its last commit so far, epoch milliseconds. */
  readonly endMs: number;
}

/** How long after its first commit others belong to the same update: this share of a typical gap. */
const BURST_SHARE = 0.1;

/** Which share of the gaps, the longest, is passed over when the typical one is looked for: nights, clocks that are set. */
const OUTLIER_SHARE = 1 / 8;

/**
 * Tells updates from the commits that they are made of. Pure.
 *
 * @param commitTimesMs - publication times, epoch milliseconds, ascending
 * @see specs/mal.md MAL-27
 */
export function groupUpdates(commitTimesMs: readonly number[]): readonly Update[] {
  const reachMs = BURST_SHARE * typicalGapMs(commitTimesMs);
  const updates: Update[] = [];
  for (const timeMs of commitTimesMs) {
    const last = updates.at(-1);
    // From its start, not from commit to commit: updates that come to follow each other faster are no endless burst.
    if (last && timeMs - last.startMs <= reachMs) updates[updates.length - 1] = { ...last, endMs: timeMs };
    else updates.push({ startMs: timeMs, endMs: timeMs });
  }
  return updates;
}

/** The gap of which half of the time is made up by shorter ones: the many short ones within updates hardly count. */
function typicalGapMs(timesMs: readonly number[]): number {
  const gaps = timesMs.slice(1).map((timeMs, index) => timeMs - (timesMs[index] as number));
  gaps.sort((left, right) => left - right);
  gaps.length -= Math.floor(gaps.length * OUTLIER_SHARE);
  const totalMs = gaps.reduce((sum, gap) => sum + gap, 0);
  let passedMs = 0;
  return (
    gaps.find((gap) => {
      passedMs += gap;
      return passedMs >= totalMs / 2;
    }) ?? 0
  );
}

/** How many intervals between updates have to be alike before there is a rhythm, and again after it has changed. */
export const LEAST_INTERVALS = 12;

/** How many of the last intervals a rhythm rests on at most. */
export const MOST_INTERVALS = 32;

/** The most by which the middle one of the intervals of a rhythm differs from their middle (MAD), as a share of it. */
export const IRREGULAR_SPREAD = 0.25;

/** The same, where the rhythm rests on fewer than {@link SURE_INTERVALS}: chance makes few intervals alike more easily. */
const IRREGULAR_SPREAD_OF_FEW = 0.12;
const SURE_INTERVALS = 22;

/** The most intervals of a rhythm that are shorter than half of the middle one: a share of them. */
const SHORT_SHARE = 1 / 12;

/** An older interval is of another rhythm where the middle one of so many up to it differs by this ratio. */
const COMPARED_INTERVALS = 5;
const OTHER_RHYTHM_RATIO = 1.4;

/** After how many updates missed in a row an interval no longer tells how long the others are, one more. */
const MOST_MISSED = 4;

/**
 * The intervals at the end that are of one rhythm; none where they are too few or irregular. Pure.
 *
 * @param intervalsMs - times between updates, milliseconds, oldest first
 * @returns between {@link LEAST_INTERVALS} and {@link MOST_INTERVALS} of them, or none
 * @see specs/mal.md MAL-26
 */
export function regularIntervals(intervalsMs: readonly number[]): readonly number[] {
  const newest = intervalsMs.slice(-LEAST_INTERVALS);
  if (newest.length < LEAST_INTERVALS) return [];
  const alike = intervalsMs.slice(-alikeCount(intervalsMs, middle(withoutMisses(newest))));
  const mostSpread = alike.length >= SURE_INTERVALS ? IRREGULAR_SPREAD : IRREGULAR_SPREAD_OF_FEW;
  return isRegular(newest, mostSpread) && isRegular(alike, mostSpread) ? alike : [];
}

/**
 * The intervals as they would be had no update been missed: one near a multiple of the middle one counts as the
 * interval that it is a multiple of. Pure.
 */
export function withoutMisses(intervalsMs: readonly number[]): number[] {
  const middleMs = middle(intervalsMs);
  return intervalsMs.map((intervalMs) => {
    const times = Math.round(intervalMs / middleMs);
    const isMultiple = times >= 2 && times <= MOST_MISSED && Math.abs(intervalMs - times * middleMs) <= middleMs / 4;
    return isMultiple ? intervalMs / times : intervalMs;
  });
}

/** How many of the last intervals seem to be of the rhythm of the newest. */
function alikeCount(intervalsMs: readonly number[], middleMs: number): number {
  const most = Math.min(intervalsMs.length, MOST_INTERVALS);
  for (let count = LEAST_INTERVALS; count < most; count += 1) {
    const end = intervalsMs.length - count;
    const older = intervalsMs.slice(Math.max(0, end - COMPARED_INTERVALS), end);
    const ratio = middle(withoutMisses(older)) / middleMs;
    if (!(ratio < OTHER_RHYTHM_RATIO && ratio > 1 / OTHER_RHYTHM_RATIO)) return count;
  }
  return most;
}

function isRegular(intervalsMs: readonly number[], mostSpread: number): boolean {
  const filled = withoutMisses(intervalsMs);
  const middleMs = middle(filled);
  const short = filled.filter((intervalMs) => intervalMs < middleMs / 2);
  return middleDeviation(filled) <= mostSpread * middleMs && short.length <= SHORT_SHARE * filled.length;
}

/** What people choose as an interval, milliseconds. */
const USUAL_MS: readonly number[] = [
  ...multiples(1, [1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500]),
  ...multiples(1000, [1, 2, 3, 5, 10, 15, 20, 30, 45]),
  ...multiples(60_000, [1, 2, 3, 5, 10, 15, 20, 30, 45]),
  ...multiples(3_600_000, [1, 2, 3, 6, 12]),
  ...multiples(86_400_000, [1, 2, 7, 14, 30, 90, 365]),
];

/**
 * The interval that people usually choose which is nearest to a measured one, by ratio. Pure.
 *
 * A measured interval differs a little after every update; this one stays as it is, and so do the documents that
 * state it.
 *
 * @param intervalMs - milliseconds, above 0
 * @returns whole milliseconds
 * @see specs/mal.md MAL-31
 */
export function usualIntervalMs(intervalMs: number): number {
  const distance = (usualMs: number) => Math.abs(Math.log(usualMs / intervalMs));
  return USUAL_MS.reduce((best, usualMs) => (distance(usualMs) < distance(best) ? usualMs : best));
}

function multiples(unitMs: number, counts: readonly number[]): number[] {
  return counts.map((count) => count * unitMs);
}

/** The middle value of some, at least one: half of them are no larger, half no smaller. */
export function middle(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const half = sorted.length >> 1;
  const upper = sorted[half] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] as number) + upper) / 2;
}

/** How far the middle one of some values, at least one, is off their middle (MAD). */
export function middleDeviation(values: readonly number[]): number {
  const centre = middle(values);
  return middle(values.map((value) => Math.abs(value - centre)));
}

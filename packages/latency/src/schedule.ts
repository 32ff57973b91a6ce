// From the times of commits to the next update (specs/mal.md). Pure; instants are epoch milliseconds.
//
//   commits (ms)      [0, 20_000, 20_400, 40_100, 60_000, ...]
//   -> updates        commits close together are one update (several feeds, one after the other)
//   -> intervals      of one rhythm only: after a change the older ones no longer count; missed updates are filled in
//   -> estimate       { intervalMs: 20_000, earliestMs: 19_700, burstMs: 600, updateMs: 60_000, commitMs: 60_000 }
//   -> Schedule       { kind: 'interval', intervalMs: 20_000, nextMs: 79_700 } | { kind: 'unknown' }
//   -> NextUpdate     { state: 'predicted', atMs: 79_700 } | { state: 'overdue' } | { state: 'unknown' }
//   -> Freshness      { maxAgeSeconds: 19, expiresMs: 79_700, nextUpdateMs: 79_700 }
//
// The prediction is low on purpose: what is kept until then must hide no update that comes a little early.
// The constants are the outcome of simulations (schedule.prop.test.ts); a change of one needs that test's figures.

/** Updates can become visible every `intervalMs`, next at `nextMs` on the stating side's clock; or at any moment. */
export type Schedule =
  | { readonly kind: 'interval'; readonly intervalMs: number; readonly nextMs: number }
  | { readonly kind: 'unknown' };

/** `predicted` at an instant to come, `overdue` when that has passed, `unknown` where nothing can be predicted. */
export type NextUpdate =
  | { readonly state: 'predicted'; readonly atMs: number }
  | { readonly state: 'overdue' }
  | { readonly state: 'unknown' };

/** Predicts the next update from `nowMs`, the present on the schedule's clock (MAL-1). */
export function nextUpdate(schedule: Schedule, nowMs: number): NextUpdate {
  if (schedule.kind === 'unknown') return { state: 'unknown' };
  // Not the next multiple of the interval: a late update may come at any moment, and a header past it would hide it.
  return schedule.nextMs > nowMs ? { state: 'predicted', atMs: schedule.nextMs } : { state: 'overdue' };
}

/** How long a mutable document may be reused, as its header fields state it. */
export interface Freshness {
  /** `max-age`: whole seconds, 0 or more. */
  readonly maxAgeSeconds: number;
  /** `Expires`: never in the past; HTTP-date drops the part below a second. */
  readonly expiresMs: number;
  /** `Next-Update`; absent when the next update is unknown or overdue. */
  readonly nextUpdateMs?: number;
}

/** How long a document may be reused when the next update may come at any moment. */
export const MICRO_CACHE_SECONDS = 1;

/** Freshness of a response that is sent now: to the next update and no further (DOC-8; RFC 9111, section 4.2.1). */
export function freshness(next: NextUpdate, nowMs: number): Freshness {
  if (next.state === 'predicted') {
    const maxAgeSeconds = Math.max(0, Math.floor((next.atMs - nowMs) / 1000));
    return { maxAgeSeconds, expiresMs: Math.max(nowMs, next.atMs), nextUpdateMs: next.atMs };
  }
  return { maxAgeSeconds: MICRO_CACHE_SECONDS, expiresMs: nowMs + MICRO_CACHE_SECONDS * 1000 };
}

/** How many of the last commits a schedule is learned from at most. */
export const LEARNED_COMMITS = 64;

/**
 * Learns when the next update comes from the publication times of a stream's commits, ascending (MAL-25, MAL-26, MAL-29).
 * The last {@link LEARNED_COMMITS} count; `nowMs` is the present on the same clock.
 */
export function learnSchedule(commitTimesMs: readonly number[], nowMs: number): Schedule {
  return scheduleOf(estimateInterval(commitTimesMs), nowMs);
}

/** Learns a schedule as `learnSchedule` does, from commits as they come: anew after a commit, when it is asked for. */
export class ScheduleEstimator {
  #timesMs: number[] = [];
  #estimate: IntervalEstimate | 'stale' | undefined;

  /** Takes note of a commit; one that is no later than the last is ignored. */
  add(commitMs: number): void {
    if (commitMs <= (this.#timesMs.at(-1) ?? Number.NEGATIVE_INFINITY)) return;
    this.#timesMs.push(commitMs);
    // Cut seldom, so that a commit costs no copy of the others.
    if (this.#timesMs.length >= 2 * LEARNED_COMMITS) this.#timesMs = this.#timesMs.slice(-LEARNED_COMMITS);
    this.#estimate = 'stale';
  }

  /** Takes note of stored commits, ascending. They may overlap the added ones, of which the later ones are kept. */
  seed(storedMs: readonly number[]): void {
    const lastMs = storedMs.at(-1) ?? Number.NEGATIVE_INFINITY;
    this.#timesMs = [...storedMs, ...this.#timesMs.filter((timeMs) => timeMs > lastMs)];
    this.#estimate = 'stale';
  }

  /** When the next update is expected, at `nowMs` on the clock of the commits. */
  schedule(nowMs: number): Schedule {
    if (this.#estimate === 'stale') this.#estimate = estimateInterval(this.#timesMs);
    return scheduleOf(this.#estimate, nowMs);
  }
}

function scheduleOf(estimate: IntervalEstimate | undefined, nowMs: number): Schedule {
  if (!estimate) return { kind: 'unknown' };
  const { intervalMs, updateMs, commitMs, earliestMs, burstMs } = estimate;
  // A commit in the future means that a clock was set back: by this clock nobody knows when the next one comes.
  if (nowMs < commitMs) return { kind: 'interval', intervalMs, nextMs: nowMs };
  // An update that may get further commits counts as due already: a later instant would hide them.
  const isComplete = nowMs >= updateMs + burstMs;
  return { kind: 'interval', intervalMs, nextMs: isComplete ? updateMs + earliestMs : commitMs };
}

interface IntervalEstimate {
  readonly intervalMs: number;
  readonly earliestMs: number; // from the start of an update to that of the next: a low estimate
  readonly burstMs: number; // for how long after its start an update may get further commits
  readonly updateMs: number; // when the last update started
  readonly commitMs: number; // when the last commit was
}

// How many of the newest intervals `earliestMs` stays below: an update that comes early counts at once.
const NEWEST_INTERVALS = 8;
// Of so many intervals an older one may be shorter: one early update is not a rule for ever.
const INTERVALS_OF_AN_EXCEPTION = 24;
// By how much of the deviation the next interval may be shorter than any before.
const MARGIN_DEVIATIONS = 0.5;
// How many times longer than any before the next update may take.
const BURST_MARGIN = 1.5;

function estimateInterval(commitTimesMs: readonly number[]): IntervalEstimate | undefined {
  const updates = groupUpdates(commitTimesMs.slice(-LEARNED_COMMITS));
  const intervals = recentRegularIntervals(gapsOf(updates.map(({ startMs }) => startMs)));
  if (intervals.length === 0) return undefined;
  const { startMs: updateMs, endMs: commitMs } = updates.at(-1) as Update;
  const filled = fillMissed(intervals);
  const earliestMs = Math.floor(minInterval(intervals) - MARGIN_DEVIATIONS * medianDeviation(filled));
  const burstMs = Math.ceil(BURST_MARGIN * Math.max(...updates.map(({ startMs, endMs }) => endMs - startMs)));
  // Where the next update may start before this one has ended, the two cannot be distinguished.
  if (earliestMs <= burstMs) return undefined;
  return { intervalMs: roundInterval(median(filled)), earliestMs, burstMs, updateMs, commitMs };
}

function minInterval(intervalsMs: readonly number[]): number {
  const exceptions = intervalsMs.length >= INTERVALS_OF_AN_EXCEPTION ? 1 : 0;
  return Math.min(ascending(intervalsMs)[exceptions] as number, ...intervalsMs.slice(-NEWEST_INTERVALS));
}

type Update = { readonly startMs: number; readonly endMs: number };

// For which share of a typical gap after its first commit others belong to the same update.
const BURST_SHARE = 0.1;
// Which share of the gaps, the longest, is ignored when the typical one is looked for: nights, clocks that are set.
const OUTLIER_SHARE = 1 / 8;

function groupUpdates(commitTimesMs: readonly number[]): readonly Update[] {
  const reachMs = BURST_SHARE * typicalGapMs(commitTimesMs);
  const updates: Update[] = [];
  for (const timeMs of commitTimesMs) {
    const last = updates.at(-1);
    // From its start, not from commit to commit: updates that follow each other ever faster are not one endless burst.
    if (last && timeMs - last.startMs <= reachMs) updates[updates.length - 1] = { ...last, endMs: timeMs };
    else updates.push({ startMs: timeMs, endMs: timeMs });
  }
  return updates;
}

// Shorter gaps make up half of the time: the many short ones within updates hardly count.
function typicalGapMs(timesMs: readonly number[]): number {
  const gaps = ascending(gapsOf(timesMs));
  gaps.length -= Math.floor(gaps.length * OUTLIER_SHARE);
  const halfMs = gaps.reduce((sum, gap) => sum + gap, 0) / 2;
  let passedMs = 0;
  for (const gap of gaps) {
    passedMs += gap;
    if (passedMs >= halfMs) return gap;
  }
  return 0;
}

// What follows was tuned together (MAL-26).
// A rhythm needs so many intervals that are alike, anew after each change, and rests on so many at most.
const MIN_INTERVALS = 12;
const MAX_INTERVALS = 32;
// How far they deviate from their median (MAD) at most, as a share of it: chance makes few of them alike more easily.
const MAX_DEVIATION = 0.25;
const MAX_DEVIATION_OF_FEW = 0.12;
const SURE_INTERVALS = 22;
// Which share of them may be shorter than half of the median.
const SHORT_SHARE = 1 / 12;
// An older interval is of another rhythm where the median of so many up to it differs by this ratio.
const COMPARED_INTERVALS = 5;
const OTHER_RHYTHM_RATIO = 1.4;
// An interval of more than so many others no longer tells how long they are.
const MAX_MULTIPLE = 4;

function recentRegularIntervals(intervalsMs: readonly number[]): readonly number[] {
  const newest = intervalsMs.slice(-MIN_INTERVALS);
  if (newest.length < MIN_INTERVALS) return [];
  const alike = intervalsMs.slice(-sameRhythmCount(intervalsMs, median(fillMissed(newest))));
  const maxDeviation = alike.length >= SURE_INTERVALS ? MAX_DEVIATION : MAX_DEVIATION_OF_FEW;
  return isRegular(newest, maxDeviation) && isRegular(alike, maxDeviation) ? alike : [];
}

// One near a multiple of the median counts as what it is a multiple of: updates between were missed.
function fillMissed(intervalsMs: readonly number[]): number[] {
  const medianMs = median(intervalsMs);
  return intervalsMs.map((intervalMs) => {
    const times = Math.round(intervalMs / medianMs);
    const isMultiple = times >= 2 && times <= MAX_MULTIPLE && Math.abs(intervalMs - times * medianMs) <= medianMs / 4;
    return isMultiple ? intervalMs / times : intervalMs;
  });
}

function sameRhythmCount(intervalsMs: readonly number[], medianMs: number): number {
  const max = Math.min(intervalsMs.length, MAX_INTERVALS);
  for (let count = MIN_INTERVALS; count < max; count += 1) {
    const end = intervalsMs.length - count;
    const older = intervalsMs.slice(Math.max(0, end - COMPARED_INTERVALS), end);
    const ratio = median(fillMissed(older)) / medianMs;
    if (!(ratio < OTHER_RHYTHM_RATIO && ratio > 1 / OTHER_RHYTHM_RATIO)) return count;
  }
  return max;
}

function isRegular(intervalsMs: readonly number[], maxDeviation: number): boolean {
  const filled = fillMissed(intervalsMs);
  const medianMs = median(filled);
  const short = filled.filter((intervalMs) => intervalMs < medianMs / 2);
  return medianDeviation(filled) <= maxDeviation * medianMs && short.length <= SHORT_SHARE * filled.length;
}

// What people choose as an interval.
const CHOSEN_INTERVALS_MS: readonly number[] = [
  ...[1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500],
  ...[1, 2, 3, 5, 10, 15, 20, 30, 45].flatMap((count) => [count * 1000, count * 60_000]),
  ...[1, 2, 3, 6, 12].map((hours) => hours * 3_600_000),
  ...[1, 2, 7, 14, 30, 90, 365].map((days) => days * 86_400_000),
];

// A measured interval wobbles after every update; the documents that state it must not (MAL-31).
function roundInterval(intervalMs: number): number {
  const distance = (chosenMs: number) => Math.abs(Math.log(chosenMs / intervalMs));
  return CHOSEN_INTERVALS_MS.reduce((best, chosenMs) => (distance(chosenMs) < distance(best) ? chosenMs : best));
}

function gapsOf(timesMs: readonly number[]): number[] {
  return timesMs.slice(1).map((timeMs, index) => timeMs - (timesMs[index] as number));
}

function ascending(values: readonly number[]): number[] {
  return [...values].sort((left, right) => left - right);
}

function median(values: readonly number[]): number {
  const sorted = ascending(values);
  const half = sorted.length >> 1;
  const upper = sorted[half] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] as number) + upper) / 2;
}

function medianDeviation(values: readonly number[]): number {
  const centre = median(values);
  return median(values.map((value) => Math.abs(value - centre)));
}

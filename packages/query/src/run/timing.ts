/*
 * Pure: when a query is asked, which windows are complete, how old an answer is. Instants are in epoch milliseconds.
 *
 *   { nowMs: 5000, malMs: 1000, lastStartMs: 4800, isChanged: true, ... } -> nextEvaluationMs -> 5800
 *   { sources: [{ newestMs: 50, ... }], allowedLatenessMs: 20, ... } -> closedToMs -> 30, and windows up to it are asked
 */
import type { WindowTime } from '../views/windows.ts';

export interface SourceState {
  /** Since when it is read. */
  readonly readSinceMs: number;
  /** When it brought something for the first time. */
  readonly firstAtMs: number | undefined;
  /** Nothing will come any more, and all that came was applied. */
  readonly hasEnded: boolean;
  /** How far it is behind, milliseconds. */
  readonly lagMs: number;
  /** Whether it goes on to claim completeness; one that does not is taken to be complete once it has brought nothing for a MAL. */
  readonly isClaiming: boolean;
  readonly completeToMs: number | undefined;
  /** When the newest of what it brought was published; `-Infinity` before anything. */
  readonly publishedMs: number;
  /** The latest instant of any of its members by the windows' time; `-Infinity` before any. */
  readonly newestMs: number;
  /** Since when nothing has come from it though it was asked; absent while something waits to be applied. */
  readonly idleSinceMs: number | undefined;
}

/** What decides when a query is asked next. */
export interface EvaluationState {
  readonly nowMs: number;
  readonly malMs: number;
  /** When the last evaluation began; absent before the first. */
  readonly lastStartMs: number | undefined;
  /** Whether a change that matters has been applied since. */
  readonly isChanged: boolean;
  /** Whether the answer changes as time passes. */
  readonly isVolatile: boolean;
  readonly sources: readonly SourceState[];
}

/**
 * The least time between the starts of two evaluations, milliseconds: what the sources' lag leaves of the MAL, but at
 * least half of it.
 *
 * @see specs/query.md QUERY-61
 */
function evaluationIntervalMs(malMs: number, sources: readonly SourceState[]): number {
  const lagMs = Math.max(0, ...sources.map((source) => source.lagMs));
  return Math.max(malMs - lagMs, malMs / 2);
}

/**
 * When the query is to be asked, epoch milliseconds, now or later; `undefined` while there is no need.
 *
 * @see specs/query.md QUERY-61
 */
export function nextEvaluationMs(state: EvaluationState): number | undefined {
  const { nowMs, malMs, lastStartMs, isChanged, isVolatile, sources } = state;
  if (lastStartMs === undefined) return firstEvaluationMs(state);
  // Nothing more can come that an answer could wait for.
  if (sources.every(({ hasEnded }) => hasEnded)) return isChanged ? nowMs : undefined;
  if (!isChanged && !isVolatile) return undefined;
  // A clock that was set back must not put the next one off.
  if (nowMs < lastStartMs) return nowMs;
  return Math.max(nowMs, lastStartMs + evaluationIntervalMs(malMs, sources));
}

function firstEvaluationMs({ nowMs, malMs, sources }: EvaluationState): number | undefined {
  const silent = sources.filter(({ firstAtMs, hasEnded }) => firstAtMs === undefined && !hasEnded);
  if (silent.length === 0) return nowMs;
  // Once another source has brought something, a silent one is waited for no longer than the MAL.
  if (sources.every(({ firstAtMs }) => firstAtMs === undefined)) return undefined;
  return Math.max(nowMs, Math.max(...silent.map(({ readSinceMs }) => readSinceMs)) + malMs);
}

/** The sources are asked for their claims every so many MALs, so that the age of an answer is never far off. */
const CLAIMS_SHARE = 0.1;

const MIN_CLAIMS_INTERVAL_MS = 50;

/** How often the sources are asked how complete their data are, milliseconds: no less often than the query may be asked. */
export function claimsIntervalMs(malMs: number): number {
  return Math.min(malMs / 2, Math.max(CLAIMS_SHARE * malMs, MIN_CLAIMS_INTERVAL_MS));
}

/** At most so many events are applied while an evaluation is due. */
export const MOST_EVENTS_TAKEN = 1000;

/** At most this share of the MAL is spent on applying events while an evaluation is due. */
const TAKING_SHARE = 0.25;

/**
 * Whether an evaluation that is due is put off for what has come already. A query that takes longer than changes take to come
 * falls ever further behind if it is asked again for each; one that waits for all of them may never be asked.
 *
 * @param dueSinceMs - since when it is due, epoch milliseconds
 * @param taken - how many events were taken in since
 */
export function isWorthTakingMore(dueSinceMs: number, taken: number, nowMs: number, malMs: number): boolean {
  return taken < MOST_EVENTS_TAKEN && nowMs - dueSinceMs < TAKING_SHARE * malMs;
}

/** What decides up to when time windows are complete. */
export interface WindowClock {
  readonly nowMs: number;
  readonly malMs: number;
  readonly time: WindowTime;
  /** How long windows wait for late members, milliseconds. */
  readonly allowedLatenessMs: number;
  readonly sources: readonly SourceState[];
}

/**
 * The instant up to which windows are complete, by the time that members are windowed by: what the source furthest behind
 * shows, less the lateness that is allowed. `Infinity` when all have ended, `-Infinity` while nothing is known.
 *
 * A source's own time goes on from its newest member as the wall clock does while it is idle, so that a recording whose
 * times lie in the past is windowed as it was when it was made.
 *
 * @see specs/query.md QUERY-66, QUERY-36
 */
export function closedToMs(clock: WindowClock): number {
  const { nowMs, time, allowedLatenessMs, sources } = clock;
  const shownMs = Math.min(...sources.map((source) => shownBy(source, clock)));
  if (time === 'published' || shownMs === Infinity) return shownMs - allowedLatenessMs;
  // A source's own time may be wrong: what lies ahead of the clock closes nothing before it is the present.
  return Math.min(shownMs, nowMs) - allowedLatenessMs;
}

function shownBy(source: SourceState, clock: WindowClock): number {
  const { hasEnded, isClaiming, completeToMs, publishedMs, newestMs } = source;
  if (hasEnded) return Infinity;
  if (!isClaiming) return shownByIdling(source, clock);
  if (completeToMs === undefined) return newestMs;
  if (clock.time === 'published' || newestMs === -Infinity) return Math.max(newestMs, completeToMs);
  // Members come as long after their own time as the newest did.
  return newestMs + Math.max(0, completeToMs - publishedMs);
}

function shownByIdling({ newestMs, idleSinceMs }: SourceState, { nowMs, malMs }: WindowClock): number {
  const idleMs = idleSinceMs === undefined ? 0 : Math.max(0, nowMs - idleSinceMs);
  if (newestMs === -Infinity) return idleMs >= malMs ? nowMs - malMs : -Infinity;
  return newestMs + Math.max(0, idleMs - malMs);
}

/**
 * When to look again whether a window is complete, if nothing comes until then, epoch milliseconds; `Infinity` where that is
 * for a source to claim.
 *
 * @param closeMs - when the window closes, epoch milliseconds by the windows' time
 */
export function windowWakeMs(closeMs: number, clock: WindowClock): number {
  const { nowMs, time, allowedLatenessMs, sources } = clock;
  const neededMs = closeMs + allowedLatenessMs;
  const wakes = sources.map((source) => {
    if (shownBy(source, clock) >= neededMs) return nowMs;
    return source.isClaiming ? Infinity : idleWakeMs(neededMs, source, clock);
  });
  return Math.max(time === 'version' ? neededMs : nowMs, ...wakes);
}

function idleWakeMs(neededMs: number, { newestMs, idleSinceMs }: SourceState, { nowMs, malMs }: WindowClock): number {
  const sinceMs = idleSinceMs ?? nowMs;
  if (newestMs === -Infinity) return Math.max(sinceMs, neededMs) + malMs;
  return sinceMs + malMs + (neededMs - newestMs);
}

/**
 * Up to when all that was published is in what the sources brought, epoch milliseconds: what the one furthest behind
 * shows; 0 where one shows nothing. Never later than now.
 *
 * @see specs/query.md QUERY-2
 */
export function dataAsOfMs(sources: readonly SourceState[], nowMs: number): number {
  const shown = sources.map(({ completeToMs, publishedMs }) => completeToMs ?? publishedMs);
  return Math.max(0, Math.min(nowMs, ...shown));
}

/** How late the timer of a wait may wake without that counting against the MAL, milliseconds. */
export const TIMER_SLACK_MS = 50;

/**
 * Whether an answer is older than the MAL allows: the evaluation took longer, or a change had waited longer for it,
 * or the sources were further behind when it began, or before they brought what it is the first to see.
 *
 * @param waitedMs - the longest of those waits before it began
 * @see specs/query.md QUERY-64
 */
export function isOverrun(malMs: number, evaluationMs: number, waitedMs: number): boolean {
  return evaluationMs > malMs || waitedMs > malMs + TIMER_SLACK_MS;
}

import type { WindowTime } from './event-standing.ts';

/** What decides up to when time windows are complete. Instants in epoch milliseconds. */
export interface WindowClock {
  readonly nowMs: number;
  readonly malMs: number;
  readonly time: WindowTime;
  /** How long windows wait for late members, milliseconds. */
  readonly allowedLatenessMs: number;
  readonly sources: readonly WindowSource[];
}

/** What counts of a source. Instants in epoch milliseconds. */
export interface WindowSource {
  readonly hasEnded: boolean;
  /** Whether it claims completeness; one that does not is taken to be complete once it has brought nothing for a MAL. */
  readonly isClaiming: boolean;
  readonly completeToMs: number | undefined;
  /** When the newest of what it brought was published; `-Infinity` before anything. */
  readonly publishedMs: number;
  /** The latest instant of any of its members by the windows' time; `-Infinity` before any. */
  readonly newestMs: number;
  /** Since when nothing has come from it though it was asked; absent while something waits to be applied. */
  readonly idleSinceMs: number | undefined;
}

/**
 * The instant up to which windows are complete, by the time that members are windowed by: what the source furthest behind
 * shows, less the lateness that is allowed. `Infinity` when all have ended, `-Infinity` while nothing is known.
 *
 * A source's own time goes on from its newest member as the wall clock does while it is idle, so that a recording whose
 * times lie in the past is windowed as it was when it was made.
 *
 * @see specs/query.md QUERY-66, QUERY-67, QUERY-68
 */
export function closedToMs(clock: WindowClock): number {
  const { nowMs, time, allowedLatenessMs, sources } = clock;
  const shownMs = Math.min(...sources.map((source) => shownBy(source, clock)));
  if (time === 'published' || shownMs === Infinity) return shownMs - allowedLatenessMs;
  // A source's own time may be wrong: what lies ahead of the clock closes nothing before it is the present.
  return Math.min(shownMs, nowMs) - allowedLatenessMs;
}

function shownBy(source: WindowSource, clock: WindowClock): number {
  const { hasEnded, isClaiming, completeToMs, publishedMs, newestMs } = source;
  if (hasEnded) return Infinity;
  if (!isClaiming) return shownByIdling(source, clock);
  if (completeToMs === undefined) return newestMs;
  if (clock.time === 'published' || newestMs === -Infinity) return Math.max(newestMs, completeToMs);
  // Members come as long after their own time as the newest did.
  return newestMs + Math.max(0, completeToMs - publishedMs);
}

function shownByIdling({ newestMs, idleSinceMs }: WindowSource, { nowMs, malMs }: WindowClock): number {
  const idleMs = idleSinceMs === undefined ? 0 : Math.max(0, nowMs - idleSinceMs);
  if (newestMs === -Infinity) return idleMs >= malMs ? nowMs - malMs : -Infinity;
  return newestMs + Math.max(0, idleMs - malMs);
}

/**
 * When to look again whether a window is complete, if nothing comes until then, epoch milliseconds.
 *
 * @param closeMs - when the window closes, epoch milliseconds by the windows' time
 * @param intervalMs - how often sources that claim completeness are looked at, milliseconds
 */
export function windowWakeMs(closeMs: number, clock: WindowClock, intervalMs: number): number {
  const { nowMs, time, allowedLatenessMs, sources } = clock;
  const neededMs = closeMs + allowedLatenessMs;
  const wakes = sources.map((source) => {
    if (shownBy(source, clock) >= neededMs) return nowMs;
    return source.isClaiming ? nowMs + intervalMs : idleWakeMs(neededMs, source, clock);
  });
  return Math.max(time === 'version' ? neededMs : nowMs, ...wakes);
}

function idleWakeMs(neededMs: number, { newestMs, idleSinceMs }: WindowSource, { nowMs, malMs }: WindowClock): number {
  const sinceMs = idleSinceMs ?? nowMs;
  if (newestMs === -Infinity) return Math.max(sinceMs, neededMs) + malMs;
  return sinceMs + malMs + (neededMs - newestMs);
}

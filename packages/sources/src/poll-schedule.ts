import { MAX_RETRY_AFTER_MS } from '@ldes-live/latency';

/** The longest wait after failures, milliseconds; an interval longer than this is kept. */
export const MAX_BACKOFF_MS = 300_000;

/** The most that failures stretch the interval. */
export const MAX_BACKOFF_INTERVALS = 8;

/** The longest that the first poll is put off, milliseconds. */
export const MAX_OFFSET_MS = 1000;

/** The longest that any later poll is put off, milliseconds. */
export const MAX_JITTER_MS = 1000;

// Small enough that the slot of a poll can be told from when it was planned.
const JITTER_SHARE = 0.05;

/**
 * When a source polls first, epoch milliseconds: nearly at once, and at an offset of its own, so that
 * sources started together do not poll together for the rest of their lives.
 *
 * @param random - a number in [0, 1)
 */
export function firstPollMs(nowMs: number, intervalMs: number, random: number): number {
  return nowMs + Math.floor(random * Math.min(intervalMs, MAX_OFFSET_MS));
}

/** What the time of the next poll depends on. */
export interface PollCircumstances {
  /** How often the feed is polled, milliseconds, above 0. */
  readonly intervalMs: number;
  /** When the first poll was planned, epoch milliseconds: polls keep to multiples of the interval after it. */
  readonly firstMs: number;
  /** When the last poll was planned, epoch milliseconds. */
  readonly lastMs: number;
  /** The present, epoch milliseconds. */
  readonly nowMs: number;
  /** How many polls have failed in a row, 0 or more. */
  readonly failures: number;
  /** What the server asked for by `Retry-After`, milliseconds from now. */
  readonly retryAfterMs?: number;
  /** A number in [0, 1), new for each poll. */
  readonly random: number;
}

/**
 * When to poll next, epoch milliseconds. Pure.
 *
 * Polls keep to slots one interval apart, so they do not drift, however long each takes; a little jitter
 * is added to each and does not add up. The first failure waits for the next slot, each one after it for
 * twice as many, up to {@link MAX_BACKOFF_INTERVALS} or {@link MAX_BACKOFF_MS}, whichever is less; never
 * less than one. `Retry-After` is respected up to {@link MAX_RETRY_AFTER_MS}.
 *
 * @see specs/gtfs-realtime.md GTFS-41
 */
export function nextPollMs(circumstances: PollCircumstances): number {
  const { intervalMs, firstMs, lastMs, nowMs, failures, random } = circumstances;
  const retryAfterMs = Math.min(circumstances.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  // The present counts when the clock was set back: the last plan would then be far ahead.
  const lastSlot = Math.round((Math.min(lastMs, nowMs) - firstMs) / intervalMs);
  const soonestSlot = Math.ceil((nowMs + retryAfterMs - firstMs) / intervalMs);
  const slot = Math.max(lastSlot + backoffIntervals(failures, intervalMs), soonestSlot);
  return firstMs + slot * intervalMs + jitterMs(intervalMs, random);
}

/** By how much a poll is put off so that many sources do not poll together, milliseconds. */
export function jitterMs(intervalMs: number, random: number): number {
  return Math.floor(random * Math.min(intervalMs * JITTER_SHARE, MAX_JITTER_MS));
}

function backoffIntervals(failures: number, intervalMs: number): number {
  const doubled = 2 ** Math.max(0, failures - 1);
  return Math.max(1, Math.min(doubled, MAX_BACKOFF_INTERVALS, Math.floor(MAX_BACKOFF_MS / intervalMs)));
}

import { quantile } from '@ldes-live/latency';

/** How many of the last updates the estimate rests on. */
export const VISIBLE_DELAY_SAMPLES = 8;

/** Which share of them the estimate covers: the upper quartile. */
const VISIBLE_DELAY_SHARE = 0.75;

/** What is added to it, milliseconds: for timers that end late. */
export const VISIBLE_DELAY_MARGIN_MS = 10;

/** The estimate before there is anything to rest it on, milliseconds. */
export const FIRST_VISIBLE_DELAY_MS = 1000;

/**
 * How long after the start of a poll its update is visible, estimated, in whole milliseconds. Pure.
 *
 * The upper quartile, by nearest rank, of the last {@link VISIBLE_DELAY_SAMPLES}, and
 * {@link VISIBLE_DELAY_MARGIN_MS} more. Caches and clients ask again when it has passed. The least would be
 * too early: a cache that asks in the gap before the update keeps the old document for its micro-cache
 * second, for everybody behind it. The largest would be too late: one slow poll would hide the next seven
 * updates for as long as it took.
 *
 * @param samplesMs - what it took so far, milliseconds, oldest first
 * @see specs/gtfs-realtime.md GTFS-42
 */
export function visibleDelayMs(samplesMs: readonly number[]): number {
  if (samplesMs.length === 0) return FIRST_VISIBLE_DELAY_MS;
  const recent = samplesMs.slice(-VISIBLE_DELAY_SAMPLES);
  return Math.ceil(quantile(recent, VISIBLE_DELAY_SHARE, 0) + VISIBLE_DELAY_MARGIN_MS);
}

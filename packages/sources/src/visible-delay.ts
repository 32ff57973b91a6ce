/** How many of the last polls the estimate rests on. */
export const VISIBLE_DELAY_SAMPLES = 8;

/** The estimate before there is anything to rest it on, milliseconds. */
export const FIRST_VISIBLE_DELAY_MS = 1000;

const MARGIN_FACTOR = 1.25;
const MARGIN_MS = 20;

/**
 * How long after the start of a poll its update is visible, estimated, in whole milliseconds. Pure.
 *
 * The longest of the last {@link VISIBLE_DELAY_SAMPLES} and a quarter and 20 ms more: clients plan their
 * requests by it, and a request that comes too early finds nothing and must be repeated.
 *
 * @param samplesMs - what it took so far, milliseconds, oldest first
 */
export function visibleDelayMs(samplesMs: readonly number[]): number {
  const recent = samplesMs.slice(-VISIBLE_DELAY_SAMPLES);
  return recent.length === 0 ? FIRST_VISIBLE_DELAY_MS : Math.ceil(Math.max(...recent) * MARGIN_FACTOR + MARGIN_MS);
}

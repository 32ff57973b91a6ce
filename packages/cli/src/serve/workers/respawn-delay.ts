/** A worker that lived this long did not die of how it was started, milliseconds. */
export const LONG_LIFE_MS = 10_000;

/** The wait after the first worker that died young, milliseconds. */
const FIRST_WAIT_MS = 200;

/** The longest wait, milliseconds. */
const LONGEST_WAIT_MS = 10_000;

/**
 * How long to wait before a worker that died is replaced, milliseconds: not at all after a long life; else twice as long
 * as the time before.
 *
 * @param youngDeaths - how many workers in a row, the last one included, died before {@link LONG_LIFE_MS}
 */
export function respawnDelayMs(youngDeaths: number): number {
  if (youngDeaths === 0) return 0;
  // Past this exponent it is the longest anyway.
  return Math.min(FIRST_WAIT_MS * 2 ** Math.min(youngDeaths - 1, 16), LONGEST_WAIT_MS);
}

import type { Sleep } from './within.ts';

/** The longest single sleep, milliseconds: timers take 31 bits and fire at once beyond. */
export const LONGEST_SLEEP_MS = 2 ** 31 - 1;

// Timers may fire just before the clock shows their time.
const TIMER_EARLY_MS = 1;

/**
 * Waits until an instant, and no longer than it is away now: a clock that is set back on the way does
 * not hold it up.
 *
 * @param atMs - epoch milliseconds
 */
export async function sleepUntil(
  atMs: number,
  { clock, sleep, signal }: { clock: () => number; sleep: Sleep; signal: AbortSignal },
): Promise<void> {
  for (let leftMs = atMs - clock(); leftMs > 0; ) {
    const ms = Math.min(Math.ceil(leftMs) + TIMER_EARLY_MS, LONGEST_SLEEP_MS);
    await sleep(ms, signal);
    leftMs = Math.min(leftMs - ms, atMs - clock());
  }
}

import type { Sleep } from '@ldes-live/sources';

/**
 * Waits for something, but no longer than so long, nor once the signal is aborted; leaves no timer behind.
 *
 * @param limitMs - milliseconds
 * @throws what it fails with
 */
export async function waitAtMost(
  limitMs: number,
  awaited: Promise<unknown>,
  sleep: Sleep,
  signal: AbortSignal,
): Promise<void> {
  const done = new AbortController();
  const slept = sleep(limitMs, AbortSignal.any([signal, done.signal])).catch(() => undefined);
  try {
    await Promise.race([awaited, slept]);
  } finally {
    done.abort();
  }
}

/** The longest wait that timers know, milliseconds: longer ones would end at once. */
export const LONGEST_SLEEP_MS = 2 ** 31 - 1;

/**
 * Waits by a timer.
 *
 * @param ms - 0 to {@link LONGEST_SLEEP_MS}
 * @throws the signal's reason when it is aborted
 */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
  });
}

/** A condition that one caller waits for; a notification that comes before the wait ends it at once. */
export class Wakeup {
  #isDue = false;
  #wake: (() => void) | undefined;

  notify(): void {
    this.#isDue = true;
    this.#wake?.();
  }

  /** Waits for a notification since the last one that ended a wait. */
  async wait(): Promise<void> {
    if (!this.#isDue) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
    this.#isDue = false;
  }
}

/** The longest wait that timers know, milliseconds: longer ones would end at once. */
export const MAX_SLEEP_MS = 2 ** 31 - 1;

/**
 * Waits by a timer.
 *
 * @param ms - 0 to {@link MAX_SLEEP_MS}
 * @throws the signal's reason when it is aborted
 */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const slept = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return untilAborted(slept, signal).finally(() => clearTimeout(timer));
}

/** Lets everything else in this thread have its turn. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    // Browsers have no `setImmediate`.
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}

/** Waits for work, or rejects with the reason of the signal as soon as that is aborted. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (onAbort) signal.removeEventListener('abort', onAbort);
  }
}

/** A clock that stands still until a test moves it, and waits that end when it has moved far enough. */
export interface SteppedTime {
  readonly clock: () => number;
  readonly sleep: (durationMs: number, signal?: AbortSignal) => Promise<void>;
  /** Moves the clock, and ends the waits that are over, the earliest first. */
  advance(durationMs: number): void;
}

/** Time that a test steps through: hours of a stream's life in as many seconds as the machine needs. */
export function steppedTime(startMs: number): SteppedTime {
  let nowMs = startMs;
  const waiting = new Map<object, { readonly dueMs: number; readonly end: () => void }>();
  return {
    clock: () => nowMs,
    sleep: (durationMs, signal) =>
      new Promise((resolve, reject) => {
        const key = {};
        const abort = () => {
          waiting.delete(key);
          reject(signal?.reason);
        };
        if (signal?.aborted) return abort();
        signal?.addEventListener('abort', abort, { once: true });
        const end = () => {
          waiting.delete(key);
          signal?.removeEventListener('abort', abort);
          resolve();
        };
        waiting.set(key, { dueMs: nowMs + durationMs, end });
      }),
    advance: (durationMs) => {
      nowMs += durationMs;
      const due = [...waiting.values()].filter(({ dueMs }) => dueMs <= nowMs);
      for (const { end } of due.sort((a, b) => a.dueMs - b.dueMs)) end();
    },
  };
}

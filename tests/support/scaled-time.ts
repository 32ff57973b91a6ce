import { setTimeout } from 'node:timers/promises';

/** A clock that runs faster than the wall's, and waits that are as much shorter. */
export interface ScaledTime {
  readonly clock: () => number;
  readonly sleep: (durationMs: number, signal?: AbortSignal) => Promise<void>;
}

/** Time that runs `scale` times as fast from now on: minutes of a stream's life in seconds of a test's. */
export function scaledTime(scale: number): ScaledTime {
  const startedMs = Date.now();
  return {
    clock: () => startedMs + (Date.now() - startedMs) * scale,
    sleep: (durationMs, signal) => setTimeout(durationMs / scale, undefined, { signal }),
  };
}

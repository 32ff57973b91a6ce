import { monotonicMicros } from './monotonic-micros.ts';

const LOOK_MS = 20;

/** Watches how late the event loop of its process comes to a timer. */
export class LoopLag {
  #lookedMicros = monotonicMicros();
  #longestMicros = 0;

  /** @returns ends it */
  start(): () => void {
    const timer = setInterval(() => this.#look(monotonicMicros(), LOOK_MS * 1000), LOOK_MS);
    timer.unref();
    return () => clearInterval(timer);
  }

  /** The longest since the last time, microseconds; a loop that has been away until now counts. */
  take(): number {
    const now = monotonicMicros();
    const longest = Math.max(this.#longestMicros, now - this.#lookedMicros - LOOK_MS * 1000);
    this.#longestMicros = 0;
    return longest;
  }

  #look(now: number, intervalMicros: number): void {
    this.#longestMicros = Math.max(this.#longestMicros, now - this.#lookedMicros - intervalMicros);
    this.#lookedMicros = now;
  }
}

import { setImmediate as turn } from 'node:timers/promises';

/** A clock whose time passes when it is told to, a millisecond after the other, and waits that end by it. */
export class VirtualClock {
  /** Epoch milliseconds. */
  nowMs: number;
  readonly #due = new Map<number, Set<() => void>>();

  /** @param startMs - epoch milliseconds */
  constructor(startMs: number) {
    this.nowMs = startMs;
  }

  readonly clock = (): number => this.nowMs;

  /** Waits for a millisecond at least, as timers do. */
  readonly sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    const atMs = Math.ceil(this.nowMs + Math.max(1, ms));
    const due = this.#due.get(atMs) ?? new Set();
    this.#due.set(atMs, due);
    await new Promise<void>((resolve, reject) => {
      const abort = () => {
        due.delete(wake);
        reject(signal.reason);
      };
      const wake = () => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      due.add(wake);
      signal.addEventListener('abort', abort, { once: true });
    });
  };

  /**
   * Lets time pass; whoever is woken has done all that it can do before time goes on.
   *
   * @param isBusy - whether something is under way that takes no time of this clock
   */
  async pass(durationMs: number, isBusy: () => boolean): Promise<void> {
    for (const endMs = this.nowMs + durationMs; this.nowMs < endMs; ) {
      this.nowMs += 1;
      const due = this.#due.get(this.nowMs);
      if (!due) continue;
      this.#due.delete(this.nowMs);
      for (const wake of due) wake();
      do await turn();
      while (isBusy());
    }
  }
}

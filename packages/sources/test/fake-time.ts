import type { Sleep } from '../src/source.ts';

interface Wait {
  readonly durationMs: number;
  readonly atMs: number;
  readonly end: () => void;
}

/** A clock that stands still until a wait is let go, and the waits on it. */
export class FakeTime {
  nowMs = Date.UTC(2024, 1, 8, 13);
  readonly waits: Wait[] = [];
  #watchers: (() => void)[] = [];

  readonly clock = (): number => this.nowMs;

  readonly sleep: Sleep = (durationMs, signal) =>
    new Promise((resolve, reject) => {
      const abort = () => {
        this.waits.splice(this.waits.indexOf(wait), 1);
        reject(signal.reason);
      };
      const end = () => {
        this.waits.splice(this.waits.indexOf(wait), 1);
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const wait: Wait = { durationMs, atMs: this.nowMs + Math.max(0, durationMs), end };
      signal.addEventListener('abort', abort, { once: true });
      this.waits.push(wait);
      for (const watcher of this.#watchers.splice(0)) watcher();
    });

  /** Lets the clock go to the end of the earliest wait, and that wait end. */
  pass(): void {
    const [first] = this.waits.toSorted((left, right) => left.atMs - right.atMs);
    if (!first) throw new Error('nobody waits');
    this.nowMs = Math.max(this.nowMs, first.atMs);
    first.end();
  }

  /** Until somebody waits for just so long. */
  async waiting(durationMs: number): Promise<void> {
    while (!this.waits.some((wait) => wait.durationMs === durationMs)) {
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
    }
  }
}

import { setImmediate as turn } from 'node:timers/promises';

/** Turns of the event loop in which everything that takes no time is done. */
const TURNS = 100;

/** A clock whose time passes when it is told to, and waits that end by it. */
export class VirtualClock {
  /** Epoch milliseconds. */
  nowMs: number;
  readonly #waits = new Set<{ readonly atMs: number; readonly wake: () => void }>();

  /** @param startMs - epoch milliseconds */
  constructor(startMs = 1_000_000) {
    this.nowMs = startMs;
  }

  readonly clock = (): number => this.nowMs;

  readonly sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const abort = () => {
        this.#waits.delete(wait);
        reject(signal.reason);
      };
      const wake = () => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const wait = { atMs: Math.ceil(this.nowMs + Math.max(1, ms)), wake };
      this.#waits.add(wait);
      signal.addEventListener('abort', abort, { once: true });
    });

  /** Lets time pass, from one wait's end to the next one's; whoever is woken has done all that it can before time goes on. */
  async pass(durationMs: number): Promise<void> {
    const endMs = this.nowMs + durationMs;
    await settled();
    for (;;) {
      const nextMs = Math.min(...[...this.#waits].map(({ atMs }) => atMs));
      if (nextMs > endMs) break;
      this.nowMs = nextMs;
      for (const wait of [...this.#waits]) {
        if (wait.atMs > nextMs) continue;
        this.#waits.delete(wait);
        wait.wake();
      }
      await settled();
    }
    this.nowMs = endMs;
  }
}

/** Everything that takes no time is done. */
export async function settled(): Promise<void> {
  for (let count = 0; count < TURNS; count += 1) await turn();
}

import type { Sleep } from '../../src/waiting/within.ts';

/** Sleeps this long or longer are limits on I/O: they pass when a test says so, as the watch over the clock does. */
const LIMIT_MS = 1_000_000_000;

/** Limits for clients under test, told from waits by their length. */
export const testLimits = {
  requestMs: LIMIT_MS + 1,
  openMs: LIMIT_MS + 2,
  silenceMs: LIMIT_MS + 3,
  watchMs: LIMIT_MS + 4,
};

/** A clock that stands still but for waits, which pass at once and let what was planned happen on the way. */
export class VirtualTime {
  nowMs = Date.parse('2026-03-01T12:00:00.000Z');
  /** Every wait that passed, milliseconds. */
  readonly waits: number[] = [];
  readonly #planned: { atMs: number; happen: () => unknown }[] = [];
  readonly #limits = new Map<number, (() => void)[]>();

  readonly clock = (): number => this.nowMs;

  readonly sleep: Sleep = async (ms, signal) => {
    signal.throwIfAborted();
    if (ms >= LIMIT_MS) return await this.#limit(ms, signal);
    this.waits.push(ms);
    await this.pass(ms);
    signal.throwIfAborted();
  };

  /** Plans something for an instant. */
  at(atMs: number, happen: () => unknown): void {
    this.#planned.push({ atMs, happen });
    this.#planned.sort((left, right) => left.atMs - right.atMs);
  }

  /** Lets time pass. */
  async pass(ms: number): Promise<void> {
    const endMs = this.nowMs + ms;
    for (let next = this.#planned[0]; next && next.atMs <= endMs; next = this.#planned[0]) {
      this.#planned.shift();
      this.nowMs = Math.max(this.nowMs, next.atMs);
      await next.happen();
    }
    this.nowMs = Math.max(this.nowMs, endMs);
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** How many limits of a kind are running. */
  running(kind: keyof typeof testLimits): number {
    return this.#limits.get(testLimits[kind])?.length ?? 0;
  }

  /** Lets every running limit of a kind run out. */
  expire(kind: keyof typeof testLimits): void {
    for (const pass of this.#limits.get(testLimits[kind]) ?? []) pass();
  }

  async #limit(ms: number, signal: AbortSignal): Promise<void> {
    const running = this.#limits.get(ms) ?? [];
    this.#limits.set(ms, running);
    await new Promise<void>((resolve, reject) => {
      const done = () => running.splice(running.indexOf(pass), 1);
      const pass = () => {
        done();
        resolve();
      };
      running.push(pass);
      signal.addEventListener('abort', () => {
        if (running.includes(pass)) done();
        reject(signal.reason);
      });
    });
  }
}

/** Waits until a condition holds, turn by turn of the event loop. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

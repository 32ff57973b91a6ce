import { Bell } from './bell.ts';
import { clockJump } from './clock-watch.ts';
import { firstOf } from './first-of.ts';
import { sleepUntil } from './sleep-until.ts';
import type { Sleep } from './within.ts';

/**
 * Watches a clock for jumps while somebody needs it: one watch for all, whatever they wait for, so that none is missed
 * between two waits.
 *
 * @see specs/mal.md MAL-63
 */
export class ClockJumps {
  /** How often the clock has jumped. */
  count = 0;
  readonly #bell = new Bell();
  readonly #time: { readonly clock: () => number; readonly sleep: Sleep; readonly watchMs: number };
  readonly #onJump: (jumpMs: number) => void;
  #watch: AbortController | undefined;

  /** @param onJump - called at each jump with how far it was, before anybody is woken by it; below 0 where it was set back */
  constructor(time: { clock: () => number; sleep: Sleep; watchMs: number }, onJump: (jumpMs: number) => void) {
    this.#time = time;
    this.#onJump = onJump;
  }

  /** Begins to watch. */
  start(): void {
    this.#watch = new AbortController();
    // A wait that fails otherwise than by its signal is whoever's it is who waits, too: without a watch nothing is lost.
    this.#run(this.#watch.signal).catch(() => {});
  }

  /** Ends the watch. */
  stop(): void {
    this.#watch?.abort();
  }

  /** Resolves at the next jump; when the signal is aborted, the wait is forgotten and stays unresolved. */
  next(signal: AbortSignal): Promise<void> {
    return this.#bell.next(signal);
  }

  /**
   * Waits until an instant. When the clock jumps on the way, what is left is reckoned by the new time, and is no longer than
   * it was: so a machine that slept past the instant goes on at once, and one that was busy only waits on.
   *
   * @param atMs - epoch milliseconds
   */
  async sleepUntil(atMs: number, signal: AbortSignal): Promise<void> {
    const { clock, sleep } = this.#time;
    for (let untilMs = atMs; ; ) {
      const leftMs = untilMs - clock();
      if (leftMs <= 0) return;
      const due = untilMs;
      const first = await firstOf(signal, {
        due: (end) => sleepUntil(due, { clock, sleep, signal: end }),
        jumped: (end) => this.next(end),
      });
      if (first === 'due') return;
      untilMs = Math.min(untilMs, clock() + leftMs);
    }
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (;;) {
      const jumpMs = await clockJump(signal, this.#time);
      this.count += 1;
      this.#onJump(jumpMs);
      this.#bell.ring();
    }
  }
}

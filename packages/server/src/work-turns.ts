import { setImmediate } from 'node:timers/promises';

/** Long work of many in slices: one of them in a turn of the event loop, however many there are. */
export class WorkTurns {
  readonly #clock: () => number;
  readonly #sliceMs: number;
  #sinceMs = 0;
  #last: Promise<void> = Promise.resolve();
  #alone: Promise<void> = Promise.resolve();

  /**
   * @param clock - milliseconds, of any beginning
   * @param sliceMs - for how long work holds the process before others get their turn, milliseconds
   */
  constructor(clock: () => number, sliceMs = 5) {
    this.#clock = clock;
    this.#sliceMs = sliceMs;
  }

  /** Resolves when nobody else does work that only one may do, with what ends it: to be called once. */
  async alone(): Promise<() => void> {
    const before = this.#alone;
    let leave = () => {};
    this.#alone = new Promise((resolve) => (leave = resolve));
    await before;
    return leave;
  }

  /** To be called between the steps of long work. Where it gives a promise, others get their turn until it resolves. */
  pause(): Promise<void> | undefined {
    if (this.#clock() - this.#sinceMs < this.#sliceMs) return undefined;
    this.#last = this.#last.then(async () => {
      await setImmediate();
      this.#sinceMs = this.#clock();
    });
    return this.#last;
  }
}

import { setImmediate } from 'node:timers/promises';

/** Counts the quads of long work, so that others get their turn on the event loop after each 2,000: some 10 ms. */
export class WorkSlice {
  #quads = 0;

  /** Counts quads that were worked on; to be awaited where it is a promise. */
  take(quads: number): Promise<void> | undefined {
    this.#quads += quads;
    if (this.#quads < 2000) return undefined;
    this.#quads = 0;
    return setImmediate();
  }
}

import { setImmediate } from 'node:timers/promises';

/** Quads that are worked on before others get their turn on the event loop. */
const SLICE_QUADS = 2000;

/** Counts the quads of long work, so that others get their turn in between. */
export class WorkSlice {
  #quads = 0;

  /** Counts quads that were worked on; to be awaited where it is a promise. */
  take(quads: number): Promise<void> | undefined {
    this.#quads += quads;
    if (this.#quads < SLICE_QUADS) return undefined;
    this.#quads = 0;
    return setImmediate();
  }
}

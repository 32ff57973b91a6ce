import { setImmediate } from 'node:timers/promises';

/** How long work keeps the thread before others have a turn, milliseconds. */
const SLICE_MS = 5;

/**
 * Long work in slices: others have the thread in between.
 *
 * ```ts
 * const slices = new Slices();
 * for (const record of records) {
 *   if (slices.isOver) await slices.next();
 *   read(record);
 * }
 * ```
 */
export class Slices {
  readonly #nowMs: () => number;
  #beganMs: number;

  /** @param nowMs - a clock that is never set back, milliseconds */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
    this.#beganMs = nowMs();
  }

  /** Whether the slice has taken its time: to ask costs well below a microsecond. */
  get isOver(): boolean {
    return this.#nowMs() - this.#beganMs >= SLICE_MS;
  }

  /** Lets others have their turn, and begins a slice. */
  async next(): Promise<void> {
    await setImmediate();
    this.#beganMs = this.#nowMs();
  }
}

/** Work that yields after each small step, so that the same work can be done at once or in slices. */
export type Steps<Result> = Generator<undefined, Result>;

/** Does work at once. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/**
 * Does work; at once where that takes no longer than a slice.
 *
 * @returns a promise where others had their turn in between
 */
export function inSlices<Result>(steps: Steps<Result>, slices = new Slices()): Result | Promise<Result> {
  let step = steps.next();
  while (!step.done && !slices.isOver) step = steps.next();
  const rest = async () => {
    while (!step.done) {
      if (slices.isOver) await slices.next();
      step = steps.next();
    }
    return step.value;
  };
  return step.done ? step.value : rest();
}

/** Decides when a page draws: at most once in an interval, and only where there is something new. */
export class DrawPacer {
  readonly #intervalMs: number;
  #draws = 0;
  #lastMs: number | undefined;
  #longestGapMs = 0;

  /** @param intervalMs - the shortest time between two draws, milliseconds */
  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  get draws(): number {
    return this.#draws;
  }

  /** The longest time between two draws so far, milliseconds. */
  get longestGapMs(): number {
    return this.#longestGapMs;
  }

  /**
   * Whether to draw now: it counts as drawn then.
   *
   * @param nowMs - of a clock that never goes back
   */
  isDue(nowMs: number, isNew: boolean): boolean {
    if (!isNew || (this.#lastMs !== undefined && nowMs - this.#lastMs < this.#intervalMs)) return false;
    if (this.#lastMs !== undefined) this.#longestGapMs = Math.max(this.#longestGapMs, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
    this.#draws += 1;
    return true;
  }
}

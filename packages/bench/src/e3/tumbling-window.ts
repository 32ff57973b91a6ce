/** What was seen in one window of time. */
export interface WindowSummary {
  /** When it begins, in the unit of the instants. */
  readonly start: number;
  readonly count: number;
  readonly mean: number;
  readonly min: number;
  readonly max: number;
}

interface OpenWindow {
  readonly start: number;
  count: number;
  sum: number;
  min: number;
  max: number;
}

/** Sums up values in windows of one length that touch each other; a value that is late counts in the window it belongs to. */
export class TumblingWindows {
  readonly #length: number;
  readonly #keep: number;
  readonly #windows: OpenWindow[] = [];

  /**
   * @param length - of a window, in the unit of the instants, above 0
   * @param keep - how many of the newest windows are kept: 1 or more
   */
  constructor(length: number, keep: number) {
    this.#length = length;
    this.#keep = keep;
  }

  add(instant: number, value: number): void {
    const window = this.#windowOf(Math.floor(instant / this.#length) * this.#length);
    if (!window) return;
    window.count += 1;
    window.sum += value;
    window.min = Math.min(window.min, value);
    window.max = Math.max(window.max, value);
  }

  /** The windows that had values, oldest first. */
  get summaries(): readonly WindowSummary[] {
    return this.#windows.map(({ start, count, sum, min, max }) => ({ start, count, mean: sum / count, min, max }));
  }

  #windowOf(start: number): OpenWindow | undefined {
    // Nearly all values belong to the last one.
    let at = this.#windows.length;
    while (at > 0 && (this.#windows[at - 1] as OpenWindow).start > start) at -= 1;
    const found = this.#windows[at - 1];
    if (found?.start === start) return found;
    if (at === 0 && this.#windows.length >= this.#keep) return undefined;
    const made = { start, count: 0, sum: 0, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY };
    this.#windows.splice(at, 0, made);
    if (this.#windows.length > this.#keep) this.#windows.shift();
    return made;
  }
}

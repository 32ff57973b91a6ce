const WINDOW = 64;
const QUANTILE = 0.95;

/** How long answers take, but for the slowest few: of the last ones, over all readers of a process. */
export class ReadEstimate {
  readonly #window = new Float64Array(WINDOW);
  #noted = 0;
  #estimateMs = 0;

  /** The estimate, milliseconds; 0 before the first answer. */
  get ms(): number {
    return this.#estimateMs;
  }

  note(ms: number): void {
    this.#window[this.#noted % WINDOW] = ms;
    this.#noted += 1;
    // Sorted once for each window, and for each of the first few.
    if (this.#noted > WINDOW && this.#noted % WINDOW !== 0) return;
    const sorted = this.#window.slice(0, Math.min(this.#noted, WINDOW)).sort();
    this.#estimateMs = sorted[Math.ceil(sorted.length * QUANTILE) - 1] as number;
  }
}

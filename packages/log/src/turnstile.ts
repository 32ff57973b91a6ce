/** Lets so many actions go on at a time; the others wait in line. */
export class Turnstile {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** @param limit - an integer >= 1 */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many wait in line. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Runs an action when there is room. */
  async run<T>(action: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limit) this.#running += 1;
    // Whoever leaves hands over its place, so that nobody slips in between.
    else await new Promise<void>((enter) => this.#waiting.push(enter));
    try {
      return await action();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}

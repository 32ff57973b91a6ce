import type { Row } from './row.ts';

/** Whether one connection gets each row once, and in order. */
export class RowSequence {
  #next: number;
  #rows = 0;
  #lost = 0;
  #doubled = 0;

  /** @param first - number of the first row */
  constructor(first = 0) {
    this.#next = first;
  }

  /** Rows that came for the first time. */
  get rows(): number {
    return this.#rows;
  }

  /** Rows that were passed over, so far. */
  get lost(): number {
    return this.#lost;
  }

  /** Rows that came again, or after a later one. */
  get doubled(): number {
    return this.#doubled;
  }

  /** Number that the next row is to have. */
  get next(): number {
    return this.#next;
  }

  take(rows: readonly Row[]): void {
    for (const [n] of rows) {
      if (n < this.#next) {
        this.#doubled += 1;
        continue;
      }
      this.#lost += n - this.#next;
      this.#rows += 1;
      this.#next = n + 1;
    }
  }
}

const SMALLEST = 1024;

/**
 * A set of positive numbers that holds as many as it is allowed to and forgets the oldest beyond: up to half of the
 * limit are remembered for certain, and all of it for a while. It takes 16 to 32 bytes a number.
 */
export class NumberSet {
  readonly #limit: number;
  #young = new Float64Array(SMALLEST);
  #count = 0;
  #old = new Float64Array(SMALLEST);
  #isOldInUse = false;
  #hasForgotten = false;

  /** @param limit - the most numbers, 2 or more */
  constructor(limit: number) {
    this.#limit = limit;
  }

  has(value: number): boolean {
    return this.#young[slot(this.#young, value)] === value || this.#old[slot(this.#old, value)] === value;
  }

  /** Whether any number has been forgotten. */
  get hasForgotten(): boolean {
    return this.#hasForgotten;
  }

  add(value: number): void {
    const at = slot(this.#young, value);
    if (this.#young[at] === value) return;
    if (this.#count >= Math.max(1, this.#limit / 2)) {
      this.#hasForgotten ||= this.#isOldInUse;
      this.#isOldInUse = true;
      this.#old = this.#young;
      this.#young = new Float64Array(SMALLEST);
      this.#count = 0;
    } else if (this.#count * 2 >= this.#young.length) {
      const larger = new Float64Array(this.#young.length * 2);
      for (const kept of this.#young) if (kept !== 0) larger[slot(larger, kept)] = kept;
      this.#young = larger;
    }
    this.#young[slot(this.#young, value)] = value;
    this.#count += 1;
  }
}

// Where a value is, or would be. The tables are never more than half full.
function slot(table: Float64Array, value: number): number {
  const mask = table.length - 1;
  let at = (value % 4294967296) & mask;
  for (let found = table[at]; found !== 0 && found !== value; found = table[at]) at = (at + 1) & mask;
  return at;
}

/** Numbers that follow from a seed (mulberry32): a run can be repeated, and one costs next to nothing. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to below a limit; 0 where the limit is 0. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * limit);
  }

  /** Whether one of so many cases is met. */
  oneIn(cases: number): boolean {
    return this.below(cases) === 0;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  /** Two places of a list with so many items, in order. */
  range(length: number): readonly [from: number, to: number] {
    const from = this.below(length);
    // Short ranges are met more often.
    return [from, from + 1 + this.below(this.oneIn(4) ? length - from : Math.min(8, length - from))];
  }
}

/** A seed that follows from a text and a number. */
export function seedOf(text: string, seed: number): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

/** Numbers of readers by the instants at which each is due, the earliest first. Each is in it once at most. */
export class DueHeap {
  readonly #dues: Float64Array;
  readonly #items: Int32Array;
  #length = 0;

  /** @param capacity - how many there can be at a time */
  constructor(capacity: number) {
    this.#dues = new Float64Array(capacity);
    this.#items = new Int32Array(capacity);
  }

  /** The earliest instant; infinite where there is none. */
  get firstDue(): number {
    return this.#length === 0 ? Number.POSITIVE_INFINITY : (this.#dues[0] as number);
  }

  push(due: number, item: number): void {
    let at = this.#length;
    this.#length += 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if ((this.#dues[above] as number) <= due) break;
      this.#move(above, at);
      at = above;
    }
    this.#set(at, due, item);
  }

  /** Takes out the one that is due first; there has to be one. */
  pop(): number {
    const item = this.#items[0] as number;
    this.#length -= 1;
    const [due, last] = [this.#dues[this.#length] as number, this.#items[this.#length] as number];
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= this.#length) break;
      if (below + 1 < this.#length && (this.#dues[below + 1] as number) < (this.#dues[below] as number)) below += 1;
      if ((this.#dues[below] as number) >= due) break;
      this.#move(below, at);
      at = below;
    }
    if (this.#length > 0) this.#set(at, due, last);
    return item;
  }

  #move(from: number, to: number): void {
    this.#set(to, this.#dues[from] as number, this.#items[from] as number);
  }

  #set(at: number, due: number, item: number): void {
    this.#dues[at] = due;
    this.#items[at] = item;
  }
}

/**
 * Remembers which IRIs there were, in 16 bytes for each at most.
 *
 * It keeps 64 bits of each: among five million two are taken for one another by chance less than once in a million
 * bodies, and with another seed not again.
 */
export class SeenIris {
  readonly #seed: number;
  #slots = new Uint32Array(2 * 1024);
  #size = 0;

  /** @param random - in [0, 1) */
  constructor(random: () => number) {
    this.#seed = Math.floor(random() * 0x1_0000_0000);
  }

  /** Adds one; false when it was there. */
  add(iri: string): boolean {
    if (2 * this.#size >= this.#slots.length / 2) this.#grow();
    let [high, low] = [this.#seed | 0, ~this.#seed | 0];
    for (let index = 0; index < iri.length; index += 1) {
      const code = iri.charCodeAt(index);
      high = Math.imul(high ^ code, 0x85eb_ca6b);
      low = Math.imul(low ^ code, 0xc2b2_ae35);
      high ^= low >>> 15;
      low ^= high >>> 13;
    }
    // Zero marks a slot that is free.
    return this.#put(high >>> 0 || 1, low >>> 0);
  }

  #put(high: number, low: number): boolean {
    const slots = this.#slots;
    const mask = slots.length / 2 - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const there = slots[2 * slot];
      if (there === 0) {
        slots[2 * slot] = high;
        slots[2 * slot + 1] = low;
        this.#size += 1;
        return true;
      }
      if (there === high && slots[2 * slot + 1] === low) return false;
    }
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(2 * before.length);
    this.#size = 0;
    for (let index = 0; index < before.length; index += 2) {
      if (before[index] !== 0) this.#put(before[index] as number, before[index + 1] as number);
    }
  }
}

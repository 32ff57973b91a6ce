const INITIAL_BYTES = 1024;
const KEPT_BYTES = 65_536;

/** Bytes that are appended piece by piece and taken all at once, in time linear in their number. */
export class ByteBuffer {
  #bytes = new Uint8Array(INITIAL_BYTES);
  #length = 0;

  /** How many bytes it holds. */
  get length(): number {
    return this.#length;
  }

  /** Copies bytes to the end. */
  append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#bytes.length) {
      // Doubling, since growing to fit would copy everything for each piece.
      const grown = new Uint8Array(Math.max(length, this.#bytes.length * 2));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length = length;
  }

  /** Takes what it holds; valid until the next append. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    // One large event must not hold memory for as long as the connection lives.
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = new Uint8Array(INITIAL_BYTES);
    return taken;
  }
}

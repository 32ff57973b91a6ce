/** Wakes the one who waits for something to happen; a ring that nobody hears is heard by the next who waits. */
export class Bell {
  #hasRung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#hasRung = true;
    this.#wake?.();
  }

  /** Waits for a ring since the last one that was heard. */
  async heard(): Promise<void> {
    if (!this.#hasRung) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
    this.#hasRung = false;
  }
}

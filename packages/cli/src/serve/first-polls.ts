/** Waits until each of a set of sources has been polled once. */
export class FirstPolls {
  readonly #awaited: Set<string>;
  #resolve: () => void = () => {};
  /** Resolves when none is left to wait for. */
  readonly done: Promise<void>;

  /** @param sources - what tells each from the others */
  constructor(sources: readonly string[]) {
    this.#awaited = new Set(sources);
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#check();
  }

  /** Says that a source has been polled, well or not. */
  polled(source: string): void {
    this.#awaited.delete(source);
    this.#check();
  }

  #check(): void {
    if (this.#awaited.size === 0) this.#resolve();
  }
}

/** How far a reader is with what is read for it, counted in changes. */
export interface Progress {
  /** How many were read. */
  readonly read: number;
  /** How many of them, from the first on, wait no more: they were taken, or a newer version was in their place. */
  readonly taken: number;
}

interface Checkpoint<State> {
  readonly state: State;
  /** How many changes it counts as handed out. */
  readonly read: number;
}

/**
 * States of a reading that is ahead of its reader: the newest that was made of which nothing waits any more. Two are kept.
 *
 * @see specs/mal.md MAL-79
 */
export class Checkpoints<State> {
  readonly #make: () => State;
  #passed: Checkpoint<State>;
  #next: Checkpoint<State> | undefined;

  /** @param make - makes the state of the moment: at once, as nothing has been read yet */
  constructor(make: () => State) {
    this.#make = make;
    this.#passed = { state: make(), read: 0 };
  }

  /** Makes a state, for when what waits now is taken, unless one is made already. */
  mark({ read, taken }: Progress): void {
    if (this.#next && this.#next.read <= taken) {
      this.#passed = this.#next;
      this.#next = undefined;
    }
    if (!this.#next && read > this.#passed.read) this.#next = { state: this.#make(), read };
  }

  /** The state to go on from: nothing that waits is missing from there, and some that was taken may come again. */
  state(progress: Progress): State {
    const { read, taken } = progress;
    if (taken === read) {
      this.#passed = { state: this.#make(), read };
      this.#next = undefined;
    } else this.mark(progress);
    return this.#passed.state;
  }
}

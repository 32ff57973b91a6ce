import type { State } from './packet-source.ts';

/** States that are looked up for those who ask for the same a little later. */
const MOST_GIVEN = 100;

/** How many members may have followed a state that is given again: they are sent after it. */
const LATER_MEMBERS = 250;

/** States of a stream: those who ask for the same at about the same time get the same one. */
export class SharedStates {
  readonly #making = new Map<number, Promise<State>>();
  // For those who are given one at the time; what nobody reads any more is not kept.
  readonly #given = new Map<number, WeakRef<State>>();

  /**
   * The state after a position.
   *
   * @param headSequence - how far the stream is
   * @param make - makes one where there is none that is new enough
   * @throws what making it does
   */
  after(position: number, headSequence: number, make: () => Promise<State>): Promise<State> {
    const given = this.#given.get(position)?.deref();
    // One that says nothing leads nowhere.
    if (given && given.to > position && headSequence - given.to <= LATER_MEMBERS) return Promise.resolve(given);
    let making = this.#making.get(position);
    if (!making) {
      making = make()
        .then((state) => this.#give(position, state))
        .finally(() => this.#making.delete(position));
      this.#making.set(position, making);
    }
    return making;
  }

  #give(position: number, state: State): State {
    this.#given.delete(position);
    this.#given.set(position, new WeakRef(state));
    for (const oldest of this.#given.keys()) {
      if (this.#given.size <= MOST_GIVEN) break;
      this.#given.delete(oldest);
    }
    return state;
  }
}

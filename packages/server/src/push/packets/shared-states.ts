import { isStreamError } from '@ldes-live/rdf-stream';
import type { PacketSource, State } from './packet-source.ts';

/** States that are looked up for those who ask a little later. */
const MOST_GIVEN = 100;

/** How many members may have followed a state that is given again: they are sent after it. */
const LATER_MEMBERS = 250;

/** As a part of what a reader lacks: who lacks much is given an older one too. */
const LATER_SHARE = 0.25;

/** A state that is being made, or is to be made when that one is done. */
interface Making {
  from: number;
  /** The head when it began; infinite while it has not. */
  to: number;
  readonly state: Promise<State>;
}

/**
 * States of a stream. A state has its members by sequence, and so the end of one from an earlier position is the one from
 * a later position: readers at many positions share a few. One is made at a time; those who have to wait share the next.
 *
 * @see specs/push.md PUSH-60
 */
export class SharedStates {
  readonly #stream: Pick<PacketSource, 'head' | 'heldFrom'>;
  #making: Making[] = [];
  #last: Promise<unknown> = Promise.resolve();
  // For those who are given one at the time; what nobody reads any more is not kept.
  #given: WeakRef<State>[] = [];

  /** @param stream - how far the stream is, and from where on it can be read, as of now */
  constructor(stream: Pick<PacketSource, 'head' | 'heldFrom'>) {
    this.#stream = stream;
  }

  /**
   * A state that has what changed after a position, and maybe more, by sequence before it.
   *
   * @param make - makes one from a position on, as of the head at that time
   * @throws what making it does
   */
  async after(position: number, make: (from: number) => Promise<State>): Promise<State> {
    for (const given of this.#given) {
      const state = given.deref();
      if (state && this.#serves(state.after, state.to, position)) return state;
    }
    for (const { from, to, state } of this.#making) {
      if (this.#serves(from, to, position)) return this.#orAgain(state, position, make);
    }
    let waiting = this.#making.find(
      ({ from, to }) => to === Number.POSITIVE_INFINITY && (from === 0) === (position === 0),
    );
    if (waiting) waiting.from = Math.min(waiting.from, this.#roundedDown(position));
    else waiting = this.#queue(position, make);
    return this.#orAgain(waiting.state, position, make);
  }

  #queue(position: number, make: (from: number) => Promise<State>): Making {
    const run = async () => {
      try {
        making.to = this.#stream.head.sequence;
        return this.#give(await make(making.from));
      } finally {
        this.#making = this.#making.filter((each) => each !== making);
      }
    };
    const state = this.#making.length === 0 ? Promise.resolve().then(run) : this.#last.then(run);
    const making: Making = { from: this.#roundedDown(position), to: Number.POSITIVE_INFINITY, state };
    this.#making.push(making);
    this.#last = state.catch(() => undefined);
    return making;
  }

  /** What others asked for may have been erased, and what this one asks for not. */
  async #orAgain(state: Promise<State>, position: number, make: (from: number) => Promise<State>): Promise<State> {
    const { heldFrom } = this.#stream;
    try {
      return await state;
    } catch (error) {
      const hasMoved = this.#stream.heldFrom > heldFrom && this.#stream.heldFrom <= position + 1;
      if (!hasMoved || !isStreamError(error, 'ERR_MEMBERS_REMOVED')) throw error;
      return this.after(position, make);
    }
  }

  #serves(from: number, to: number, position: number): boolean {
    // The whole state tells nothing of what has ended, and one that says nothing leads nowhere.
    if (from > position || (from === 0) !== (position === 0) || to <= position) return false;
    if (to === Number.POSITIVE_INFINITY) return true;
    const { sequence } = this.#stream.head;
    const share = position === 0 ? 0 : LATER_SHARE * (sequence - position);
    return sequence - to <= Math.max(LATER_MEMBERS, share);
  }

  /** So that it serves those a little further behind too: back to at most twice as much, as far as that is held. */
  #roundedDown(position: number): number {
    if (position === 0) return 0;
    const { head, heldFrom } = this.#stream;
    const back = 2 ** Math.ceil(Math.log2(Math.max(1, head.sequence - position)));
    return Math.min(position, Math.max(1, heldFrom - 1, head.sequence - back));
  }

  #give(state: State): State {
    this.#given = [new WeakRef(state), ...this.#given.filter((given) => given.deref())].slice(0, MOST_GIVEN);
    return state;
  }
}

import type { Cursor, Member } from '@ldes-live/rdf-stream';

/** What a member is to a reader: the next one, one that it has or does not need, or one beyond what it lacks. */
export type Place = 'next' | 'seen' | 'hole';

/**
 * The one gate to the reader: whatever way members come, it lets each through once and in order.
 *
 * @see specs/mal.md MAL-10
 */
export class Sequencer {
  #position: Cursor | undefined;
  // How far a conflation was taken beyond the position, and how many members that were.
  #aheadTo = 0;
  #aheadTaken = 0;
  #aheadFrom = 0;
  #leftOut = 0;

  /** @param position - where an earlier reading ended, if there was one */
  constructor(position?: Cursor) {
    this.#position = position;
  }

  /** The last cursor from which nothing that the reader was not given is missing; `undefined` before the first. */
  get position(): Cursor | undefined {
    return this.#position;
  }

  /** Members that conflations left out, so far. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** Starts at a cursor. */
  restart(position: Cursor): void {
    this.#position = position;
    this.#aheadTo = 0;
  }

  /** Takes a member of the state at a later cursor: members between may be missing, as others replaced them. */
  takeState(member: Member): void {
    this.#position = { epoch: this.#position?.epoch as string, sequence: member.sequence };
  }

  /** Goes on to the cursor of a state that has been taken. */
  endState(position: Cursor): void {
    this.#position = position;
  }

  /**
   * Takes a member of a conflation, which come by sequence; the position stays until all that it stands for is here.
   * Returns whether it is new: a conflation that broke off is told again.
   */
  takeAhead({ sequence }: Member): boolean {
    const position = this.#position?.sequence ?? 0;
    if (sequence <= Math.max(position, this.#aheadTo)) return false;
    if (this.#aheadTo <= position) {
      this.#aheadFrom = position;
      this.#aheadTaken = 0;
    }
    this.#aheadTo = sequence;
    this.#aheadTaken += 1;
    return true;
  }

  /** Ends a conflation at the cursor that it reaches. */
  endAhead(position: Cursor): void {
    const from = this.#position?.sequence ?? 0;
    if (position.sequence <= from) return;
    const isTaking = this.#aheadTo > from;
    this.#leftOut += position.sequence - (isTaking ? this.#aheadFrom + this.#aheadTaken : from);
    this.#aheadTo = 0;
    this.#position = position;
  }

  /** Tells what a member is, and takes it if it is the next. */
  accept({ sequence }: Member): Place {
    const position = this.#position?.sequence ?? 0;
    if (sequence !== position + 1) return sequence <= position ? 'seen' : 'hole';
    if (this.#position) this.#position = { epoch: this.#position.epoch, sequence };
    if (sequence > this.#aheadTo) return 'next';
    // A conflation that broke off had it, or a newer version of its entity.
    if (sequence === this.#aheadTo) this.#leftOut += sequence - this.#aheadFrom - this.#aheadTaken;
    return 'seen';
  }
}

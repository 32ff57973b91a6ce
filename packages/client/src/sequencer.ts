import type { Cursor, Member } from '@ldes-live/rdf-stream';

/** What a member is to a reader: the next one, one that it has, or one beyond what it lacks. */
export type Place = 'next' | 'seen' | 'hole';

/**
 * The one gate to the reader: whatever way members come, it lets each through once and in order.
 *
 * @see specs/mal.md
 */
export class Sequencer {
  #position: Cursor | undefined;
  readonly #living = new Map<string, Member>();

  /** @param position - where an earlier reading ended, if there was one */
  constructor(position?: Cursor) {
    this.#position = position;
  }

  /** The last cursor that the reader was given; `undefined` before the first. */
  get position(): Cursor | undefined {
    return this.#position;
  }

  /** The living entities as delivered, by IRI. */
  get living(): ReadonlyMap<string, Member> {
    return this.#living;
  }

  /** Starts at a cursor with nothing known. */
  restart(position: Cursor): void {
    this.#position = position;
    this.#living.clear();
  }

  /** Takes a member of the state at a later cursor: members between may be missing, as others replaced them. */
  takeState(member: Member): void {
    this.#take(member);
  }

  /** Goes on to the cursor of a state that has been taken. */
  endState(position: Cursor): void {
    this.#position = position;
  }

  /** Tells what a member is, and takes it if it is the next. */
  accept(member: Member): Place {
    const expected = (this.#position?.sequence ?? 0) + 1;
    if (member.sequence !== expected) return member.sequence < expected ? 'seen' : 'hole';
    this.#take(member);
    return 'next';
  }

  #take(member: Member): void {
    if (this.#position) this.#position = { epoch: this.#position.epoch, sequence: member.sequence };
    if (member.kind === 'upsert') this.#living.set(member.entity, member);
    else this.#living.delete(member.entity);
  }
}

import type { BlockFields } from './block-fields.ts';
import { findStamp, readStamp, STAMP_BYTES } from './stamp.ts';

/** What was not as it should be, over all readers, and what a server may declare. */
export interface SequenceTally {
  /** Commits that never came. */
  lost: number;
  /** Commits that came again. */
  duplicates: number;
  /** Events that say that something is no longer held. */
  gaps: number;
  /** Events that say that the newest state stands for commits. */
  conflations: number;
  /** States given for commits that are not the newest of every entity. */
  wrongStates: number;
}

/** A tally of nothing. */
export function emptySequenceTally(): SequenceTally {
  return { lost: 0, duplicates: 0, gaps: 0, conflations: 0, wrongStates: 0 };
}

/** Tallies added up. */
export function addSequences(tallies: readonly SequenceTally[]): SequenceTally {
  const sum = emptySequenceTally();
  for (const tally of tallies) {
    for (const key of Object.keys(sum) as (keyof SequenceTally)[]) sum[key] += tally[key];
  }
  return sum;
}

/**
 * Follows what one reader gets: commits of so many members each, of which each says when it was published, and each of
 * which has a version of every entity. So each id is known from the one before, and a state is right when all its members are of
 * one commit and as many as there are entities.
 */
export class SequenceCheck {
  readonly #step: number;
  readonly #tally: () => SequenceTally;
  #last: number | undefined;
  #id: string | undefined;
  #state: { readonly to: string; stamps: Map<number, number> } | undefined;

  /**
   * @param step - members of a commit
   * @param tally - what is counted on, which may be another one each time
   */
  constructor(step: number, tally: () => SequenceTally) {
    this.#step = step;
    this.#tally = tally;
  }

  /** The id of the last event that had one. */
  get id(): string | undefined {
    return this.#id;
  }

  /** Where the reader stands without having got an event. */
  begin(id: string): void {
    this.#last ??= sequenceOf(id);
    this.#id ??= id;
  }

  /** Takes a block that has data. */
  take({ event, id }: BlockFields, bytes: Buffer, start: number, end: number): void {
    if (event === 'gap') this.#tally().gaps += 1;
    if (event === 'conflated') {
      this.#tally().conflations += 1;
      const to = /"to":"([^"]*)"/.exec(bytes.toString('latin1', start, end))?.[1] ?? '';
      this.#state = { to, stamps: new Map() };
    }
    if (event === 'update' && this.#state) this.#addToState(this.#state.stamps, bytes, start, end);
    if (!id) return;
    if (event === 'update' && !this.#state) this.#follow(sequenceOf(id));
    if (this.#state && (id === this.#state.to || event === 'gap')) this.#endState();
    this.#last = sequenceOf(id);
    this.#id = id;
  }

  #follow(sequence: number): void {
    if (this.#last === undefined) return;
    if (sequence <= this.#last) this.#tally().duplicates += 1;
    else this.#tally().lost += Math.max(0, Math.round((sequence - this.#last) / this.#step) - 1);
  }

  #addToState(stamps: Map<number, number>, bytes: Buffer, start: number, end: number): void {
    for (let at = findStamp(bytes, start, end); at >= 0; at = findStamp(bytes, at + STAMP_BYTES, end)) {
      const micros = readStamp(bytes, at);
      stamps.set(micros, (stamps.get(micros) ?? 0) + 1);
    }
  }

  #endState(): void {
    const counts = [...(this.#state?.stamps.values() ?? [])];
    if (counts.length !== 1 || counts[0] !== this.#step) this.#tally().wrongStates += 1;
    this.#state = undefined;
  }
}

function sequenceOf(id: string): number {
  return Number(id.slice(id.lastIndexOf('-') + 1));
}

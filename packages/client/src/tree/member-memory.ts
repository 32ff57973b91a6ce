import { Heap } from './heap.ts';
import { NumberSet } from './number-set.ts';

/** How many of the newest members are remembered by name and place, in memory and in a saved state. */
export const RECENT_MEMBERS = 2048;

interface Recent {
  readonly hash: number;
  readonly value: number;
}

/** What a saved state holds of a {@link MemberMemory}. */
export interface SavedMemory {
  /** By value. */
  readonly recent: readonly Recent[];
  /** Whether there were more. */
  readonly isPart: boolean;
}

/**
 * Which members have been read: the hashes of as many as the limit allows, and of those that are newest by their
 * place in the order, so that all of these with a value above the floor are known whatever else is forgotten.
 */
export class MemberMemory {
  readonly #seen: NumberSet;
  readonly #recent = new Heap<Recent>((left, right) => left.value < right.value);
  #isPart = false;

  /** @param limit - the most hashes, besides the newest */
  constructor(limit: number, saved?: SavedMemory) {
    this.#seen = new NumberSet(limit);
    for (const each of saved?.recent ?? []) {
      this.#recent.push(each);
      this.#seen.add(each.hash);
    }
    this.#isPart = saved?.isPart ?? false;
  }

  has(hash: number): boolean {
    return this.#seen.has(hash);
  }

  /** Whether a member that was read in this life may be unknown by now. */
  get hasForgotten(): boolean {
    return this.#seen.hasForgotten;
  }

  /** Remembers a member that is about to be handed out, or has been. */
  see(hash: number): void {
    this.#seen.add(hash);
  }

  /** Remembers the place of a member that has been handed out, if it has one. */
  place(hash: number, value: number): void {
    if (!Number.isFinite(value)) return;
    const isFull = this.#recent.size >= RECENT_MEMBERS;
    this.#isPart ||= isFull;
    // Cheap for history that is read from its end to its beginning.
    if (isFull && value < (this.#recent.first?.value as number)) return;
    this.#recent.push({ hash, value });
    if (isFull) this.#recent.pop();
  }

  /** Every member with a greater value that was handed out is among the recent ones. */
  get floor(): number {
    return (this.#isPart ? this.#recent.first?.value : undefined) ?? Number.NEGATIVE_INFINITY;
  }

  saved(): SavedMemory {
    const recent = [...this.#recent].sort((left, right) => left.value - right.value);
    return { recent, isPart: this.#isPart };
  }
}

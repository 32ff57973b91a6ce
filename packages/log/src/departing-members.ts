import type { Member } from '@ldes-live/rdf-stream';

/** Members by sequence number that one reader can no longer find in the store. */
export type KeptMembers = ReadonlyMap<number, Member>;

/**
 * Keeps members that a commit takes out of the store for those who read the state before it: who has begun to, and
 * who begins while the commit is being written.
 */
export class DepartingMembers {
  readonly #readers = new Set<Map<number, Member>>();
  #departing: ReadonlyMap<number, Member> = new Map();

  /** What a reader who begins now has to find here; it grows until the reader ends. */
  begin(): KeptMembers {
    const kept = new Map(this.#departing);
    this.#readers.add(kept);
    return kept;
  }

  /** Forgets a reader. */
  end(kept: KeptMembers): void {
    this.#readers.delete(kept as Map<number, Member>);
  }

  /** Members are about to be taken out. */
  hold(members: readonly Member[]): void {
    this.#departing = new Map(members.map((member) => [member.sequence, member]));
    for (const kept of this.#readers) for (const member of members) kept.set(member.sequence, member);
  }

  /** They were taken out, and whoever begins now will not ask for them; or they stayed. */
  settle(): void {
    this.#departing = new Map();
  }
}

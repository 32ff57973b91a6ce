import { type Filter, type FormerPosition, matches } from '@ldes-live/rdf-stream';
import type { Packet } from '../packets/packet.ts';
import type { PacketSource } from '../packets/packet-source.ts';
import { Choice } from './choice.ts';
import { FilterIndex } from './filter-index.ts';
import { LastPositions } from './last-positions.ts';

/** The readers of one filter, and what a packet has for them. */
export interface Audience<Reader> {
  readonly filter: Filter;
  /** As of now: it changes as readers come and go. */
  readonly readers: ReadonlySet<Reader>;
  /** Which of the packet's members are for them, at least one, in order; equal choices of a packet are the same array. */
  readonly chosen: readonly number[];
}

interface Group<Reader> {
  readonly filter: Filter;
  readonly readers: Set<Reader>;
}

/**
 * Which readers of narrowed streams a commit concerns. Those it does not concern cost nothing, and those who ask for the
 * same are one.
 *
 * @see specs/push.md PUSH-23
 */
export class InterestIndex<Reader extends { readonly filter: Filter }> {
  readonly #groups = new Map<string, Group<Reader>>();
  readonly #index = new FilterIndex<Group<Reader>>();
  readonly #positions = new LastPositions();
  #size = 0;
  #boxedGroups = 0;

  /** How many readers it has. */
  get size(): number {
    return this.#size;
  }

  /** Takes a reader in; one that is in stays so. */
  add(reader: Reader): void {
    const { filter } = reader;
    let group = this.#groups.get(filter.key);
    if (!group) {
      group = { filter, readers: new Set() };
      this.#groups.set(filter.key, group);
      this.#index.add(group);
      if (filter.boxes.length > 0) this.#boxedGroups += 1;
    }
    if (group.readers.has(reader)) return;
    group.readers.add(reader);
    this.#size += 1;
  }

  /** Lets a reader go, if it is in. */
  remove(reader: Reader): void {
    const group = this.#groups.get(reader.filter.key);
    if (!group?.readers.delete(reader)) return;
    this.#size -= 1;
    if (group.readers.size > 0) return;
    this.#groups.delete(group.filter.key);
    this.#index.remove(group);
    if (group.filter.boxes.length === 0) return;
    this.#boxedGroups -= 1;
    // Places are followed only as long as somebody asks for one.
    if (this.#boxedGroups === 0) this.#positions.clear();
  }

  /**
   * Whether somebody asks for places while it lacks those of entities that no packet told of yet: until it learns them,
   * each of these is told of to all of them once, and so is every new one.
   */
  get wantsPositions(): boolean {
    return this.#boxedGroups > 0 && this.#positions.isIgnorant;
  }

  /**
   * Learns where the living entities are. It may fail to without an error, and then still wants to.
   *
   * @param source - what the packets are of
   * @throws {@link StreamError} what reading the state throws
   */
  async learnPositions(source: Pick<PacketSource, 'state'>): Promise<void> {
    await this.#positions.learn(source);
  }

  /**
   * Whom a packet concerns, by filter. It is to be called once with each packet of the live stream, in order, whoever
   * reads: it is how positions are learned.
   */
  concerned(packet: Packet): readonly Audience<Reader>[] {
    const were = this.#boxedGroups > 0 ? this.#positions.take(packet) : undefined;
    const choices = new Map<Group<Reader>, Choice>();
    const none = Choice.none();
    for (const [member, subject] of packet.subjects.entries()) {
      const was: FormerPosition = were ? were[member] : 'nowhere';
      for (const group of this.#index.candidates(subject, was)) {
        const choice = choices.get(group) ?? none;
        if (choice.last === member || !matches(group.filter, subject, was)) continue;
        choices.set(group, choice.and(member));
      }
    }
    return [...choices].map(([{ filter, readers }, { members }]) => ({ filter, readers, chosen: members }));
  }
}

import type { FormerPosition } from '@ldes-live/rdf-stream';
import type { Packet } from '../packets/packet.ts';
import type { PacketSource } from '../packets/packet-source.ts';

/** What is under way while the state is read. */
interface Lesson {
  /** Entities that ended meanwhile: what the state says of them is past. */
  readonly ended: Set<string>;
  /** What the state said, as of a sequence number, until the packets have come that far. */
  state: { readonly to: number; readonly positions: ReadonlyMap<string, FormerPosition> } | undefined;
}

/**
 * Where the entities of a stream are: what a move has to be compared with. Of those that no packet told of it knows
 * nothing until it has learned the state; it holds no more than an entry for each living entity.
 */
export class LastPositions {
  readonly #positions = new Map<string, FormerPosition>();
  #isWhole = false;
  #lesson: Lesson | undefined;
  /** What it has followed without a gap. */
  #run: { readonly after: number; readonly last: number } | undefined;

  /** How many entities it knows the place of. */
  get size(): number {
    return this.#positions.size;
  }

  /** Whether there are entities that it may not have heard of, and it is not about to. */
  get isIgnorant(): boolean {
    return !this.#isWhole && !this.#lesson;
  }

  /**
   * Moves on by a packet: to be called once with each, in order. Where packets are left out it forgets all.
   *
   * @returns where the entity of each member was before the packet, in the order of its subjects
   */
  take({ subjects, after, last }: Packet): readonly FormerPosition[] {
    if (this.#run && this.#run.last !== after) this.clear();
    this.#run = { after: this.#run?.after ?? after, last };
    this.#conclude(this.#run.after, after);
    return subjects.map(({ entity, kind, isOlder, position }) => {
      const was = this.#positions.get(entity) ?? (this.#isWhole ? 'nowhere' : 'unknown');
      if (kind === 'delete') {
        this.#positions.delete(entity);
        this.#lesson?.ended.add(entity);
      } else if (!isOlder) {
        this.#positions.set(entity, position ?? 'nowhere');
        this.#lesson?.ended.delete(entity);
      }
      return was;
    });
  }

  /**
   * Learns where the living entities are, from the state of the stream that the packets are of; it knows with the first
   * packet that follows on the state. Where the state is older than what it has followed it stays ignorant, and may
   * learn anew.
   *
   * @throws {@link StreamError} what reading the state throws
   */
  async learn(source: Pick<PacketSource, 'state'>): Promise<void> {
    const lesson: Lesson = { ended: new Set(), state: undefined };
    const began = this.#run?.last ?? 0;
    this.#lesson = lesson;
    try {
      const state = await source.state(0);
      // What ended after it and before the lesson would come back to life.
      if (state.to < began) return;
      const positions = new Map<string, FormerPosition>();
      for (let index = 0; index < state.length && this.#lesson === lesson; index += 1) {
        for (const { entity, position } of (await state.part(index)).subjects) {
          positions.set(entity, position ?? 'nowhere');
        }
      }
      lesson.state = { to: state.to, positions };
    } finally {
      if (this.#lesson === lesson && !lesson.state) this.#lesson = undefined;
    }
  }

  /** Forgets everything. */
  clear(): void {
    this.#positions.clear();
    this.#isWhole = false;
    this.#lesson = undefined;
    this.#run = undefined;
  }

  /**
   * Takes what the state said for known where the packets go on from it.
   *
   * @param since - sequence number after which it has followed all packets
   * @param until - and up to which: a state past it would make where an entity is pass for where it was
   */
  #conclude(since: number, until: number): void {
    const { ended, state } = this.#lesson ?? {};
    if (!ended || !state || state.to > until) return;
    this.#lesson = undefined;
    if (state.to < since) return;
    for (const [entity, position] of state.positions) {
      if (!this.#positions.has(entity) && !ended.has(entity)) this.#positions.set(entity, position);
    }
    this.#isWhole = true;
  }
}

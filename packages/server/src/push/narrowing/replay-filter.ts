import type { Packet, PacketSubject } from '../packets/packet.ts';
import { boxHas } from './box-has.ts';
import { fits } from './filter-fits.ts';
import type { PushFilter } from './push-filter.ts';

/** Entities outside the boxes that one replay remembers. */
const REMEMBERED_ENTITIES = 10_000;

/** What a {@link ReplayFilter} is for. */
export interface ReplayFilterOptions {
  /** Whether the packets are the whole state, before which its reader had nothing. @defaultValue false */
  readonly isWholeState?: boolean;
  /**
   * Entities to remember to be outside the boxes; what moves there is told of all the same once it is past the limit.
   *
   * @defaultValue 10,000
   */
  readonly limitRemembered?: number;
}

/**
 * What one reader of a narrowed stream is sent of the packets of its replay.
 *
 * Where entities were before the replay is not known, so that an entity that comes up first is told of wherever it is.
 *
 * @see specs/push.md PUSH-25
 */
export class ReplayFilter {
  readonly #filter: PushFilter;
  readonly #isWholeState: boolean;
  readonly #limitRemembered: number;
  // All that counts of where an entity was: that it was in no box. Those with the others would be the larger part.
  readonly #outside = new Set<string>();

  constructor(filter: PushFilter, options: ReplayFilterOptions = {}) {
    this.#filter = filter;
    this.#isWholeState = options.isWholeState ?? false;
    this.#limitRemembered = options.limitRemembered ?? REMEMBERED_ENTITIES;
  }

  /**
   * Which members of the next packet are for the reader, in order; none of them may be. It is to be called once with
   * each packet of the replay, in order.
   */
  choose({ subjects }: Packet): readonly number[] {
    const chosen: number[] = [];
    for (const [member, subject] of subjects.entries()) {
      const wasOutside = this.#isWholeState || this.#outside.has(subject.entity);
      if (fits(this.#filter, subject, wasOutside ? 'nowhere' : 'unknown')) chosen.push(member);
      if (!this.#isWholeState) this.#follow(subject);
    }
    return chosen;
  }

  #follow({ entity, kind, isOlder, position }: PacketSubject): void {
    const { entities, boxes } = this.#filter;
    if (isOlder || boxes.length === 0 || (entities.size > 0 && !entities.has(entity))) return;
    const isOutside = kind === 'upsert' && !(position && boxes.some((box) => boxHas(box, position)));
    if (!isOutside) this.#outside.delete(entity);
    else if (this.#outside.size < this.#limitRemembered) this.#outside.add(entity);
  }
}

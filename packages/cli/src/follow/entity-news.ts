import type { MemberChange } from '@ldes-live/client';

/** What a change is to whoever saw those before it. */
export type News = 'new' | 'changed' | 'gone';

/** The most entities that are remembered: where each member is an entity of its own, there is no end of them. */
const LIMIT_ENTITIES = 100_000;

/** Remembers which entities have been told of, to tell new ones from changed ones. */
export class EntityNews {
  readonly #known = new Set<string>();
  readonly #limit: number;

  /** @param limit - the most entities that are remembered; those that changed longest ago are forgotten first */
  constructor(limit = LIMIT_ENTITIES) {
    this.#limit = limit;
  }

  /** What a change is after those judged before it. */
  judge({ kind, inFilter, member: { entity } }: MemberChange): News {
    const wasKnown = this.#known.delete(entity);
    if (kind === 'delete' || !inFilter) return 'gone';
    this.#known.add(entity);
    const [oldest] = this.#known;
    if (this.#known.size > this.#limit) this.#known.delete(oldest as string);
    return wasKnown ? 'changed' : 'new';
  }

  /** Forgets all: after a gap every entity is new. */
  clear(): void {
    this.#known.clear();
  }
}

import type { Member } from '@ldes-live/rdf-stream';
import { Listeners } from './listeners.ts';

/**
 * The living entities by IRI with their newest versions, as far as they were delivered: a live map. It is the same
 * object for as long as its follower lives.
 *
 * @see specs/mal.md MAL-72
 */
export interface LatestEntities extends ReadonlyMap<string, Member> {
  /**
   * Listens to entities that get a new version (`upsert`), or that were known and are no more (`delete`). The
   * map has changed already when the listener is called.
   *
   * @returns ends the listening
   */
  on(type: 'upsert' | 'delete', listener: (member: Member) => void): () => void;
  /**
   * Listens to all entities being forgotten at once: what was read could not be continued, and the state
   * follows anew.
   *
   * @returns ends the listening
   */
  on(type: 'reset', listener: () => void): () => void;
}

type LatestEvents = {
  readonly upsert: readonly [member: Member];
  readonly delete: readonly [member: Member];
  readonly reset: readonly [];
};

/** {@link LatestEntities} as the follower keeps them. */
export class LiveEntities implements LatestEntities {
  readonly #members = new Map<string, Member>();
  readonly #listeners: Listeners<LatestEvents>;

  /** @param report - takes what a listener throws; by default it is reported as uncaught */
  constructor(report?: (error: unknown) => void) {
    this.#listeners = new Listeners(report);
  }

  get size(): number {
    return this.#members.size;
  }

  get(entity: string): Member | undefined {
    return this.#members.get(entity);
  }

  has(entity: string): boolean {
    return this.#members.has(entity);
  }

  keys(): MapIterator<string> {
    return this.#members.keys();
  }

  values(): MapIterator<Member> {
    return this.#members.values();
  }

  entries(): MapIterator<[string, Member]> {
    return this.#members.entries();
  }

  [Symbol.iterator](): MapIterator<[string, Member]> {
    return this.#members.entries();
  }

  forEach(visit: (member: Member, entity: string, entities: ReadonlyMap<string, Member>) => void): void {
    for (const [entity, member] of this.#members) visit(member, entity, this);
  }

  on<Type extends keyof LatestEvents>(type: Type, listener: (...args: LatestEvents[Type]) => void): () => void {
    return this.#listeners.on(type, listener);
  }

  /** Takes a version as the newest of its entity. */
  set(member: Member): void {
    this.#members.set(member.entity, member);
    this.#listeners.emit('upsert', member);
  }

  /** Takes an entity as being no more; without effect where it is not known. */
  delete(member: Member): void {
    if (this.#members.delete(member.entity)) this.#listeners.emit('delete', member);
  }

  /** Forgets everything; without effect where nothing is known. */
  reset(): void {
    if (this.#members.size === 0) return;
    this.#members.clear();
    this.#listeners.emit('reset');
  }
}

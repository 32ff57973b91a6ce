import type { Member } from '@ldes-live/rdf-stream';

/*
 * A live map of the entities of a stream, with listeners for what changes in it.
 *
 *   put(member) -> Map { 'http://h/vehicles/12' => member } -> listeners of 'upsert'; remove -> 'delete'; reset -> 'reset'
 */

/**
 * The living entities by IRI with their newest versions, as far as they were delivered: a live map. It is the same
 * object for as long as its follower lives.
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

export class LatestMap extends Map<string, Member> implements LatestEntities {
  readonly #listeners = new Listeners<LatestEvents>();

  on<Type extends keyof LatestEvents>(type: Type, listener: (...args: LatestEvents[Type]) => void): () => void {
    return this.#listeners.on(type, listener);
  }

  put(member: Member): void {
    this.set(member.entity, member);
    this.#listeners.emit('upsert', member);
  }

  remove(member: Member): void {
    if (this.delete(member.entity)) this.#listeners.emit('delete', member);
  }

  reset(): void {
    if (this.size === 0) return;
    this.clear();
    this.#listeners.emit('reset');
  }
}

/** The listeners of one object, with the arguments that those of each type are called with. */
export class Listeners<Events extends Readonly<Record<string, readonly unknown[]>>> {
  readonly #registered: { [Type in keyof Events]?: Set<{ readonly call: (...args: Events[Type]) => void }> } = {};

  /**
   * Calls a listener at every event of a type from now on, in the order of registration. A function that is
   * registered twice is called twice.
   *
   * @returns ends this registration; calling it again does nothing
   */
  on<Type extends keyof Events>(type: Type, listener: (...args: Events[Type]) => void): () => void {
    const registration = { call: listener };
    const registered = this.#registered[type] ?? new Set();
    this.#registered[type] = registered.add(registration);
    return () => {
      registered.delete(registration);
    };
  }

  has(type: keyof Events): boolean {
    return (this.#registered[type]?.size ?? 0) > 0;
  }

  /** Calls the listeners of a type. One that throws stops neither the caller nor the other listeners. */
  emit<Type extends keyof Events>(type: Type, ...args: Events[Type]): void {
    const registered = this.#registered[type];
    if (!registered?.size) return;
    // A copy: a listener that is registered meanwhile hears the next event, not this one.
    for (const registration of [...registered]) {
      if (!registered.has(registration)) continue;
      try {
        registration.call(...args);
      } catch (error) {
        reportOutOfBand(error);
      }
    }
  }
}

/** Reports an error as one that nobody caught, after the present call: as browsers do for event listeners. */
function reportOutOfBand(error: unknown): void {
  const { reportError } = globalThis as { reportError?: (error: unknown) => void };
  if (reportError) reportError(error);
  else {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** What a reader got of entities that have new versions in turns. */
export interface ConflationCounts {
  readonly delivered: number;
  /** Changes that came though a newer version of their entity had come. */
  readonly disordered: number;
}

/**
 * Counts the versions of entities that were delivered, and those that came after a newer one: sequence 1 is the first version
 * of the first entity, and each entity has one version in each round.
 */
export class ConflationTally {
  readonly #entities: number;
  /** The newest version of each entity that came. */
  readonly #newest: number[];
  #counts: ConflationCounts = { delivered: 0, disordered: 0 };

  /** @param rounds - how many versions of each entity were published before the reading begins */
  constructor(entities: number, rounds: number) {
    this.#entities = entities;
    this.#newest = new Array<number>(entities).fill(rounds);
  }

  get counts(): ConflationCounts {
    return this.#counts;
  }

  /** Takes note of a change. */
  note(sequence: number): void {
    const entity = (sequence - 1) % this.#entities;
    const version = (sequence - 1 - entity) / this.#entities + 1;
    const before = this.#newest[entity] as number;
    this.#newest[entity] = Math.max(before, version);
    const { delivered, disordered } = this.#counts;
    this.#counts = { delivered: delivered + 1, disordered: disordered + (version <= before ? 1 : 0) };
  }
}

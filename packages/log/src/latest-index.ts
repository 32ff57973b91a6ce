import type { LatestEntry, LatestView } from '@ldes-live/rdf-stream';
import type { LatestChange } from './latest-change.ts';

/** The latest state in memory: the newest version of each living entity, found by entity and by origin. */
export class LatestIndex implements Omit<LatestView, 'held'> {
  // Maps keep the order of insertion, and newer versions come last: the values are in sequence.
  readonly #entries = new Map<string, LatestEntry>();
  readonly #origins = new Map<string, Map<string, LatestEntry>>();
  readonly #sequences = new Set<number>();

  /** @param entries - by sequence, each of another entity */
  constructor(entries: Iterable<LatestEntry> = []) {
    for (const entry of entries) this.#add(entry);
  }

  get size(): number {
    return this.#entries.size;
  }

  get(entity: string): LatestEntry | undefined {
    return this.#entries.get(entity);
  }

  entriesOf(origin: string): Iterable<LatestEntry> {
    return this.#origins.get(origin)?.values() ?? [];
  }

  /** Sequence numbers of the newest versions, ascending. */
  sequences(): number[] {
    return Array.from(this.#entries.values(), (entry) => entry.sequence);
  }

  /** Whether a member is the newest version of a living entity. */
  isNewest(sequence: number): boolean {
    return this.#sequences.has(sequence);
  }

  /** Takes over what a stored commit changes. */
  apply(change: LatestChange): void {
    for (const entry of change.ended) this.#remove(entry);
    for (const entry of change.begun) this.#add(entry);
  }

  #add(entry: LatestEntry): void {
    this.#entries.set(entry.entity, entry);
    this.#sequences.add(entry.sequence);
    let sameOrigin = this.#origins.get(entry.origin);
    if (!sameOrigin) {
      sameOrigin = new Map();
      this.#origins.set(entry.origin, sameOrigin);
    }
    sameOrigin.set(entry.entity, entry);
  }

  #remove(entry: LatestEntry): void {
    this.#entries.delete(entry.entity);
    this.#sequences.delete(entry.sequence);
    const sameOrigin = this.#origins.get(entry.origin);
    sameOrigin?.delete(entry.entity);
    // Origins may come and go, as for data that is posted: an empty one is not kept.
    if (sameOrigin?.size === 0) this.#origins.delete(entry.origin);
  }
}

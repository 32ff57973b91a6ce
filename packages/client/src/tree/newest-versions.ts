import type { Reading } from './reading.ts';

/** The newest version of each entity among members that were read in any order. */
export class NewestVersions {
  readonly #newest = new Map<string, Reading>();

  get size(): number {
    return this.#newest.size;
  }

  /** Takes a member in; what is as new as another and read later is newer. */
  add(reading: Reading): void {
    const known = this.#newest.get(reading.details.entity);
    if (!known || !isNewer(known.rank, reading.rank)) this.#newest.set(reading.details.entity, reading);
  }

  /** Takes out the newest versions of the living entities one by one, the oldest first. */
  *drain(): Generator<Reading> {
    const inOrder = [...this.#newest].sort(([, left], [, right]) => byAge(left.rank, right.rank));
    for (const [entity, reading] of inOrder) {
      this.#newest.delete(entity);
      if (reading.details.kind === 'upsert') yield reading;
    }
  }
}

function isNewer(left: Reading['rank'], right: Reading['rank']): boolean {
  for (const [index, value] of left.entries()) {
    const other = right[index];
    if (value !== undefined && other !== undefined && value !== other) return value > other;
  }
  return false;
}

// By publication where there is one: the source's own times need not be in its order.
function byAge(left: Reading['rank'], right: Reading['rank']): number {
  const difference = (left[PUBLISHED] ?? 0) - (right[PUBLISHED] ?? 0);
  return difference || (left[PUBLISHED + 1] ?? 0) - (right[PUBLISHED + 1] ?? 0);
}

const PUBLISHED = 2;

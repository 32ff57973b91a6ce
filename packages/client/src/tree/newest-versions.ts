import type { Reading } from './reading.ts';

/**
 * How many versions of an entity are kept that a delete which is read later could make the newest. More come only where a
 * stream publishes ever earlier versions.
 */
const CANDIDATES = 8;

/**
 * The newest version of each entity among members that were read in any order.
 *
 * @see specs/any-ldes.md READ-23
 */
export class NewestVersions {
  // Of each entity, by publication: the last version that replaces whatever came before it, and those after it that none
  // replaces which was published later.
  readonly #versions = new Map<string, readonly Reading[]>();

  get size(): number {
    return this.#versions.size;
  }

  /** Takes a member in. */
  add(reading: Reading): void {
    const { entity } = reading.details;
    const versions = [...(this.#versions.get(entity) ?? []), reading].sort(byPublication);
    const kept = versions.slice(Math.max(0, versions.findLastIndex(isBeginning)));
    const isReplaced = (version: Reading, index: number) =>
      !isBeginning(version) && kept.some((later, place) => place > index && !isEarlier(later, version));
    this.#versions.set(entity, kept.filter((version, index) => !isReplaced(version, index)).slice(0, CANDIDATES));
  }

  /** Takes out the newest versions of the living entities one by one, the oldest first. */
  *drain(): Generator<Reading> {
    for (const reading of Array.from(this.#versions.values(), newestOf).sort(byPublication)) {
      this.#versions.delete(reading.details.entity);
      if (reading.details.kind === 'upsert') yield reading;
    }
  }
}

const [VERSION_TIME, VERSION_NUMBER, PUBLISHED, SEQUENCE] = [0, 1, 2, 3];

function newestOf([first, second]: readonly Reading[]): Reading {
  return second && isBeginning(first as Reading) ? second : (first as Reading);
}

/** Whether a version replaces all that were published before it, and each that comes after replaces it. */
function isBeginning({ rank, details }: Reading): boolean {
  // Where nothing tells when it was published, an end is as of its own time.
  if (details.kind === 'delete' && (rank[PUBLISHED] ?? rank[SEQUENCE]) !== undefined) return true;
  return (rank[VERSION_TIME] ?? rank[VERSION_NUMBER]) === undefined;
}

/** Whether a version is of an earlier time than one that was published before it. */
function isEarlier(version: Reading, before: Reading): boolean {
  return (difference(version, before, VERSION_TIME) || difference(version, before, VERSION_NUMBER)) < 0;
}

// By reading where nothing else tells.
function byPublication(left: Reading, right: Reading): number {
  return difference(left, right, PUBLISHED) || difference(left, right, SEQUENCE) || left.order - right.order;
}

/** 0 where one of them lacks it. */
function difference({ rank: left }: Reading, { rank: right }: Reading, index: number): number {
  return (left[index] ?? Number.NaN) - (right[index] ?? Number.NaN) || 0;
}

/** Values below are counted one by one; above, each doubling has half as many counters. */
const EXACT = 256;
const PER_DOUBLING = EXACT / 2;
/** The longest value: some 19 hours in microseconds. */
const DOUBLINGS = 28;

/** Counters and counts, in turns, of those that counted something. */
export type SparseCounts = readonly number[];

/** A histogram as it crosses from one process to another, and as reports keep it: microseconds. */
export interface LatencyCounts {
  readonly max: number;
  readonly counts: SparseCounts;
}

/**
 * Counts every value, to less than 1 % of it, in a fixed number of counters: histograms are added up, never percentiles.
 */
export class LatencyHistogram {
  readonly #counts = new Float64Array(EXACT + PER_DOUBLING * DOUBLINGS);
  #total = 0;
  #max = 0;

  get total(): number {
    return this.#total;
  }

  /** The greatest value, as it was noted. */
  get max(): number {
    return this.#max;
  }

  /** @param value - microseconds; below 0 counts as 0 */
  note(value: number): void {
    const whole = value > 0 ? Math.floor(value) : 0;
    const counter = counterOf(whole);
    this.#counts[counter] = (this.#counts[counter] as number) + 1;
    this.#total += 1;
    if (whole > this.#max) this.#max = whole;
  }

  /** The least value that so great a share of all values does not exceed, rounded up to its counter; 0 of nothing. */
  percentile(share: number): number {
    const rank = Math.ceil(this.#total * share);
    let seen = 0;
    for (let counter = 0; counter < this.#counts.length; counter += 1) {
      seen += this.#counts[counter] as number;
      if (seen >= rank && seen > 0) return Math.min(this.#max, greatestOf(counter));
    }
    return 0;
  }

  toSparse(): LatencyCounts {
    const counts: number[] = [];
    this.#counts.forEach((count, counter) => {
      if (count > 0) counts.push(counter, count);
    });
    return { max: this.#max, counts };
  }

  /** Adds what another one counted. */
  add({ max, counts }: LatencyCounts): void {
    for (let index = 0; index < counts.length; index += 2) {
      const [counter, count] = [counts[index] as number, counts[index + 1] as number];
      this.#counts[counter] = (this.#counts[counter] as number) + count;
      this.#total += count;
    }
    this.#max = Math.max(this.#max, max);
  }
}

/** What was counted, in ascending order: the least and the greatest value of each counter, microseconds, and its count. */
export function latencyBuckets({ max, counts }: LatencyCounts): readonly LatencyBucket[] {
  const buckets: LatencyBucket[] = [];
  for (let index = 0; index < counts.length; index += 2) {
    const [counter, count] = [counts[index] as number, counts[index + 1] as number];
    const least = counter === 0 ? 0 : greatestOf(counter - 1) + 1;
    buckets.push({ least, greatest: Math.min(max, greatestOf(counter)), count });
  }
  return buckets;
}

/** One counter of a histogram: values from `least` to `greatest`, both included, microseconds. */
export interface LatencyBucket {
  readonly least: number;
  readonly greatest: number;
  readonly count: number;
}

function counterOf(value: number): number {
  if (value < EXACT) return value;
  const doubling = Math.min(Math.floor(Math.log2(value)) - Math.log2(EXACT), DOUBLINGS - 1);
  const step = 2 ** (doubling + 1);
  return Math.min(EXACT + doubling * PER_DOUBLING + Math.floor(value / step) - PER_DOUBLING, lastOf(doubling));
}

function lastOf(doubling: number): number {
  return EXACT + (doubling + 1) * PER_DOUBLING - 1;
}

function greatestOf(counter: number): number {
  if (counter < EXACT) return counter;
  const doubling = Math.floor((counter - EXACT) / PER_DOUBLING);
  const step = 2 ** (doubling + 1);
  return (((counter - EXACT) % PER_DOUBLING) + PER_DOUBLING + 1) * step - 1;
}

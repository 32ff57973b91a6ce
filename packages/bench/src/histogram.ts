/*
 * Delays, counted one by one to less than 1 % of each in a fixed number of counters (HdrHistogram): histograms are added up,
 * percentiles never are. Values are microseconds.
 *
 *   note(1234) in each process -> encode() -> add() where all come together -> percentile(0.99), density(), encode() in JSON
 *   "HISTFAAAAC..."                                        // HdrHistogram V2, compressed, base64: any of its tools reads it
 */
import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64, type JsHistogram } from 'hdr-histogram-js';

/** Some 19 hours; what is later counts as this. */
const MAX_MICROS = 2 ** 36 - 1;
/** Bins of a density are even on a logarithmic axis. */
const BINS_PER_DECADE = 15;

/** One counter that counted something: values from `minMicros` to `maxMicros`, both included. */
type Bucket = Readonly<Record<'minMicros' | 'maxMicros' | 'count', number>>;
/** A point of a density: how large a share of all values a factor of ten around it would have. */
type DensityPoint = Readonly<Record<'ms' | 'density', number>>;

export class Histogram {
  readonly #counters = build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: MAX_MICROS,
    numberOfSignificantValueDigits: 2,
    bitBucketSize: 64,
  }) as JsHistogram;

  /** @param encoded - what other histograms counted, all of which is in this one */
  constructor(...encoded: readonly string[]) {
    for (const one of encoded) this.add(one);
  }

  /** What counts some delays. */
  static ofMs(allMs: readonly number[]): Histogram {
    const delay = new Histogram();
    for (const ms of allMs) delay.note(ms * 1000);
    return delay;
  }

  get total(): number {
    return this.#counters.totalCount;
  }

  /** The greatest value, as it was noted; of decoded ones, the greatest of its counter. */
  get maxMicros(): number {
    return this.#counters.maxValue;
  }

  /** Below 0 counts as 0. */
  note(micros: number, count = 1): void {
    const whole = Math.min(MAX_MICROS, Math.max(0, Math.floor(micros)));
    if (count === 1) this.#counters.recordValue(whole);
    else this.#counters.recordValueWithCount(whole, count);
  }

  add(encoded: string): void {
    this.#counters.add(decodeFromCompressedBase64(encoded, 64, false) as JsHistogram);
  }

  encode(): string {
    return encodeIntoCompressedBase64(this.#counters);
  }

  /**
   * The least value that so great a share of all values does not exceed, rounded up to its counter; 0 of nothing.
   *
   * @param missing - values that are later than all that were noted, such as updates that never came
   * @returns `undefined` where it is one of those that are missing
   */
  percentileMs(share: number): number;
  percentileMs(share: number, missing: number): number | undefined;
  percentileMs(share: number, missing = 0): number | undefined {
    const rank = Math.ceil((this.total + missing) * share);
    let seen = 0;
    for (const { maxMicros, count } of this.buckets()) {
      seen += count;
      if (seen >= rank) return Math.min(this.maxMicros, maxMicros) / 1000;
    }
    return missing > 0 ? undefined : 0;
  }

  /** As cells have a delay: its percentiles of all that was due, and all of it. @param missing - what never came */
  cell(missing = 0) {
    const [p50Ms, p99Ms] = [this.percentileMs(0.5, missing), this.percentileMs(0.99, missing)];
    const values = { ...(p50Ms !== undefined && { p50Ms }), ...(p99Ms !== undefined && { p99Ms }) };
    return { values, histograms: { delay: this.encode() } };
  }

  /** Each value taken for the middle of its counter: within 0.5 % of it. */
  get meanMs(): number {
    return this.#counters.mean / 1000;
  }

  /** Of the values themselves: the root of the mean square of their distances from the mean. */
  get deviationMs(): number {
    return this.#counters.stdDeviation / 1000;
  }

  /** In ascending order. */
  buckets(): readonly Bucket[] {
    const buckets: Bucket[] = [];
    const counters = this.#counters;
    for (let index = 0, left = this.total; left > 0; index += 1) {
      const count = counters.getCountAtIndex(index);
      if (count === 0) continue;
      const minMicros = counters.valueFromIndex(index);
      buckets.push({ minMicros, maxMicros: counters.highestEquivalentValue(minMicros), count });
      left -= count;
    }
    return buckets;
  }

  /** How many values are in counters that are below a limit as a whole. */
  countBelow(limitMs: number): number {
    return this.buckets().reduce((sum, { maxMicros, count }) => sum + (maxMicros < limitMs * 1000 ? count : 0), 0);
  }

  /** The points of a line over a logarithmic axis of milliseconds, with an area of 1 below it; what a counter spans, bins share. */
  density(): readonly DensityPoint[] {
    const counts = new Map<number, number>();
    for (const { minMicros, maxMicros, count } of this.buckets()) {
      const middleMs = Math.sqrt(Math.max(1, minMicros) * Math.max(1, maxMicros)) / 1000;
      const bin = Math.floor(Math.log10(middleMs) * BINS_PER_DECADE);
      counts.set(bin, (counts.get(bin) ?? 0) + count);
    }
    if (counts.size === 0) return [];
    // Each end is a bin of nothing, where the line meets the axis.
    const [first, last] = [Math.min(...counts.keys()) - 1, Math.max(...counts.keys()) + 1];
    return Array.from({ length: last - first + 1 }, (_, index) => ({
      ms: 10 ** ((first + index + 0.5) / BINS_PER_DECADE),
      density: ((counts.get(first + index) ?? 0) / this.total) * BINS_PER_DECADE,
    }));
  }
}

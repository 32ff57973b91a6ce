import { LatencyHistogram, type SparseCounts } from '../load/latency-histogram.ts';

/** What reached one reader in a time. */
export interface DeliveryTally {
  /** Members published in that time that were delivered. */
  readonly delivered: number;
  /** Of these, those that came later than the MAL by the clock of this machine. */
  readonly misses: number;
  /** From publication to delivery, microseconds. */
  readonly lags: { readonly max: number; readonly counts: SparseCounts };
  /** The greatest difference between the lag that a change told and the measured one, milliseconds. */
  readonly toldApartMs: number;
  /** Members that did not come though later ones did, and that came though they were past. */
  readonly lost: number;
  readonly doubled: number;
  readonly gaps: number;
  /** Sequence of the last member that was delivered; 0 before the first. */
  readonly lastSequence: number;
}

/** One change as its reader got it. */
export interface Delivery {
  readonly sequence: number;
  /** When it was published, and when it was delivered, epoch milliseconds of one clock. */
  readonly publishedMs: number;
  readonly nowMs: number;
  /** How late it is, as the change tells, milliseconds. */
  readonly toldLagMs: number;
}

/** Counts what reaches a reader that follows from now on, and checks that it is all of it, in order. */
export class DeliveryWatch {
  readonly #malMs: number;
  #sinceMs = Number.POSITIVE_INFINITY;
  #lags = new LatencyHistogram();
  #counts = NOTHING;
  #lastSequence = 0;

  constructor(malMs: number) {
    this.#malMs = malMs;
  }

  /** Counts from an instant on: what was published before it is not counted. */
  begin(nowMs: number): void {
    this.#sinceMs = nowMs;
    this.#lags = new LatencyHistogram();
    this.#counts = NOTHING;
  }

  note({ sequence, publishedMs, nowMs, toldLagMs }: Delivery): void {
    const last = this.#lastSequence;
    const counts = { ...this.#counts };
    if (last > 0 && sequence > last + 1) counts.lost += sequence - last - 1;
    if (sequence <= last) counts.doubled += 1;
    this.#lastSequence = Math.max(last, sequence);
    if (publishedMs > this.#sinceMs) {
      const lagMs = nowMs - publishedMs;
      counts.delivered += 1;
      if (lagMs > this.#malMs) counts.misses += 1;
      counts.toldApartMs = Math.max(counts.toldApartMs, Math.abs(lagMs - toldLagMs));
      this.#lags.note(lagMs * 1000);
    }
    this.#counts = counts;
  }

  /** Takes note of a gap: what follows begins anew. */
  gap(): void {
    this.#counts = { ...this.#counts, gaps: this.#counts.gaps + 1 };
    this.#lastSequence = 0;
  }

  get tally(): DeliveryTally {
    return { ...this.#counts, lags: this.#lags.toSparse(), lastSequence: this.#lastSequence };
  }
}

const NOTHING = { delivered: 0, misses: 0, toldApartMs: 0, lost: 0, doubled: 0, gaps: 0 };

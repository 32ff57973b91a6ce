import { LatencyHistogram } from './latency-histogram.ts';
import type { Arrival, LoadTally } from './load-messages.ts';
import { emptySequenceTally } from './sequence-check.ts';
import type { SeriesCounts } from './series-counts.ts';

/** What all readers of a process note together. */
export class LoadState {
  readonly tally: LoadTally = { open: 0, opened: 0, ended: 0, refused: 0, events: 0, doubled: 0, bytes: 0 };
  sequence = emptySequenceTally();
  latency = new LatencyHistogram();
  ends: number[] = [];
  #arrivals = new Map<number, Arrival>();
  #current: Arrival | undefined;
  #series: SeriesCounts | undefined;

  /** What counts how often each reader gets each update, where that is wanted. */
  set series(series: SeriesCounts) {
    this.#series = series;
    this.tally.doubled = 0;
  }

  /**
   * Notes that an update was read whole.
   *
   * @param reader - of the readers of this process
   */
  arrived(stamp: number, nowMicros: number, reader = 0): void {
    this.tally.events += 1;
    if (this.#series) {
      this.#series.note(reader, stamp);
      this.tally.doubled = this.#series.doubled;
    }
    this.latency.note(nowMicros - stamp);
    if (this.#current?.stamp !== stamp) {
      this.#current = this.#arrivals.get(stamp) ?? { stamp, first: nowMicros, last: nowMicros, events: 0 };
      this.#arrivals.set(stamp, this.#current);
    }
    this.#current.last = nowMicros;
    this.#current.events += 1;
  }

  /** How many different updates have come, to any reader, since the last time. */
  get updates(): number {
    return this.#arrivals.size;
  }

  /** What was noted since the last time, to be told. */
  take() {
    const taken = {
      tally: { ...this.tally },
      sequence: this.sequence,
      ...(this.#series && { series: this.#series.tally() }),
      latency: this.latency.toSparse(),
      arrivals: [...this.#arrivals.values()],
      ends: this.ends,
    };
    this.sequence = emptySequenceTally();
    this.latency = new LatencyHistogram();
    this.ends = [];
    this.#arrivals = new Map();
    this.#current = undefined;
    return taken;
  }
}

import type { PublishSchedule } from './publish-on-schedule.ts';

/** The most deliveries that are counted one by one in a process, bytes of memory. */
const MAX_COUNTED = 128 * 1024 * 1024;

/** What readers did not get once. */
export interface SeriesTally {
  /** Updates that never came to a reader. */
  readonly lost: number;
  /** Times that an update came to a reader which had it. */
  readonly doubled: number;
}

/** How often each reader of a process got each update of a series, by the instants that the updates were scheduled for. */
export class SeriesCounts {
  readonly #series: PublishSchedule;
  readonly #counts: Uint8Array;
  #doubled = 0;

  /**
   * @param readers - all of which get every update
   * @throws Error - that is more than can be counted one by one
   */
  constructor(readers: number, series: PublishSchedule) {
    if (readers * series.count > MAX_COUNTED) throw new Error(`${readers} readers of ${series.count} updates`);
    this.#series = series;
    this.#counts = new Uint8Array(readers * series.count);
  }

  /** How often an update came to a reader that had it, since the beginning. */
  get doubled(): number {
    return this.#doubled;
  }

  /** Notes that a reader got an update; one of another series is none of this one's. */
  note(reader: number, stampMicros: number): void {
    const { startMicros, intervalMicros, count } = this.#series;
    const index = (stampMicros - startMicros) / intervalMicros;
    if (!Number.isInteger(index) || index < 0 || index >= count) return;
    const at = reader * count + index;
    const before = this.#counts[at] as number;
    if (before > 0) this.#doubled += 1;
    else this.#counts[at] = 1;
  }

  tally(): SeriesTally {
    let lost = 0;
    for (const count of this.#counts) if (count === 0) lost += 1;
    return { lost, doubled: this.#doubled };
  }
}

import { type LatencyCounts, LatencyHistogram } from '../load/latency-histogram.ts';
import type { Row } from './row.ts';
import { RowSequence } from './row-sequence.ts';

/** What all connections of a consumer got. */
export interface RowCounts {
  /** Rows that came for the first time, of all connections. */
  readonly rows: number;
  /** Rows that were passed over: a later one came. */
  readonly lost: number;
  /** Rows that had not come yet, or came after the end of what is counted. */
  readonly behind: number;
  readonly doubled: number;
  readonly bytes: number;
  /** From the instant a batch was scheduled for until all its rows were parsed, microseconds; one value a batch and connection. */
  readonly latency: LatencyCounts;
  /** When the last rows were parsed, microseconds; 0 where none came. */
  readonly lastMicros: number;
}

/** Which rows a consumer is to count. */
export interface CountedRows {
  /** Number of the first one. @defaultValue 0 */
  readonly firstRow?: number;
  /** When they are to be there, microseconds of the clock: what is parsed later is behind. @defaultValue never */
  readonly endMicros?: number;
}

/** Counts what the connections of a consumer get. */
export class RowTally {
  readonly #sequences: RowSequence[];
  readonly #latency = new LatencyHistogram();
  readonly #clock: () => number;
  readonly #endMicros: number;
  #bytes = 0;
  #lastMicros = 0;
  #late = 0;

  /** @param clock - microseconds, of the clock that stamps are of */
  constructor(connections: number, clock: () => number, { firstRow = 0, endMicros = Infinity }: CountedRows = {}) {
    this.#sequences = Array.from({ length: connections }, () => new RowSequence(firstRow));
    this.#clock = clock;
    this.#endMicros = endMicros;
  }

  /** Takes the rows of a batch, which have been parsed by now. */
  take(connection: number, rows: readonly Row[]): void {
    const [first] = rows;
    if (!first) return;
    this.#lastMicros = this.#clock();
    this.#latency.note(this.#lastMicros - first[1]);
    const sequence = this.#sequences[connection] as RowSequence;
    const before = sequence.rows;
    sequence.take(rows);
    if (this.#lastMicros > this.#endMicros) this.#late += sequence.rows - before;
  }

  /** Counts bytes that came. */
  receive(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Whether every connection is past so many rows. */
  isPast(rows: number): boolean {
    return this.#sequences.every(({ next }) => next >= rows);
  }

  /** @param published - number of the first row after those that each connection was to have */
  counts(published: number): RowCounts {
    let [rows, lost, behind, doubled] = [0, 0, 0, 0];
    for (const sequence of this.#sequences) {
      rows += sequence.rows;
      lost += sequence.lost;
      behind += Math.max(0, published - sequence.next);
      doubled += sequence.doubled;
    }
    return {
      rows: rows - this.#late,
      lost,
      behind: behind + this.#late,
      doubled,
      bytes: this.#bytes,
      latency: this.#latency.toSparse(),
      lastMicros: this.#lastMicros,
    };
  }
}

import type { MetricName } from './metric-table.ts';

/**
 * The numbers of one process, or of several added up, as plain JSON, so that it goes from process to process.
 *
 * @see specs/metrics.md
 */
export type MetricsSnapshot = Readonly<Partial<Record<MetricName, readonly Sample[]>>>;

/** One number of a metric. */
export interface Sample {
  /** Names and values, in the order of the table. */
  readonly labels: Labels;
  readonly value: number | Distribution;
}

export type Labels = Readonly<Record<string, string>>;

/** What a histogram holds. */
export interface Distribution {
  /** How many fell into each bucket, and into none of them; not added up. */
  readonly counts: readonly number[];
  /** Sum of all that was observed. */
  readonly sum: number;
}

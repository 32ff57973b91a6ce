import type { LatencyCounts } from '../load/latency-histogram.ts';
import type { Machine } from '../machine.ts';
import type { Spread } from '../spread.ts';
import type { Figure } from './figure.ts';

/** What an experiment found: all that its page, its text and its files are made of. JSON. */
export interface Report {
  /** Its name on the command line, such as `e1`. */
  readonly experiment: string;
  readonly title: string;
  /** What was done, in one or two sentences. */
  readonly about: string;
  /** Address of what it repeats. */
  readonly source?: string;
  /** The command line that makes it again. Reports of older versions have none. */
  readonly command?: string;
  /** When it began, ISO 8601, UTC. */
  readonly startedAt: string;
  readonly tookSeconds: number;
  /** Whether its rounds were too few and too short for figures. */
  readonly isQuick: boolean;
  /** What all its random numbers come from. */
  readonly seed: number;
  readonly machine: Machine & { readonly pinned: boolean };
  /** Versions of what took part, by name. */
  readonly versions: Readonly<Record<string, string>>;
  /** Sizes and counts that it was run with, by names that say their units. */
  readonly workload: Readonly<Record<string, number | string | readonly number[]>>;
  readonly repeats: number;
  /** What a reader has to know before any figure: a load that was saturated, what was missing, deliveries that were lost. */
  readonly warnings: readonly string[];
  readonly sections: readonly Section[];
  /**
   * What runs are compared by, and other machines: ratios of figures of one run, never figures alone. By stable names
   * such as `cpu of ldes-live / Express, SSE, 1000 clients`.
   */
  readonly ratios: Readonly<Record<string, Spread>>;
  /** Every latency, microseconds, by what was measured; repeats are added up. */
  readonly histograms: Readonly<Record<string, LatencyCounts>>;
  /** All runs as they were measured. */
  readonly data: object;
}

/** A part of a report: a figure or a table, and what it means. */
export interface Section {
  readonly title: string;
  /** Paragraphs: what is seen, and what it means. */
  readonly text: readonly string[];
  readonly figures?: readonly Figure[];
  readonly tables?: readonly Table[];
  /** Text of fixed width, for what is neither. */
  readonly preformatted?: string;
}

/** A table: the first column names the row. */
export interface Table {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/**
 * What stands in a table: text as it is, a number (a whole one below a million in full, others with three digits that
 * count), one with its spread, or nothing. A published number with decimals is given as text, so that none is lost.
 */
export type Cell = string | number | Spread | undefined;

import type { CommitSource } from '../commit-source.ts';
import type { SparqlLimits } from './sparql-limits.ts';

/** A stream that takes queries. */
export interface QueriedStream {
  /** The segment of its paths: queries go to `/<name>/sparql`. */
  readonly name: string;
  /** URL of `/<name>/sparql`, as others reach it. */
  readonly endpoint: string;
  /** Limits other than the defaults. */
  readonly limits?: Partial<SparqlLimits>;
  /** Aborted once it takes no queries any more: then its live queries end. */
  readonly ended?: AbortSignal;
  /** Begins to read it: its latest state, and each commit from then on, until the signal is aborted. */
  readonly commits: (signal: AbortSignal) => CommitSource;
  /** The cursor of its latest state as of now, printed. */
  readonly cursor: () => string;
  /**
   * Header fields of an answer over the state at a cursor, which say how long it holds: those of the stream's latest-state
   * document, by their names in lower case.
   */
  readonly fields: (cursor: string) => Readonly<Record<string, string>>;
}

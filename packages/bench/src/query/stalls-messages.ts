import type { EngineName } from './evaluation-messages.ts';
import type { Observed, Published } from './judge-answers.ts';
import type { StallsSize } from './query-plan.ts';

/** What the process that follows is told. */
export interface StallsTask extends StallsSize {
  readonly engine: EngineName;
}

/** What it tells. */
export interface StallsReport {
  readonly published: readonly Published[];
  readonly answers: readonly Observed[];
  /** How often the query was asked, by its status. */
  readonly evaluations: number;
  /** The longest that anything of the thread had to wait while there was nothing to do: what the machine adds, milliseconds. */
  readonly idleStallMs: number;
  /** From the state being handed out to the first result, milliseconds. */
  readonly startMs: number;
  /** The longest that it had to wait until then, milliseconds. */
  readonly startStallMs: number;
  /** The same after it. */
  readonly stallMs: number;
}

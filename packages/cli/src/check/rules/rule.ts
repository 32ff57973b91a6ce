import type { Evidence } from '../evidence/evidence.ts';

/**
 * How much it matters that a rule is broken. `error`: a MUST of LDES, TREE or HTTP, or readers get wrong data.
 * `warning`: a SHOULD, or readers get data late or at more cost than need be. `advice`: it could be better.
 */
export type Severity = 'error' | 'warning' | 'advice';

/** Where a rule is broken, and what was seen there. */
export interface Observation {
  readonly url: string;
  readonly saw: string;
}

/** One rule of a check. */
export interface Rule {
  /** `CHK-` and a number that is never used again. */
  readonly id: `CHK-${number}`;
  readonly severity: Severity;
  /** What holds where the rule is kept. */
  readonly title: string;
  /** Where it comes from. */
  readonly source: string;
  /** Where it is broken. */
  readonly check: (evidence: Evidence) => readonly Observation[];
}

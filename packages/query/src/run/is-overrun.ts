/** How late the timer of a wait may wake without that counting against the MAL, milliseconds. */
export const TIMER_SLACK_MS = 50;

/** An evaluation, as far as the MAL is concerned. Instants in epoch milliseconds. */
export interface EvaluationRecord {
  readonly malMs: number;
  readonly startMs: number;
  /** How long it took, milliseconds. */
  readonly evaluationMs: number;
  /** When the oldest change arrived that it is the first to see; absent where it was made without one. */
  readonly oldestArrivalMs: number | undefined;
  /** What the answer is complete to by the claim of its sources; absent where none makes one. */
  readonly completeToMs: number | undefined;
  /** How far the sources of the changes that it is the first to see were behind before those came, at most, milliseconds. */
  readonly behindMs: number;
}

/**
 * Whether an answer is older than the MAL allows: the evaluation took longer, or a change had waited longer for it,
 * or the sources were further behind when it began, or before they brought what it is the first to see.
 *
 * @see specs/query.md QUERY-64
 */
export function isOverrun(record: EvaluationRecord): boolean {
  const { malMs, startMs, evaluationMs, oldestArrivalMs = startMs, completeToMs = startMs, behindMs } = record;
  const mostMs = malMs + TIMER_SLACK_MS;
  const waitedMs = Math.max(startMs - oldestArrivalMs, startMs - completeToMs, behindMs);
  return evaluationMs > malMs || waitedMs > mostMs;
}

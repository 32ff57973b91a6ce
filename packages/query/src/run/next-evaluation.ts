/** What decides when a query is asked next. */
export interface EvaluationCircumstances {
  /** Epoch milliseconds. */
  readonly nowMs: number;
  readonly malMs: number;
  /** When the last evaluation began, epoch milliseconds; absent before the first. */
  readonly lastStartMs: number | undefined;
  /** Whether a change that matters has been applied since. */
  readonly isChanged: boolean;
  /** Whether the answer changes as time passes. */
  readonly isVolatile: boolean;
  readonly sources: readonly SourceCircumstances[];
}

/** What counts of a source. */
export interface SourceCircumstances {
  /** Since when it is read, epoch milliseconds. */
  readonly readSinceMs: number;
  /** When it brought something for the first time, epoch milliseconds. */
  readonly firstAtMs: number | undefined;
  readonly hasEnded: boolean;
  /** How far it is behind, milliseconds. */
  readonly lagMs: number;
}

/**
 * The least time between the starts of two evaluations, milliseconds: what the sources' lag leaves of the MAL, but at
 * least half of it.
 *
 * @see specs/query.md QUERY-61
 */
export function evaluationIntervalMs(malMs: number, sources: readonly Pick<SourceCircumstances, 'lagMs'>[]): number {
  const lagMs = Math.max(0, ...sources.map((source) => source.lagMs));
  return Math.max(malMs - lagMs, malMs / 2);
}

/**
 * When the query is to be asked, epoch milliseconds, now or later; `undefined` while there is no need.
 *
 * @see specs/query.md QUERY-60, QUERY-61, QUERY-63
 */
export function nextEvaluationMs(circumstances: EvaluationCircumstances): number | undefined {
  const { nowMs, malMs, lastStartMs, isChanged, isVolatile, sources } = circumstances;
  if (lastStartMs === undefined) return firstEvaluationMs(circumstances);
  // Nothing more can come that an answer could wait for.
  if (sources.every(({ hasEnded }) => hasEnded)) return isChanged ? nowMs : undefined;
  if (!isChanged && !isVolatile) return undefined;
  // A clock that was set back must not put the next one off.
  if (nowMs < lastStartMs) return nowMs;
  return Math.max(nowMs, lastStartMs + evaluationIntervalMs(malMs, sources));
}

function firstEvaluationMs({ nowMs, malMs, sources }: EvaluationCircumstances): number | undefined {
  const silent = sources.filter(({ firstAtMs, hasEnded }) => firstAtMs === undefined && !hasEnded);
  if (silent.length === 0) return nowMs;
  // Nobody waits longer than the MAL for a source that says nothing, once another has.
  if (sources.every(({ firstAtMs }) => firstAtMs === undefined)) return undefined;
  return Math.max(nowMs, Math.max(...silent.map(({ readSinceMs }) => readSinceMs)) + malMs);
}

/** Which share of the MAL may pass between two looks at how complete the data are, so that no age of an answer is far off. */
const CLAIMS_SHARE = 0.1;

/** The least time between them, milliseconds. */
const LEAST_CLAIMS_INTERVAL_MS = 50;

/** How often it is looked up how complete the sources' data are, milliseconds. */
export function claimsIntervalMs(malMs: number): number {
  return Math.max(CLAIMS_SHARE * malMs, LEAST_CLAIMS_INTERVAL_MS);
}

/** How many events are taken in at most while an evaluation is due. */
export const MOST_EVENTS_TAKEN = 1000;

/** Which share of the MAL is spent at most on taking in events while an evaluation is due. */
const TAKING_SHARE = 0.25;

/**
 * Whether an evaluation that is due is put off for what has come already. A query that takes longer than changes take to come
 * falls ever further behind if it is asked again for each; one that waits for all of them may never be asked.
 *
 * @param dueSinceMs - since when it is due, epoch milliseconds
 * @param taken - how many events were taken in since
 */
export function isWorthTakingMore(dueSinceMs: number, taken: number, nowMs: number, malMs: number): boolean {
  return taken < MOST_EVENTS_TAKEN && nowMs - dueSinceMs < TAKING_SHARE * malMs;
}

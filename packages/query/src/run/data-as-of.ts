/** What is known of how complete a source's data are. */
export interface SourceClaim {
  /** What it claims itself, epoch milliseconds. */
  readonly completeToMs: number | undefined;
  /** When the newest of what it brought was published, epoch milliseconds; `-Infinity` before anything. */
  readonly publishedMs: number;
}

/**
 * Up to when all that was published is in what the sources brought, epoch milliseconds: what the one furthest behind
 * shows; 0 where one shows nothing. Never later than now.
 *
 * @see specs/query.md QUERY-2
 */
export function dataAsOfMs(sources: readonly SourceClaim[], nowMs: number): number {
  const shown = sources.map(({ completeToMs, publishedMs }) => completeToMs ?? publishedMs);
  return Math.max(0, Math.min(nowMs, ...shown));
}

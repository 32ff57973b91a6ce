/** How the wait of a reader who is cut is reckoned. */
export interface RetryWaitOptions {
  /** The shortest wait, milliseconds. */
  readonly retryMs: number;
  /** How many readers may be cut together with this one. */
  readonly connections: number;
  /** How many may come back in a second. */
  readonly acceptsPerSecond: number;
  /** A number in [0, 1), new for each reader. */
  readonly random: number;
}

/** The longest wait for the sake of the crowd, milliseconds: past it a reader would take the stream for lost. */
const LONGEST_MS = 60_000;

/**
 * How long a reader is to wait before it comes back, for its `retry:` field; whole milliseconds.
 *
 * It has to be said while the connection is sound, so it is reckoned for the worst, which is that all who are connected
 * are cut at once: they are spread over twice the time that it takes to take them on again.
 *
 * @returns at least `retryMs`; at most 60 s, or twice `retryMs` where that is more
 * @see specs/push.md PUSH-29
 */
export function retryWaitMs({ retryMs, connections, acceptsPerSecond, random }: RetryWaitOptions): number {
  const crowdMs = (2000 * connections) / acceptsPerSecond;
  const longestMs = Math.min(retryMs + Math.max(retryMs, crowdMs), Math.max(LONGEST_MS, 2 * retryMs));
  return Math.round(retryMs + random * (longestMs - retryMs));
}

/** How a wait before another attempt is reckoned. */
export interface BackoffOptions {
  /** How many attempts have failed in a row: 1 or more. */
  readonly attempt: number;
  /** A number in [0, 1), new for each wait. */
  readonly random: number;
  /** The longest first wait, milliseconds. */
  readonly baseMs: number;
  /** The longest wait, milliseconds. */
  readonly maxMs: number;
  /** What the server asked for (`Retry-After`), milliseconds; a lower bound. */
  readonly retryAfterMs?: number;
}

/**
 * Wait before the next attempt, in milliseconds: doubling, and half of it random.
 *
 * The random half is proportional to the wait, so that clients which failed together do not come back
 * together; what the server asked for is spread upwards for the same reason.
 */
export function backoffMs(options: BackoffOptions): number {
  const { attempt, random, baseMs, maxMs, retryAfterMs = 0 } = options;
  const longest = Math.min(maxMs, baseMs * 2 ** (attempt - 1));
  const wait = longest / 2 + (random * longest) / 2;
  return retryAfterMs > 0 ? Math.max(wait, retryAfterMs * (1 + random / 2)) : wait;
}

/** The most that a server's `Retry-After` is accepted, milliseconds: no header may stop a client for ever. */
export const MAX_RETRY_AFTER_MS = 3_600_000;

interface BackoffOptions {
  /** How many attempts have failed in a row: 1 or more. */
  readonly attempt: number;
  /** A number in [0, 1), new for each wait. */
  readonly random: number;
  /** The longest first wait. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** What the server asked for: a lower bound, up to {@link MAX_RETRY_AFTER_MS}; 0 where absent. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * Wait before the next attempt, milliseconds (MAL-12): doubling, and half of it random, so that clients which failed
 * together do not come back together. What the server asked for is spread upwards by up to a half for the same reason.
 */
export function backoffMs({ attempt, random, baseMs, maxMs, retryAfterMs = 0 }: BackoffOptions): number {
  const highMs = Math.min(maxMs, baseMs * 2 ** (attempt - 1));
  const acceptedMs = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
  return Math.max(highMs / 2 + (random * highMs) / 2, acceptedMs * (1 + random / 2));
}

/**
 * How long a `Retry-After` field asks to wait, milliseconds, 0 or more; `undefined` when it is absent or means nothing.
 * It has seconds or an HTTP-date (RFC 9110, section 10.2.3), which counts from `nowMs`, epoch milliseconds by the
 * server's clock.
 */
export function retryAfterMs(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  if (/^[0-9]+$/.test(value)) return Math.min(Number(value) * 1000, Number.MAX_SAFE_INTEGER);
  // Date.parse takes much that is not an HTTP-date ("-5" is a year): a date begins with its weekday.
  const dateMs = /^[A-Z][a-z]{2,8},? /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}

/** How far a check goes, and how gently. */
export interface CheckLimits {
  /** The most nodes of the view to read, the root among them. @defaultValue 20 */
  readonly pages: number;
  /** Pause before each request but the first, milliseconds. @defaultValue 200 */
  readonly pauseMs: number;
  /** The largest document, bytes, encoded and decoded. @defaultValue 16 MiB */
  readonly documentBytes: number;
  /** The most statements of a document; of JSON-LD the values of its JSON. @defaultValue 1,000,000 */
  readonly documentQuads: number;
  /** The most to receive in all, bytes. @defaultValue 128 MiB */
  readonly totalBytes: number;
  /** The longest time for one response, milliseconds. @defaultValue 30,000 */
  readonly responseMs: number;
  /** The longest time for the whole check, milliseconds. @defaultValue 300,000 */
  readonly totalMs: number;
  /** The longest wait that a `Retry-After` is granted, milliseconds; beyond it the check stops. @defaultValue 60,000 */
  readonly retryAfterMs: number;
  /** How long to wait for the first byte of a push endpoint, milliseconds. @defaultValue 5,000 */
  readonly pushMs: number;
}

/** What holds where nothing else is asked for. */
export const DEFAULT_CHECK_LIMITS: CheckLimits = {
  pages: 20,
  pauseMs: 200,
  documentBytes: 16 * 1024 * 1024,
  documentQuads: 1_000_000,
  totalBytes: 128 * 1024 * 1024,
  responseMs: 30_000,
  totalMs: 300_000,
  retryAfterMs: 60_000,
  pushMs: 5_000,
};

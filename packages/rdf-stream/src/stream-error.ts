/** A stable error code: `ERR_` and upper-case words. Codes are never renamed and never reused. */
export type ErrorCode = `ERR_${string}`;

/** The values that an error message names, by name. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

// A registered symbol, so that an error is recognised when two copies of this package are installed.
const BRAND = Symbol.for('@ldes-live/stream-error');

/**
 * The one error class of ldes-live: what happened, with which value, and what to do.
 *
 * Recognise it by {@link isStreamError} and its `code`, not by its message.
 *
 * @see specs/errors.md
 */
export class StreamError extends Error {
  override readonly name = 'StreamError';
  /** What went wrong, as a stable code; `specs/errors.md` has an anchor for each. */
  readonly code: ErrorCode;
  /** The values at fault, as named in the message. */
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/**
 * Whether a value is a {@link StreamError}, and of the given code if one is named.
 *
 * @param value - anything that was thrown
 * @param code - the code to look for; any when absent
 */
export function isStreamError(value: unknown, code?: ErrorCode): value is StreamError {
  if (typeof value !== 'object' || value === null || !(BRAND in value)) return false;
  return code === undefined || (value as unknown as StreamError).code === code;
}

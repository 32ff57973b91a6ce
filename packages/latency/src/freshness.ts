import type { NextUpdate } from './next-update.ts';

/** How long a mutable document may be reused, in the terms of its header fields. */
export interface Freshness {
  /** `max-age`: whole seconds, 0 or more. */
  readonly maxAgeSeconds: number;
  /** `Expires`: epoch milliseconds, never in the past; HTTP-date drops the part below a second. */
  readonly expiresMs: number;
  /** `Next-Update`: epoch milliseconds; absent when the next update is unknown or overdue. */
  readonly nextUpdateMs?: number;
}

/** How long a document may be reused when the next update may come at any moment, in seconds. */
export const MICRO_CACHE_SECONDS = 1;

/**
 * Freshness of a response that is sent now: it reaches to the next update and no further.
 *
 * @param nowMs - the present, epoch milliseconds
 * @see specs/documents.md DOC-8
 * @see https://www.rfc-editor.org/rfc/rfc9111#section-4.2.1
 */
export function freshness(next: NextUpdate, nowMs: number): Freshness {
  if (next.state === 'predicted') {
    return {
      maxAgeSeconds: Math.max(0, Math.floor((next.atMs - nowMs) / 1000)),
      expiresMs: Math.max(nowMs, next.atMs),
      nextUpdateMs: next.atMs,
    };
  }
  return { maxAgeSeconds: MICRO_CACHE_SECONDS, expiresMs: nowMs + MICRO_CACHE_SECONDS * 1000 };
}

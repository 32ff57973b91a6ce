/** How much of its entities a feed may lose in one poll before it must say so twice. */
export const DEFAULT_LIMIT_GONE_SHARE = 0.5;

/**
 * How long the same bytes must stand until they confirm themselves, milliseconds: longer than a broken body is
 * likely to stand, and short enough that what has ended does not live on.
 */
export const SAME_BYTES_CONFIRM_MS = 600_000;

/** A poll as the guard sees it. */
export interface ShrinkPoll {
  /** How many entities of the origin live. */
  readonly living: number;
  /** How many of them would end. */
  readonly gone: number;
  /** Whether it describes nothing at all. */
  readonly isEmpty: boolean;
  /** Equal for equal bytes. */
  readonly bodyHash: string;
  /** The present, epoch milliseconds. */
  readonly nowMs: number;
  /** The feed's own time, epoch milliseconds, if it states one. */
  readonly headerMs?: number;
}

/** What the guard held back and another poll must confirm. */
export interface ShrinkSuspicion {
  /** Of the bytes that were held back last. */
  readonly bodyHash: string;
  /** Whether they describe nothing at all. */
  readonly isEmpty: boolean;
  /** Since when these bytes, or others that describe nothing either, stand; epoch milliseconds. */
  readonly sinceMs: number;
  /** The feed's own time at the first poll that was held back, epoch milliseconds, if it stated one. */
  readonly headerMs?: number;
}

/**
 * Whether a poll of a full dataset counts, seeing how much of it is gone: when it does not, the suspicion
 * that the next poll must confirm. Pure.
 *
 * A poll that would end more than `limitGoneShare` of the living entities does not count, until a later
 * one that would do so too confirms it: one with other bytes and, where both state times, a later one. The
 * same bytes confirm nothing until they have stood for {@link SAME_BYTES_CONFIRM_MS}, since a broken body
 * may well stand for a while; one that stands longer is what the producer means. Nor do other bytes that
 * describe nothing, where times are not stated: a page that says that there is an error may say when.
 *
 * @param limitGoneShare - from 0 to 1; with 1 every poll counts
 * @see specs/gtfs-realtime.md GTFS-39
 */
export function shrinkGuard(
  suspicion: ShrinkSuspicion | undefined,
  poll: ShrinkPoll,
  limitGoneShare: number,
): { readonly counts: true } | { readonly counts: false; readonly suspicion: ShrinkSuspicion } {
  if (poll.gone <= poll.living * limitGoneShare) return { counts: true };
  if (suspicion && confirms(suspicion, poll)) return { counts: true };
  return { counts: false, suspicion: suspicionAfter(suspicion, poll) };
}

function confirms(suspicion: ShrinkSuspicion, poll: ShrinkPoll): boolean {
  const hasStood = poll.nowMs - suspicion.sinceMs >= SAME_BYTES_CONFIRM_MS;
  if (suspicion.bodyHash === poll.bodyHash) return hasStood;
  if (suspicion.headerMs !== undefined && poll.headerMs !== undefined) {
    return poll.headerMs > suspicion.headerMs;
  }
  return !poll.isEmpty || (suspicion.isEmpty && hasStood);
}

function suspicionAfter(suspicion: ShrinkSuspicion | undefined, poll: ShrinkPoll): ShrinkSuspicion {
  const { bodyHash, isEmpty, nowMs } = poll;
  // Other bytes that confirm nothing are of no later time than those before them, whose time is kept.
  const headerMs = suspicion?.headerMs ?? poll.headerMs;
  const isTimed = suspicion?.headerMs !== undefined && poll.headerMs !== undefined;
  const goesOn = suspicion?.bodyHash === bodyHash || (suspicion?.isEmpty && isEmpty && !isTimed);
  // A clock that was set back begins the wait anew: otherwise it would grow by what the clock lost.
  const sinceMs = suspicion && goesOn ? Math.min(suspicion.sinceMs, nowMs) : nowMs;
  return headerMs === undefined ? { bodyHash, isEmpty, sinceMs } : { bodyHash, isEmpty, sinceMs, headerMs };
}

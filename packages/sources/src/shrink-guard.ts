/** How much of its entities a feed may lose in one poll before it must say so twice. */
export const DEFAULT_LIMIT_GONE_SHARE = 0.5;

/** A poll as the guard sees it. */
export interface ShrinkPoll {
  /** How many entities of the origin live. */
  readonly living: number;
  /** How many of them would end. */
  readonly gone: number;
  /** Equal for equal bytes. */
  readonly bodyHash: string;
  /** The feed's own time, epoch milliseconds, if it states one. */
  readonly headerTimeMs?: number;
}

/** The poll that the guard held back and that another one must confirm. */
export type ShrinkSuspicion = Pick<ShrinkPoll, 'bodyHash' | 'headerTimeMs'>;

/**
 * Whether a poll of a full dataset counts, seeing how much of it is gone: when it does not, the suspicion
 * that the next poll must confirm. Pure.
 *
 * A poll that would end more than `limitGoneShare` of the living entities does not count, until a later
 * one that would do so too confirms it: one with other bytes and, where both state times, a later one.
 * The same bytes again confirm nothing, since a broken body may well stand for a while.
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
  return { counts: false, suspicion: suspicion ?? suspicionOf(poll) };
}

function confirms(suspicion: ShrinkSuspicion, poll: ShrinkPoll): boolean {
  if (suspicion.bodyHash === poll.bodyHash) return false;
  return (
    suspicion.headerTimeMs === undefined ||
    poll.headerTimeMs === undefined ||
    poll.headerTimeMs > suspicion.headerTimeMs
  );
}

function suspicionOf({ bodyHash, headerTimeMs }: ShrinkPoll): ShrinkSuspicion {
  return headerTimeMs === undefined ? { bodyHash } : { bodyHash, headerTimeMs };
}

import type { FollowSession } from '../follow/follow-session.ts';
import { holdAgainst } from './hold-against.ts';
import { pushRefused } from './push-trust.ts';

/** After how many late events in a row push is given up for a time. */
const LATE_LIMIT = 3;

/**
 * Judges whether push by itself comes too late: events that this reader was waiting for before they were published came
 * past the MAL several times in a row, while pull would be quicker. Then something on the way holds them back.
 *
 * @param times.heardAtMs - when the event came, epoch milliseconds by our clock
 * @param times.waitingSinceMs - since when it was waited for
 * @see specs/mal.md MAL-49
 */
export function comesLate(
  session: FollowSession,
  { heardAtMs, waitingSinceMs }: { readonly heardAtMs: number; readonly waitingSinceMs: number },
): boolean {
  const { share } = session.options;
  const { lastPushedMs } = session;
  // Who came late to it itself has nothing to say.
  if (lastPushedMs === undefined || lastPushedMs < waitingSinceMs) return false;
  const lagMs = heardAtMs - lastPushedMs;
  const pullBoundMs = share.planner.plan?.lagBoundMs ?? Number.POSITIVE_INFINITY;
  session.lateEvents = lagMs > share.malMs && pullBoundMs < lagMs ? session.lateEvents + 1 : 0;
  if (session.lateEvents < LATE_LIMIT) return false;
  session.lateEvents = 0;
  const problem = `push brings updates ${(lagMs / 1000).toFixed(1)} s late, perhaps held back by a proxy`;
  holdAgainst(session, pushRefused, problem);
  return true;
}

import { pushLagBound } from '@ldes-live/latency';
import type { FollowSession } from './follow-session.ts';

/** What the lag bound of a polling follower follows from. */
export interface LagEvidence {
  readonly nowMs: number;
  /** Up to when nothing published is missing, epoch milliseconds. */
  readonly currentAtMs: number;
  /** How long a read takes, milliseconds. */
  readonly readMs: number;
  /** The bound that the planned poll keeps; absent when none is planned. */
  readonly plannedMs?: number;
}

/**
 * How late an update may be when it is delivered by pull, in milliseconds.
 *
 * @see specs/mal.md MAL-20
 */
export function lagBound({ nowMs, currentAtMs, readMs, plannedMs = 0 }: LagEvidence): number {
  // A plan that was not kept promises nothing: from then on the bound is the time since the last news.
  return Math.ceil(Math.max(plannedMs, nowMs - currentAtMs + readMs));
}

/**
 * The lag bound of a follower as it stands, milliseconds.
 *
 * @see specs/mal.md MAL-88, MAL-91
 */
export function lagBoundOf(session: FollowSession): number {
  const { options, push, currentAtMs, doubt } = session;
  const { share, clock } = options;
  if (session.ending === 'finished') return 0;
  const { plan, readMs } = session.tree?.planner ?? share.planner;
  const nowMs = clock();
  if (!push || doubt !== undefined) {
    return lagBound({ nowMs, currentAtMs, readMs, ...(plan ? { plannedMs: plan.lagBoundMs } : {}) });
  }
  const serverNowMs = nowMs + share.http.clockOffsetMs;
  const nextUpdateMs = share.rhythm.nextUpdateMs(serverNowMs);
  const deliveryMs = session.deliveryMs(readMs);
  return Math.ceil(
    pushLagBound({
      silentMs: nowMs - deliveryMs - session.provenAtMs(),
      deliveryMs,
      // What is due follows from what others that share the stream have read.
      ...(nextUpdateMs === undefined || !session.isCaughtUp || session.isBehindPush
        ? {}
        : { dueMs: serverNowMs - nextUpdateMs }),
    }),
  );
}

import { probeAtMs } from '@ldes-live/latency';
import type { FollowSession } from '../follow/follow-session.ts';
import { firstOf } from '../waiting/first-of.ts';
import { nextOnline } from '../waiting/next-online.ts';
import { sleepUntil } from '../waiting/sleep-until.ts';
import type { PushReader } from './shared-push.ts';

/**
 * Waits for the next event of a push connection, but no longer than the connection deserves to be believed: a predicted
 * update that does not come, a clock that jumped (the machine slept) or a network that was gone are each reason to look.
 *
 * @see specs/mal.md MAL-47
 */
export async function waitForEvent(
  session: FollowSession,
  push: PushReader,
): Promise<'event' | 'doubt' | 'reconsider'> {
  const { share, environment, ...options } = session.options;
  // It may have changed while nobody was waiting.
  if (session.chosenAt !== share.changes) return 'reconsider';
  const atMs = doubtfulAtMs(session);
  const first = await firstOf(session.signal, {
    event: () => push.filled(),
    reconsider: (signal) => share.changed.next(signal),
    jump: (signal) => share.jumps.next(signal),
    online: (signal) => nextOnline(environment, signal),
    late: atMs === undefined ? undefined : (signal) => sleepUntil(atMs, { ...options, signal }),
  });
  return first === 'event' || first === 'reconsider' ? first : doubt(session, first);
}

/** Takes note that the connection may hide something, and why. */
export function doubt(session: FollowSession, cause: keyof typeof DOUBTS): 'doubt' {
  const { clock, share } = session.options;
  session.jumpsSeen = share.jumps.count;
  session.doubt = DOUBTS[cause];
  session.newsAtMs = clock();
  session.holeEnd = 0;
  return 'doubt';
}

const DOUBTS = {
  jump: 'the clock jumped: the machine may have slept',
  online: 'the network was gone',
  late: 'an update that was predicted did not come',
};

function doubtfulAtMs(session: FollowSession): number | undefined {
  const { options, newsAtMs, failedProbes } = session;
  const { share, clock, phase } = options;
  const offsetMs = share.http.clockOffsetMs;
  const nowMs = clock() + offsetMs;
  const nextUpdateMs = share.rhythm.dueAfterMs(newsAtMs + offsetMs, nowMs);
  const intervalMs = share.rhythm.intervalMs(nowMs);
  if (nextUpdateMs === undefined) return undefined;
  return probeAtMs({
    nextUpdateMs: nextUpdateMs - offsetMs,
    ...(intervalMs === undefined ? {} : { intervalMs }),
    malMs: share.malMs,
    deliveryMs: session.deliveryMs(share.planner.readMs),
    heardAtMs: newsAtMs,
    phase,
    failedProbes,
  });
}

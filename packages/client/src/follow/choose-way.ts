import { chooseMode, type ModeOptions } from '@ldes-live/latency';
import { isPushTrusted } from '../push/push-trust.ts';
import type { FollowSession } from './follow-session.ts';
import type { FollowEvent } from './follow-state.ts';

/** Chooses pull or push as things stand. */
export function chooseWay(session: FollowSession): FollowEvent {
  const { clock, share } = session.options;
  if (session.chosenAt !== share.changes) session.tree?.plan();
  session.chosenAt = share.changes;
  const offer = session.profile?.push;
  // A tree is looked at by a plan of its own, whose bound passes the MAL only where that cannot be kept.
  const { planner } = session.tree ?? share;
  const leastBoundMs = session.tree ? planner.plan?.lagBoundMs : planner.leastBoundMs;
  const push = pushState(session, clock());
  const choice = chooseMode({
    malMs: share.malMs,
    breakEvenMs: offer?.breakEvenMs ?? 0,
    push,
    pushBoundMs: session.deliveryMs(planner.readMs),
    ...(leastBoundMs === undefined ? {} : { pullBoundMs: leastBoundMs }),
    ...(share.preferred ? { current: share.preferred } : {}),
  });
  // What circumstances forced is not held on to when they are over.
  if (push === 'available') share.preferred = choice.mode;
  session.choice = push === 'failing' ? { ...choice, reason: share.trust.problem } : choice;
  return choice.mode === 'push' ? 'chose-push' : 'chose-pull';
}

function pushState({ profile, options: { share } }: FollowSession, nowMs: number): ModeOptions['push'] {
  if (!profile?.push) return 'absent';
  if (!isPushTrusted(share.trust, nowMs)) return 'failing';
  return nowMs < share.crowdedUntilMs ? 'no-connection' : 'available';
}

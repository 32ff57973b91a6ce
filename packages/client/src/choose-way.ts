import { chooseMode } from '@ldes-live/latency';
import type { FollowSession } from './follow-session.ts';
import type { FollowEvent } from './follow-state.ts';
import { isPushTrusted } from './push-trust.ts';

/** Chooses pull or push as things stand. */
export function chooseWay(session: FollowSession): FollowEvent {
  const { malMs, clock } = session.options;
  const { profile, trust, preferred } = session;
  const offer = profile?.push;
  const push = offer ? (isPushTrusted(trust, clock()) ? 'offered' : 'failing') : 'absent';
  const breakEvenMs = offer?.breakEvenMs ?? 0;
  const choice = chooseMode({ malMs, breakEvenMs, push, ...(preferred ? { current: preferred } : {}) });
  // What circumstances forced is not held on to when they are over.
  if (push === 'offered') session.preferred = choice.mode;
  session.choice = push === 'failing' ? { ...choice, reason: trust.problem } : choice;
  return choice.mode === 'push' ? 'chose-push' : 'chose-pull';
}

import type { Member } from '@ldes-live/rdf-stream';
import type { FollowSession } from './follow-session.ts';
import type { FollowState, FollowStateName } from './follow-state.ts';
import { lagBoundOf } from './lag-bound.ts';
import type { LiveStatus } from './live-status.ts';

/** What was read ahead of a slow reader. */
interface Ahead {
  /** Versions that were left out. */
  readonly leftOut: number;
  /** Whether something waits to be taken. */
  readonly isWaiting: boolean;
  /** What has waited longest. */
  readonly first: Member | undefined;
}

/** How a follower fares in a state. Pure in what it is given, but for the clock. */
export function statusOf(session: FollowSession, { name }: FollowState, ahead: Ahead): LiveStatus {
  const { leftOut, isWaiting, first } = ahead;
  const { tally, choice, isCaughtUp, options } = session;
  const lacks = lacksPushed(session, name);
  const { http } = options.share;
  return {
    state: name,
    mode: choice.mode,
    reason: reasonOf(session, name),
    isInTrouble: name !== 'ended' && (session.trouble !== undefined || !options.environment.isOnline()),
    lagBoundMs: Math.max(lagBoundOf(session), first ? session.waitedMs(first) : 0),
    isCaughtUp: isCaughtUp && !isWaiting && !lacks,
    malMisses: tally.malMisses,
    gaps: tally.gaps,
    conflated: options.sequencer.leftOut + leftOut,
    requests: http.requests,
    bytes: http.bytes,
  };
}

/** Whether it is known to lack something that push told of, and that only the pages can tell it. */
function lacksPushed({ push, holeEnd, options }: FollowSession, name: FollowStateName): boolean {
  const isRepair = name === 'repairing' || name === 'backing-off';
  const missedTo = Math.max(push?.missedTo ?? 0, isRepair ? holeEnd : 0);
  return missedTo > (options.sequencer.position?.sequence ?? 0);
}

/** What a state is about, where no way was chosen for it. */
const BEFORE_THE_CHOICE: Partial<Readonly<Record<FollowStateName, string>>> = {
  discovering: 'the stream is being looked up',
  starting: 'its state is being read',
  pulling: 'what was published before is being read',
};

function reasonOf(session: FollowSession, name: FollowStateName): string {
  const { trouble, doubt, choice, isCaughtUp, options } = session;
  if (name === 'ended') return endOf(session);
  const network = options.environment.isOnline() ? '' : 'offline, ';
  if (trouble) {
    return `${network}in trouble since ${new Date(trouble.sinceMs).toISOString()}: ${trouble.error.message}`;
  }
  if (network !== '') return 'offline, nothing is asked until the network is back';
  return doubt ?? (isCaughtUp ? undefined : BEFORE_THE_CHOICE[name]) ?? choice.reason;
}

function endOf({ ending }: FollowSession): string {
  if (ending === 'finished') return 'all of it has been read: its publisher says that nothing will follow';
  return ending ? `it cannot be read: ${ending.message}` : 'nobody reads it any more';
}

import { type Mode, pushLagBound } from '@ldes-live/latency';
import type { Member } from '@ldes-live/rdf-stream';
import type { FollowSession } from './follow/session.ts';
import type { FollowState, FollowStateName } from './follow/state.ts';

/** How a follower fares: a copy of the moment it was asked for. */
export interface LiveStatus {
  /** What it is doing. */
  readonly state: FollowStateName;
  /** The way updates come. */
  readonly mode: Mode;
  /** Why that way, or what is wrong, in words for a person. */
  readonly reason: string;
  /** Whether something is wrong that is expected to pass: `reason` says what. */
  readonly isInTrouble: boolean;
  /**
   * How late the next update may be when it is delivered, or already is, in milliseconds. It grows while the
   * server cannot be heard; `Infinity` before anything was read, and 0 once nothing can follow.
   */
  readonly lagBoundMs: number;
  /** Whether everything was delivered that there was when the stream was last heard. */
  readonly isCaughtUp: boolean;
  /** Live updates that came later than the MAL. */
  readonly malMisses: number;
  /** Times that the stream could not be continued and was read anew. */
  readonly gaps: number;
  /** Members left out since newer versions of their entities came before they were read. */
  readonly conflated: number;
  /** Requests sent, a redirected one counted twice; those of all followers of the URL in one client. */
  readonly requests: number;
  /**
   * Bytes of bodies received, after decompression. What came over the wire is less where it was compressed: `fetch` does
   * not tell that, neither in Node.js nor in a browser.
   */
  readonly bytes: number;
}

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
  const { choice, isCaughtUp, options } = session;
  const lacks = lacksPushed(session, name);
  const { gate, share } = options;
  const { http } = share;
  return {
    state: name,
    mode: choice.mode,
    reason: reasonOf(session, name),
    isInTrouble: name !== 'ended' && (session.trouble !== undefined || !options.environment.isOnline()),
    lagBoundMs: Math.max(lagBoundOf(session), first ? gate.waitedMs(first) : 0),
    isCaughtUp: isCaughtUp && !isWaiting && !lacks,
    malMisses: gate.malMisses,
    gaps: gate.gaps,
    conflated: gate.leftOut + leftOut,
    requests: http.requests,
    bytes: http.bytes,
  };
}

/** Whether it is known to lack something that push told of, and that only the pages can tell it. */
function lacksPushed({ push, holeEnd, options }: FollowSession, name: FollowStateName): boolean {
  const isRepair = name === 'repairing' || name === 'backing-off';
  const missedTo = Math.max(push?.missedTo ?? 0, isRepair ? holeEnd : 0);
  return missedTo > options.gate.sequence;
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

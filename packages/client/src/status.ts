import { type Mode, pushLagBound } from '@ldes-live/latency';
import type { SourceState } from '@ldes-live/rdf-stream';
import type { FollowRun } from './follow/run.ts';
import { type FollowState, type FollowStateName, type StateOf, seatOf, streamOf } from './follow/state.ts';
import type { Outbox } from './outbox.ts';

/*
 * How a follower fares, as it follows from its state and what was measured. Nothing is kept here.
 *
 *   state, gate, connection -> { mode: 'push', reason: 'MAL 1 s is below ...', lagBoundMs: 24, maxLagMs: 31, malMisses: 0, ... }
 *
 * Promised is the MAL, expected is `lagBoundMs`, measured are `updates`, `maxLagMs` and `malMisses`.
 */

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
   * What is expected of the next update: how late it may be when it is delivered, or already is, in milliseconds. By pull it
   * follows from the plan; by push from how late others were delivered, 0 before the first. It grows while the server cannot be
   * heard; `Infinity` before anything was read, and 0 once nothing can follow. Measured is `maxLagMs`; promised is the MAL.
   */
  readonly lagBoundMs: number;
  /** Whether everything was delivered that there was when the stream was last heard: of what push brought, nothing waits. */
  readonly isCaughtUp: boolean;
  /** Whether the sources that the publisher reads work, as last heard; absent where it says nothing of them. */
  readonly source?: SourceStatus;
  /**
   * How old the newest data are that were delivered, in milliseconds by the server's clock, 0 or more: by the time that their
   * source states, no later than their publication, else since their publication. Absent before the first. It grows while a source fails, and also while
   * nothing changes.
   */
  readonly dataAgeMs?: number;
  /** Live updates that were delivered: changes that were published while the reading went on (`isLive`). */
  readonly updates: number;
  /** The greatest lag of them, measured, in milliseconds; 0 before the first. It is above the MAL where `malMisses` is not 0. */
  readonly maxLagMs: number;
  /** How many of them came later than the MAL. */
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

/**
 * Whether the sources of a stream work, or since when the first of those that fail has not: xsd:dateTime in UTC. `completeTo` is
 * there where the server itself has lost the one that publishes: later changes may be missing.
 */
export type SourceStatus =
  | { readonly state: 'ok' }
  | { readonly state: 'failing'; readonly since: string; readonly completeTo?: string };

export function statusOf(run: FollowRun, outbox: Outbox): LiveStatus {
  const { state, gate, connection, options } = run;
  const { name, choice, trouble, isCaughtUp } = state;
  const { read, taken } = outbox.progress;
  const { dataAgeMs } = gate;
  // What push told of: some of it waits, or only the pages can tell it.
  const lackingTo = Math.max(seatOf(state)?.connection.toldTo ?? 0, state.lackingTo);
  return {
    state: name,
    mode: choice.mode,
    reason: reasonOf(state, options.environment.isOnline()),
    isInTrouble: name !== 'ended' && (trouble !== undefined || !options.environment.isOnline()),
    lagBoundMs: Math.max(lagBoundOf(run), gate.waitedMs(outbox.live())),
    isCaughtUp: isCaughtUp && taken >= read && lackingTo <= gate.sequence && !seatOf(state)?.connection.hasUnread,
    ...(connection.source && { source: sourceStatus(connection.source) }),
    ...(dataAgeMs !== undefined && { dataAgeMs }),
    updates: gate.updates,
    maxLagMs: gate.maxLagMs,
    malMisses: gate.malMisses,
    gaps: gate.gaps,
    conflated: gate.leftOut + (outbox.buffer?.conflated ?? 0),
    requests: connection.http.requests,
    bytes: connection.http.bytes,
  };
}

function sourceStatus(source: SourceState): SourceStatus {
  if (source.kind === 'ok') return { state: 'ok' };
  const { sinceMs, completeToMs } = source;
  const failing = { state: 'failing', since: new Date(sinceMs).toISOString() } as const;
  return completeToMs === undefined ? failing : { ...failing, completeTo: new Date(completeToMs).toISOString() };
}

// What a state is about, where no way was chosen for it.
const BEFORE_THE_CHOICE: Partial<Readonly<Record<FollowStateName, string>>> = {
  discovering: 'looking up the stream',
  starting: 'reading the latest state',
  pulling: 'reading the earlier updates',
};

function reasonOf(state: FollowState, isOnline: boolean): string {
  const { trouble, choice, isCaughtUp } = state;
  if (state.name === 'ended') return endOf(state);
  if (trouble) {
    const since = `failing since ${new Date(trouble.sinceMs).toISOString()}: ${trouble.error.message}`;
    return isOnline ? since : `offline, ${since}`;
  }
  if (!isOnline) return 'offline: nothing is requested until the network is back';
  if (state.name === 'repairing' && state.task.kind === 'probe') return state.task.reason;
  const doing = state.name === 'backing-off' ? state.next : state;
  return (isCaughtUp ? undefined : BEFORE_THE_CHOICE[doing.name]) ?? choice.reason;
}

function endOf({ reason }: StateOf<'ended'>): string {
  if (reason === 'finished') return 'all of the stream was read, and its publisher ended it';
  return reason === 'left' ? 'the reader stopped' : `the stream cannot be read: ${reason.message}`;
}

/** How late the next update may be when it is delivered, milliseconds (MAL-20). */
export function lagBoundOf(run: FollowRun): number {
  const { state, connection, gate, options } = run;
  if (state.name === 'ended' && state.reason === 'finished') return 0;
  const stream = streamOf(state);
  const { plan, readMs } = (stream?.kind === 'tree' ? stream : connection).planner;
  const nowMs = options.clock();
  const isProbed = state.name === 'repairing' && state.task.kind === 'probe';
  if (!seatOf(state) || isProbed) {
    // A plan that was not kept promises nothing: from then on the bound is the time since the last news.
    return Math.ceil(Math.max(plan?.lagBoundMs ?? 0, nowMs - state.currentToMs + readMs));
  }
  const serverNowMs = nowMs + connection.http.clockOffsetMs;
  const nextUpdateMs = connection.updates.nextUpdateMs(serverNowMs);
  const deliveryMs = gate.deliveryMs(readMs);
  // What is due follows from what others that share the stream have read.
  const isDueKnown = nextUpdateMs !== undefined && state.isCaughtUp && !isBehindPush(run);
  const dueMs = isDueKnown ? serverNowMs - nextUpdateMs : undefined;
  return Math.ceil(pushLagBound({ silentMs: nowMs - deliveryMs - provenToMs(run), deliveryMs, dueMs }));
}

/** The instant up to which everything has been delivered, as far as anything shows, epoch milliseconds. */
export function provenToMs(run: FollowRun): number {
  const { state, connection, gate } = run;
  const seat = seatOf(state);
  // A heartbeat shows nothing of what waits before it.
  if (!seat || isBehindPush(run)) return state.currentToMs;
  return Math.max(state.currentToMs, seat.connection.beatAtMs - gate.deliveryMs(connection.planner.readMs));
}

// Whether its push connection told of more than was delivered, as far as that is known.
function isBehindPush({ state, gate }: FollowRun): boolean {
  const seat = seatOf(state);
  if (!seat) return false;
  return !seat.isEmpty || seat.connection.hasUnread || seat.connection.toldTo > gate.sequence;
}

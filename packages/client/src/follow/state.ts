import type { Mode } from '@ldes-live/latency';
import { type Cursor, isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import type { PollPlanner } from '../connection/poll-planner.ts';
import type { PushSeat } from '../connection/push-channel.ts';
import { errors } from '../errors.ts';
import type { TreeReading } from '../tree/reading.ts';
import type { StreamProfile } from './discover.ts';

/*
 * What a follower is doing, and everything that this needs. States are immutable: `step` makes the next one of a state and an
 * event, by the table of specs/mal.md.
 *
 *   discovering -> starting -> choosing -> waiting -> pulling -> choosing ...
 *                                 |---> pushing <-> repairing          any of them -> backing-off -> where it was
 *
 *   { name: 'repairing', stream: { kind: 'live', profile }, seat, task: { kind: 'gap', to: 46 },
 *     choice: { mode: 'push', reason: 'MAL 1 s is below the break-even of 10 s', malMs: 1000 }, failures: 0, lackingTo: 46, ... }
 *
 * Activities (discover.ts, pull.ts, push.ts) are given a state and return an event. Only run.ts writes the state.
 */

/** What is followed, as far as it was read: a stream of ours, or any other LDES. */
export type Stream =
  | { readonly kind: 'live'; readonly profile: StreamProfile }
  /** The planner plans its looks: each follower has pages of its own to look at. */
  | { readonly kind: 'tree'; readonly reading: TreeReading; readonly planner: PollPlanner };

export type LiveStream = Extract<Stream, { kind: 'live' }>;
export type TreeStream = Extract<Stream, { kind: 'tree' }>;

/** The cursor that could not be continued, until the reader got the gap, and the way it was found out. */
export interface Lost {
  readonly cursor: Cursor;
  readonly via: Mode;
}

/** An error that is expected to pass, with the last error and the wait that the server asked for. */
export interface ErrorState {
  readonly sinceMs: number;
  readonly error: StreamError;
  readonly retryAfterMs: number | undefined;
}

/** How far push is believed. */
export interface PushWatch {
  /** When a push connection last brought an event, or was probed, epoch milliseconds. */
  readonly newsAtMs: number;
  /** Probes in a row that found nothing. */
  readonly failedProbes: number;
  /** Pushed events in a row that came late, for which this reader is not to blame. */
  readonly lateEvents: number;
  /** The jumps of the clock after which it was looked what was missed. */
  readonly jumpsSeen: number;
}

/** What is read from the pages while the push connection stays: what it told of, or whatever it may hide. */
type RepairTask = { readonly kind: 'gap'; readonly to: number } | { readonly kind: 'probe'; readonly reason: string };

/** What every state has. */
export interface Known {
  /** Another MAL than that of the choice means to choose again. */
  readonly choice: { readonly mode: Mode; readonly reason: string; readonly malMs: number | undefined };
  /** How many attempts in a row came to nothing: the wait grows with it. */
  readonly failures: number;
  readonly trouble: ErrorState | undefined;
  /** Whether everything that there was has been delivered. */
  readonly isCaughtUp: boolean;
  /** The instant up to which nothing published is missing, epoch milliseconds by our clock. */
  readonly currentToMs: number;
  /** Push named members up to this sequence that only the pages hold; 0 where it did not. */
  readonly lackingTo: number;
  readonly watch: PushWatch;
}

type Doing =
  | {
      readonly name: 'discovering';
      readonly known: Stream | undefined;
      readonly lost: Lost | undefined;
      /** How often the root lacked something that a live stream's has. */
      readonly incompleteRoots: number;
    }
  | { readonly name: 'starting'; readonly stream: Stream; readonly lost: Lost | undefined }
  | { readonly name: 'choosing'; readonly stream: Stream; readonly seat: PushSeat | undefined }
  | { readonly name: 'waiting'; readonly stream: Stream }
  | { readonly name: 'pulling'; readonly stream: Stream }
  /** Without a seat one is taken first. */
  | { readonly name: 'pushing'; readonly stream: LiveStream; readonly seat: PushSeat | undefined }
  | { readonly name: 'repairing'; readonly stream: LiveStream; readonly seat: PushSeat; readonly task: RepairTask }
  | { readonly name: 'backing-off'; readonly next: Doing }
  | {
      readonly name: 'ended';
      readonly reason: 'finished' | 'left' | StreamError;
      readonly known: Stream | undefined;
      readonly lost: Lost | undefined;
    };

/** What a follower is doing. */
export type FollowStateName = Doing['name'];
export type FollowState = Known & Doing;
export type StateOf<Name extends FollowStateName> = Known & Extract<Doing, { name: Name }>;

/** What an activity came to. */
export type FollowEvent =
  | { readonly name: 'discovered' | 'at-head'; readonly stream: Stream }
  | { readonly name: 'behind' | 'chose-pull' | 'due' | 're-evaluate' | 'push-refused' | 'finished' }
  | { readonly name: 'chose-push'; readonly stream: LiveStream }
  /** `found`: whether there was anything that had not been delivered. */
  | { readonly name: 'caught-up'; readonly stream: Stream; readonly found: boolean }
  | { readonly name: 'sequence-gap'; readonly to: number }
  | { readonly name: 'probe'; readonly reason: string }
  | { readonly name: 'gap'; readonly lost: Lost }
  | { readonly name: 'dropped' | 'failed'; readonly trouble: ErrorState }
  | { readonly name: 'stopped'; readonly reason: unknown };

export type FollowEventName = FollowEvent['name'];
type EventOf<Name extends FollowEventName> = FollowEvent & { readonly name: Name };

const backOff = (next: Doing): Doing => ({ name: 'backing-off', next });
const anew = ({ stream }: { readonly stream: Stream }, { lost }: EventOf<'gap'>) =>
  backOff({ name: 'starting', stream, lost });
const chooseLater = ({ stream }: { readonly stream: Stream }) => backOff({ name: 'choosing', stream, seat: undefined });
const repair = ({ stream, seat }: StateOf<'pushing'>, task: RepairTask): Doing => {
  return { name: 'repairing', stream, seat: seat as PushSeat, task };
};
const end = (state: Doing, reason: 'finished' | 'left' | StreamError): Doing => {
  return { name: 'ended', reason, known: streamOf(state), lost: lostOf(state) };
};
const stopped = (state: Doing, { reason }: EventOf<'stopped'>) => end(state, isStreamError(reason) ? reason : 'left');

/** The transition table: what each state becomes by each event. What is not here cannot happen. */
export const TRANSITIONS: {
  readonly [State in FollowStateName]: {
    readonly [Event in FollowEventName]?: (state: StateOf<State>, event: EventOf<Event>) => Doing;
  };
} = {
  discovering: {
    discovered: ({ lost }, { stream }) => ({ name: 'starting', stream, lost }),
    failed: ({ known, lost, incompleteRoots }) => backOff({ name: 'discovering', known, lost, incompleteRoots }),
    stopped,
  },
  starting: {
    'at-head': (_, { stream }) => ({ name: 'choosing', stream, seat: undefined }),
    behind: ({ stream }) => ({ name: 'pulling', stream }),
    // The root is asked again, since the documents that it names may have moved.
    failed: ({ stream, lost }) => backOff({ name: 'discovering', known: stream, lost, incompleteRoots: 0 }),
    stopped,
  },
  choosing: {
    'chose-pull': ({ stream }) => ({ name: 'waiting', stream }),
    'chose-push': ({ seat }, { stream }) => ({ name: 'pushing', stream, seat }),
    stopped,
  },
  waiting: {
    due: ({ stream }) => ({ name: 'pulling', stream }),
    're-evaluate': ({ stream }) => ({ name: 'choosing', stream, seat: undefined }),
    stopped,
  },
  pulling: {
    'caught-up': (_, { stream }) => ({ name: 'choosing', stream, seat: undefined }),
    gap: anew,
    finished: (state) => end(state, 'finished'),
    failed: ({ stream }) => backOff({ name: 'pulling', stream }),
    stopped,
  },
  pushing: {
    'sequence-gap': (state, { to }) => repair(state, { kind: 'gap', to }),
    probe: (state, { reason }) => repair(state, { kind: 'probe', reason }),
    // While it is chosen anew, the connection may stay.
    're-evaluate': ({ stream, seat }) => ({ name: 'choosing', stream, seat }),
    'push-refused': ({ stream }) => ({ name: 'choosing', stream, seat: undefined }),
    dropped: chooseLater,
    gap: anew,
    failed: chooseLater,
    stopped,
  },
  repairing: {
    // A connection that did not bring what there was is dead, whatever it seems: the next one goes on from here.
    'caught-up': ({ seat, task }, { stream, found }) => {
      return { name: 'pushing', stream: stream as LiveStream, seat: task.kind === 'probe' && found ? undefined : seat };
    },
    gap: anew,
    failed: chooseLater,
    stopped,
  },
  'backing-off': { due: ({ next }) => next, stopped },
  ended: {},
};

export const INITIAL_STATE: FollowState = {
  name: 'discovering',
  known: undefined,
  lost: undefined,
  incompleteRoots: 0,
  choice: { mode: 'pull', reason: 'push or pull is not chosen yet', malMs: undefined },
  failures: 0,
  trouble: undefined,
  isCaughtUp: false,
  currentToMs: Number.NEGATIVE_INFINITY,
  lackingTo: 0,
  watch: { newsAtMs: Number.NEGATIVE_INFINITY, failedProbes: 0, lateEvents: 0, jumpsSeen: 0 },
};

/** The state in which an iteration begins, after that in which the one before it ended. */
export function beginAgain(state: FollowState, jumpsSeen: number): FollowState {
  return {
    ...knownOf(state),
    failures: 0,
    isCaughtUp: false,
    lackingTo: 0,
    watch: { ...state.watch, jumpsSeen },
    name: 'discovering',
    known: streamOf(state),
    lost: lostOf(state),
    incompleteRoots: 0,
  };
}

/** The state after an event. */
export function step(state: FollowState, event: FollowEvent): FollowState {
  const transition = TRANSITIONS[state.name][event.name] as ((from: Doing, by: FollowEvent) => Doing) | undefined;
  if (!transition) throw errors.ERR_TRANSITION_IMPOSSIBLE({ state: state.name, event: event.name });
  return { ...knownOf(state), ...learned(state, event), ...transition(state, event) };
}

function learned(state: FollowState, event: FollowEvent): Partial<Known> {
  const { failures } = state;
  switch (event.name) {
    case 'gap':
      // Its server answered, and what was wrong before is over. It counts as a failure of its own: two caches that hold
      // different lives of a log would else send a follower round for ever.
      return { failures: state.trouble ? 1 : failures + 1, trouble: undefined, isCaughtUp: false, lackingTo: 0 };
    case 'failed':
      return { failures: failures + 1, trouble: event.trouble };
    case 'dropped':
      return { failures: 1, trouble: event.trouble };
    case 'sequence-gap':
      return { lackingTo: event.to };
    case 'caught-up':
      return { failures: 0, lackingTo: 0, watch: probed(state, event.found) };
    default:
      return {};
  }
}

function probed(state: FollowState, found: boolean): PushWatch {
  if (state.name !== 'repairing' || state.task.kind !== 'probe') return state.watch;
  return { ...state.watch, failedProbes: found ? 0 : state.watch.failedProbes + 1 };
}

function knownOf({ choice, failures, trouble, isCaughtUp, currentToMs, lackingTo, watch }: Known): Known {
  return { choice, failures, trouble, isCaughtUp, currentToMs, lackingTo, watch };
}

export function streamOf(state: Doing): Stream | undefined {
  if (state.name === 'backing-off') return streamOf(state.next);
  return 'stream' in state ? state.stream : state.known;
}

function lostOf(state: Doing): Lost | undefined {
  if (state.name === 'backing-off') return lostOf(state.next);
  return 'lost' in state ? state.lost : undefined;
}

export function seatOf(state: Doing): PushSeat | undefined {
  return 'seat' in state ? state.seat : undefined;
}

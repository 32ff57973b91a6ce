import { errors } from '../errors.ts';

/** What a follower is doing. */
export type FollowStateName =
  | 'discovering'
  | 'starting'
  | 'choosing'
  | 'pulling'
  | 'waiting'
  | 'pushing'
  | 'repairing'
  | 'backing-off'
  | 'ended';

/** How what it was doing came out. */
export type FollowEvent =
  | 'discovered'
  | 'at-head'
  | 'behind'
  | 'chose-pull'
  | 'chose-push'
  | 'caught-up'
  | 'due'
  | 'hole'
  | 'dropped'
  | 'push-refused'
  | 'gap'
  | 'doubt'
  | 'reconsider'
  | 'finished'
  | 'failed'
  | 'stopped';

/** A state to which a follower goes after a wait. */
type Resumption = Exclude<FollowStateName, 'backing-off' | 'ended'>;

/** Where a transition leads: to a state, to a wait before a state, on from that wait, or nowhere: it cannot happen. */
export type Target = FollowStateName | { readonly waitThen: Resumption } | 'resumption' | null;

const waitThen = (resumption: Resumption): Target => ({ waitThen: resumption });

const IMPOSSIBLE = {
  discovered: null,
  'at-head': null,
  behind: null,
  'chose-pull': null,
  'chose-push': null,
  'caught-up': null,
  due: null,
  hole: null,
  dropped: null,
  'push-refused': null,
  gap: null,
  doubt: null,
  reconsider: null,
  finished: null,
  failed: null,
  stopped: null,
} as const satisfies Record<FollowEvent, Target>;

/**
 * The transition table: every state with every event.
 *
 * @see specs/mal.md
 */
export const TRANSITIONS: Readonly<Record<FollowStateName, Readonly<Record<FollowEvent, Target>>>> = {
  discovering: {
    ...IMPOSSIBLE,
    discovered: 'starting',
    failed: waitThen('discovering'),
    stopped: 'ended',
  },
  starting: {
    ...IMPOSSIBLE,
    'at-head': 'choosing',
    behind: 'pulling',
    // The root is asked again, since the documents that it names may have moved.
    failed: waitThen('discovering'),
    stopped: 'ended',
  },
  choosing: { ...IMPOSSIBLE, 'chose-pull': 'waiting', 'chose-push': 'pushing', stopped: 'ended' },
  pulling: {
    ...IMPOSSIBLE,
    'caught-up': 'choosing',
    gap: waitThen('starting'),
    finished: 'ended',
    failed: waitThen('pulling'),
    stopped: 'ended',
  },
  waiting: { ...IMPOSSIBLE, due: 'pulling', reconsider: 'choosing', stopped: 'ended' },
  pushing: {
    ...IMPOSSIBLE,
    hole: 'repairing',
    doubt: 'repairing',
    reconsider: 'choosing',
    dropped: waitThen('choosing'),
    'push-refused': 'choosing',
    gap: waitThen('starting'),
    failed: waitThen('choosing'),
    stopped: 'ended',
  },
  repairing: {
    ...IMPOSSIBLE,
    'caught-up': 'pushing',
    gap: waitThen('starting'),
    failed: waitThen('choosing'),
    stopped: 'ended',
  },
  'backing-off': { ...IMPOSSIBLE, due: 'resumption', stopped: 'ended' },
  ended: IMPOSSIBLE,
};

/** The state of a follower. Plain and immutable: {@link follow} makes the next one. */
export interface FollowState {
  readonly name: FollowStateName;
  /** What comes after backing off; meaningless in other states. */
  readonly resumption: Resumption;
  /** How many attempts in a row came to nothing: the wait grows with it. */
  readonly failures: number;
}

/** The state before anything was done. */
export const INITIAL_STATE: FollowState = { name: 'discovering', resumption: 'discovering', failures: 0 };

/**
 * The state after an event.
 *
 * @throws {@link StreamError} `ERR_TRANSITION_IMPOSSIBLE` - the event cannot happen in this state
 */
export function nextState(state: FollowState, event: FollowEvent): FollowState {
  const target = TRANSITIONS[state.name][event];
  if (target === null) throw errors.ERR_TRANSITION_IMPOSSIBLE({ state: state.name, event });
  const failures = failuresAfter(state.failures, event);
  if (target === 'resumption') return { ...state, name: state.resumption, failures };
  if (typeof target === 'string') return { ...state, name: target, failures };
  return { name: 'backing-off', resumption: target.waitThen, failures };
}

function failuresAfter(failures: number, event: FollowEvent): number {
  // A gap counts: two caches that hold different lives of a log would else send a follower round for ever.
  if (event === 'failed' || event === 'gap') return failures + 1;
  if (event === 'dropped') return 1;
  return event === 'caught-up' ? 0 : failures;
}

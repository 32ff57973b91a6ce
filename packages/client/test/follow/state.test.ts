import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isStreamError } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import type { PushSeat } from '../../src/connection/push-channel.ts';
import { errors } from '../../src/errors.ts';
import {
  beginAgain,
  type FollowEvent,
  type FollowEventName,
  type FollowState,
  type FollowStateName,
  INITIAL_STATE,
  type LiveStream,
  step,
  TRANSITIONS,
} from '../../src/follow/state.ts';

// What the table only carries on is told apart by its names.
const stream = { kind: 'live', profile: { rootUrl: 'of the state' } } as LiveStream;
const told = { kind: 'live', profile: { rootUrl: 'of the event' } } as LiveStream;
const seat = { connection: {} } as PushSeat;
const lost = { cursor: { epoch: 'e', sequence: 4 }, via: 'pull' } as const;
const newlyLost = { cursor: { epoch: 'e', sequence: 6 }, via: 'push' } as const;
const error = errors.ERR_UNREACHABLE({ url: 'u', problem: 'p' });
const trouble = { sinceMs: 5, error, retryAfterMs: undefined };
const gapTask = { kind: 'gap', to: 9 } as const;

/** A state of each name, with all its fields. */
const DOING = {
  discovering: { name: 'discovering', known: stream, lost, incompleteRoots: 2 },
  starting: { name: 'starting', stream, lost },
  choosing: { name: 'choosing', stream, seat },
  pulling: { name: 'pulling', stream },
  waiting: { name: 'waiting', stream },
  pushing: { name: 'pushing', stream, seat },
  repairing: { name: 'repairing', stream, seat, task: gapTask },
  'backing-off': { name: 'backing-off', next: { name: 'waiting', stream } },
  ended: { name: 'ended', reason: 'finished', known: stream, lost },
} as const;

/** An event of each name, with all its fields. */
const EVENTS: { readonly [Name in FollowEventName]: FollowEvent & { readonly name: Name } } = {
  discovered: { name: 'discovered', stream: told },
  'at-head': { name: 'at-head', stream: told },
  behind: { name: 'behind' },
  'chose-pull': { name: 'chose-pull' },
  'chose-push': { name: 'chose-push', stream: told },
  'caught-up': { name: 'caught-up', stream: told, found: true },
  due: { name: 'due' },
  'sequence-gap': { name: 'sequence-gap', to: 9 },
  dropped: { name: 'dropped', trouble },
  'push-refused': { name: 'push-refused' },
  gap: { name: 'gap', lost: newlyLost },
  probe: { name: 'probe', reason: 'the network was gone' },
  're-evaluate': { name: 're-evaluate' },
  finished: { name: 'finished' },
  failed: { name: 'failed', trouble },
  stopped: { name: 'stopped', reason: error },
};

const {
  name: _name,
  known: _known,
  lost: _lost,
  incompleteRoots: _roots,
  ...KNOWN
} = INITIAL_STATE as FollowState & {
  name: 'discovering';
};

function stateOf(name: FollowStateName, known: Partial<typeof KNOWN> = {}): FollowState {
  return { ...KNOWN, failures: 2, ...known, ...DOING[name] };
}

// The table of the specification: `~state` is that state after a wait, `<` the state waited for, `-` impossible.
const specification = readFileSync(fileURLToPath(new URL('../../../../specs/mal.md', import.meta.url)), 'utf8');
const [, SPECIFIED = ''] = /^(\| event +\|.*(?:\n\|.*)*)/m.exec(specification) ?? [];
const [[, ...states] = [], , ...rows] = SPECIFIED.split('\n').map((line) =>
  line
    .split('|')
    .slice(1, -1)
    // An event is told from its explanation by a colon.
    .map((cell) => (cell.split(':', 1)[0] as string).trim()),
);
const cells = rows.flatMap(([event, ...targets]) =>
  targets.map((target, index) => ({
    state: states[index] as FollowStateName,
    event: event as FollowEventName,
    target: target as string,
  })),
);

test('the table of the code and that of the specification are one and the same', () => {
  const possible = cells.filter(({ target }) => target !== '-').map(({ state, event }) => `${state} ${event}`);
  const coded = Object.entries(TRANSITIONS).flatMap(([state, events]) =>
    Object.keys(events).map((event) => `${state} ${event}`),
  );
  expect(coded.sort()).toEqual(possible.sort());
  expect([...states].sort()).toEqual(Object.keys(DOING).sort());
  expect(rows.map(([event]) => event).sort()).toEqual(Object.keys(EVENTS).sort());
});

test.each(cells)('in $state, $event leads to $target', ({ state, event, target }) => {
  const next = () => step(stateOf(state), EVENTS[event]);
  if (target === '-') {
    expect(next).toThrow(expect.toSatisfy((thrown) => isStreamError(thrown, 'ERR_TRANSITION_IMPOSSIBLE')));
    return;
  }
  const reached = next();
  const words = reached.name === 'backing-off' ? `~${reached.next.name}` : reached.name;
  expect(words).toBe(target === '<' ? 'waiting' : target);
});

/** What the fields of the next state are: of it, or of the state after a wait. */
test.each<[FollowStateName, FollowEventName, object]>([
  ['discovering', 'discovered', { name: 'starting', stream: told, lost }],
  ['discovering', 'failed', { name: 'discovering', known: stream, lost, incompleteRoots: 2 }],
  ['starting', 'at-head', { name: 'choosing', stream: told, seat: undefined }],
  ['starting', 'failed', { name: 'discovering', known: stream, lost, incompleteRoots: 0 }],
  ['choosing', 'chose-push', { name: 'pushing', stream: told, seat }],
  ['pulling', 'caught-up', { name: 'choosing', stream: told, seat: undefined }],
  ['pulling', 'gap', { name: 'starting', stream, lost: newlyLost }],
  ['pulling', 'failed', { name: 'pulling', stream }],
  ['pulling', 'finished', { name: 'ended', reason: 'finished', known: stream, lost: undefined }],
  ['waiting', 're-evaluate', { name: 'choosing', stream, seat: undefined }],
  ['pushing', 'sequence-gap', { name: 'repairing', stream, seat, task: gapTask }],
  ['pushing', 'probe', { name: 'repairing', stream, seat, task: { kind: 'probe', reason: 'the network was gone' } }],
  ['pushing', 're-evaluate', { name: 'choosing', stream, seat }],
  ['pushing', 'push-refused', { name: 'choosing', stream, seat: undefined }],
  ['pushing', 'dropped', { name: 'choosing', stream, seat: undefined }],
  ['pushing', 'failed', { name: 'choosing', stream, seat: undefined }],
  ['pushing', 'gap', { name: 'starting', stream, lost: newlyLost }],
  ['repairing', 'caught-up', { name: 'pushing', stream: told, seat }],
  ['repairing', 'failed', { name: 'choosing', stream, seat: undefined }],
  ['backing-off', 'due', { name: 'waiting', stream }],
  ['starting', 'stopped', { name: 'ended', reason: error, known: stream, lost }],
  ['backing-off', 'stopped', { name: 'ended', reason: error, known: stream, lost: undefined }],
])('in %s, %s carries on what the next state needs', (state, event, own) => {
  const next = step(stateOf(state), EVENTS[event]);
  const { choice, failures, trouble: _, isCaughtUp, currentToMs, lackingTo, watch, ...reached } = next;
  expect(reached.name === 'backing-off' ? reached.next : reached).toEqual(own);
});

test('who left, and what is no error of a stream, end the reading without a reason of its own', () => {
  expect(step(stateOf('pulling'), { name: 'stopped', reason: new Error('left') })).toMatchObject({ reason: 'left' });
});

test('MAL-12 failures and gaps count up, whatever is read in between but the end of the log', () => {
  const after = (...events: FollowEventName[]) => {
    return events.map((name) => EVENTS[name]).reduce(step, INITIAL_STATE).failures;
  };
  expect(after('failed', 'due', 'failed')).toBe(2);
  expect(after('failed', 'due', 'discovered', 'behind', 'failed')).toBe(2);
  expect(after('discovered', 'behind', 'gap', 'due', 'at-head', 'chose-push', 'gap')).toBe(2);
  expect(after('failed', 'due', 'discovered', 'behind', 'caught-up')).toBe(0);
  // A server that was away and is back with another log is not waited for as one that is away.
  expect(after('failed', 'due', 'failed', 'due', 'discovered', 'behind', 'gap')).toBe(1);
});

test('MAL-12 a push connection that worked and dropped counts as the first failure', () => {
  expect(step(stateOf('pushing', { failures: 5 }), EVENTS.dropped)).toMatchObject({ failures: 1, trouble });
});

test('MAL-11 after a gap nothing is caught up with, and trouble is over: the server said that there is a gap', () => {
  const known = { isCaughtUp: true, trouble };
  expect(step(stateOf('pulling', known), EVENTS.gap)).toMatchObject({ isCaughtUp: false, trouble: undefined });
});

test('what push told of is lacking until it was read, or until the reader begins anew', () => {
  const repairing = step(stateOf('pushing'), EVENTS['sequence-gap']);
  const after = (...events: FollowEventName[]) => {
    return events.map((name) => EVENTS[name]).reduce(step, repairing).lackingTo;
  };
  expect(after()).toBe(9);
  expect(after('failed', 'due', 'chose-pull', 'due')).toBe(9);
  expect(after('failed', 'due', 'chose-pull', 'due', 'caught-up')).toBe(0);
  expect([after('caught-up'), after('gap')]).toEqual([0, 0]);
});

test.each([
  [true, 0, undefined],
  [false, 4, seat],
])('MAL-36 a probe that finds something (%s) leaves the connection, and others count', (found, count, left) => {
  const watch = { ...KNOWN.watch, failedProbes: 3 };
  const probing = step(stateOf('pushing', { watch }), EVENTS.probe);
  expect(step(probing, { ...EVENTS['caught-up'], found })).toMatchObject({
    seat: left,
    watch: { failedProbes: count },
  });
});

test('an iteration begins with what the one before it knew', () => {
  const ended = step(stateOf('backing-off', { isCaughtUp: true, trouble, lackingTo: 9 }), EVENTS.stopped);
  expect(beginAgain(ended, 7)).toEqual({
    ...KNOWN,
    trouble,
    watch: { ...KNOWN.watch, jumpsSeen: 7 },
    name: 'discovering',
    known: stream,
    lost: undefined,
    incompleteRoots: 0,
  });
});

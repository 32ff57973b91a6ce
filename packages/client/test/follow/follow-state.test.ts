import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isStreamError } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import {
  type FollowEvent,
  type FollowStateName,
  INITIAL_STATE,
  nextState,
  TRANSITIONS,
} from '../../src/follow/follow-state.ts';

// The table of the specification itself: `~state` is that state after a wait, `<` the state waited for, `-` impossible.
const specification = readFileSync(fileURLToPath(new URL('../../../../specs/mal.md', import.meta.url)), 'utf8');
const [, SPECIFIED = ''] = /^(\| event +\|.*(?:\n\|.*)*)/m.exec(specification) ?? [];

const [header = [], , ...rows] = SPECIFIED.split('\n').map((line) =>
  line
    .split('|')
    .slice(1, -1)
    // An event is told from its explanation by a colon.
    .map((cell) => cell.split(':', 1).join().trim()),
);
const cells = rows.flatMap(([event, ...targets]) =>
  targets.map((target, index) => ({
    state: header[index + 1] as FollowStateName,
    event: event as FollowEvent,
    target,
  })),
);

test('the specified table has every cell', () => {
  const states = Object.keys(TRANSITIONS) as FollowStateName[];
  const all = states.flatMap((state) => Object.keys(TRANSITIONS[state]).map((event) => `${state} ${event}`));
  expect(cells.map(({ state, event }) => `${state} ${event}`).sort()).toEqual(all.sort());
});

test.each(cells)('in $state, $event leads to $target', ({ state: name, event, target }) => {
  const state = { name, resumption: 'pulling', failures: 2 } as const;
  if (target === '-') {
    expect(() => nextState(state, event)).toThrow(
      expect.toSatisfy((error) => isStreamError(error, 'ERR_TRANSITION_IMPOSSIBLE')),
    );
    return;
  }
  const next = nextState(state, event);
  if (target?.startsWith('~')) expect(next).toMatchObject({ name: 'backing-off', resumption: target.slice(1) });
  else expect(next.name).toBe(target === '<' ? 'pulling' : target);
});

test('failures and gaps count up, whatever is read in between but the end of the log', () => {
  const after = (...events: FollowEvent[]) => events.reduce(nextState, INITIAL_STATE).failures;
  expect(after('failed', 'due', 'failed')).toBe(2);
  expect(after('failed', 'due', 'discovered', 'behind', 'failed')).toBe(2);
  expect(after('discovered', 'behind', 'gap', 'due', 'at-head', 'chose-push', 'gap')).toBe(2);
  expect(after('failed', 'due', 'discovered', 'behind', 'caught-up')).toBe(0);
});

test('a push connection that worked and dropped counts as the first failure', () => {
  const state = { name: 'pushing', resumption: 'choosing', failures: 5 } as const;
  expect(nextState(state, 'dropped').failures).toBe(1);
});

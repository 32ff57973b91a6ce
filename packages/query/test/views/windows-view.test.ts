import { expect, test } from 'vitest';
import type { TimeWindowOptions } from '../../src/options.ts';
import { createView, type WindowChange } from '../../src/views/view.ts';
import { commit, Follower, saying, state } from './sample-members.ts';

const SECOND = 1000;

/** A followed view of time windows, and `next` as a list: `[open, close, words...]` in seconds. */
function windows(options: Omit<TimeWindowOptions, 'type'>) {
  const window = { type: 'time', ...options } as const;
  const view = createView({ window, windows: [], sources: [undefined], malMs: SECOND });
  const follower = new Follower(view);
  const next = (closedToS: number) => {
    const change = view.next?.(closedToS * SECOND);
    if (change) follower.step<WindowChange>(change);
    return change && [change.openMs / SECOND, change.closeMs / SECOND, ...follower.words];
  };
  const all = (closedToS: number) => {
    const told: unknown[] = [];
    for (let one = next(closedToS); one; one = next(closedToS)) told.push(one);
    return told;
  };
  return { view, follower, next, all };
}

/** A member published so many seconds after 1970 that says `at<seconds>`. */
let sequence = 0;
const at = (seconds: number, says = [`at${seconds}`]) => ({
  sequence: ++sequence,
  timeMs: Math.round(seconds * SECOND),
  says,
});

test('QUERY-30 a member belongs to a window from its opening on, and no more at its close', () => {
  const { view, all } = windows({ range: 10, step: 10 });
  const change = view.apply(0, commit(at(9.999), at(10), at(19.999), at(20)));
  expect(change).toEqual({ added: [], removed: [], late: 0 });
  expect(all(30)).toEqual([
    [0, 10, 'at9.999'],
    [10, 20, 'at10', 'at19.999'],
    [20, 30, 'at20'],
  ]);
});

test('QUERY-37 a member without a time that can be read is in no window, and counts as late', () => {
  const { view } = windows({ range: 10 });
  const event = commit(at(5));
  const [member] = event.members;
  expect(view.apply(0, { ...event, members: [{ ...(member as object), time: '?' } as never] }).late).toBe(1);
  expect(view.nextCloseMs).toBeUndefined();
});

test('QUERY-38 no window is told that closed before the state that a source begins with', () => {
  const { view, all } = windows({ range: 10, step: 5 });
  expect(view.apply(0, state(at(3), at(16), at(19), at(20))).late).toBe(0);
  expect(view.waiting).toBe(3);
  expect(all(30)).toEqual([
    [15, 25, 'at16', 'at19', 'at20'],
    [20, 30, 'at20'],
  ]);
});

test('QUERY-38 a state after a gap takes nothing from windows, and no member is in one twice', () => {
  const { view, next, follower } = windows({ range: 10, step: 10 });
  const one = at(1);
  const two = at(12);
  view.apply(0, commit(one, two));
  expect(next(10)).toEqual([0, 10, 'at1']);
  expect(view.apply(0, state(two, at(13), at(9)))).toMatchObject({ late: 0 });
  expect(view.waiting).toBe(2);
  expect(view.next?.(20_000)?.members).toBe(2);
  expect(follower.words).toEqual(['at1']);
});

test('a year of silence is one empty window, and costs what a second does', () => {
  const { view, next } = windows({ range: 1, step: 0.001 });
  view.apply(0, commit(at(0)));
  const year = 31_536_000;
  view.apply(0, commit(at(year)));
  let told = 0;
  let last: unknown;
  for (let one = next(year + 0.5); one; one = next(year + 0.5)) {
    told += 1;
    last = one;
  }
  // 1000 hold the first member, one is empty, 500 hold the second.
  expect(told).toBe(1501);
  expect(last).toEqual([year - 0.5, year + 0.5, `at${year}`]);
});

test('members are held for as long as a window is to come that holds them', () => {
  const { view, next, follower } = windows({ range: 2, step: 1 });
  follower.step(view.load([saying('data')]));
  for (let second = 0; second < 1000; second += 1) {
    view.apply(0, commit(at(second)));
    while (next(second));
    expect(view.size + (view.waiting ?? 0)).toBeLessThanOrEqual(5);
  }
  while (next(2000));
  expect([view.size, view.waiting, ...follower.words]).toEqual([1, 0, 'data']);
});

test('of a member that was let go of nothing is known any more', () => {
  const { view, all } = windows({ range: 10, step: 10 });
  const one = at(1);
  view.apply(0, commit(one));
  expect(all(20)).toHaveLength(2);
  view.apply(0, commit({ ...one, timeMs: 25_000 }));
  expect(all(30)).toEqual([[20, 30, 'at1']]);
});

test('what is in a window and the next, by any member, neither comes nor goes', () => {
  const { view, follower, next } = windows({ range: 10, step: 10 });
  follower.step(view.load([saying('data')]));
  view.apply(0, commit(at(1, ['a', 'same', 'data']), at(11, ['b', 'same'])));
  next(10);
  const change = view.next?.(20_000);
  expect(change?.added.map((said) => said.object.value)).toEqual(['b']);
  expect(change?.removed.map((said) => said.object.value)).toEqual(['a']);
});

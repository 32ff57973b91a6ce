import { expect, test } from 'vitest';
import { AllView } from '../../src/views/all-view.ts';
import { CountView } from '../../src/views/count-view.ts';
import { commit, Follower, saying, state, words } from './sample-members.ts';

test('QUERY-34 the last members are in view, deletes with what they say themselves', () => {
  const view = new CountView(2, 1);
  const follower = new Follower(view);
  follower.step(view.apply(0, commit({ sequence: 1, entity: 'e' }, { sequence: 2, entity: 'f' })));
  expect(follower.words).toEqual(['m1', 'm2']);
  follower.step(view.apply(0, commit({ sequence: 3, entity: 'f', kind: 'delete', says: ['f is gone'] })));
  expect(follower.words).toEqual(['f is gone', 'm2']);
});

test('QUERY-34 of a commit of more members than are asked for, the last are in view', () => {
  const view = new CountView(1, 1);
  const change = new Follower(view).step(view.apply(0, commit({ sequence: 1 }, { sequence: 2 }, { sequence: 3 })));
  expect([words(change.added), words(change.removed)]).toEqual([['m3'], []]);
});

test('QUERY-34 members of all sources count as they come, one that comes again does not', () => {
  const view = new CountView(2, 2);
  const follower = new Follower(view);
  follower.step(view.apply(0, commit({ sequence: 1, says: ['a'] })));
  follower.step(view.apply(1, commit({ sequence: 1, says: ['b'] })));
  follower.step(view.apply(1, commit({ sequence: 1, says: ['b'] })));
  expect(follower.words).toEqual(['a', 'b']);
  follower.step(view.apply(0, commit({ sequence: 2, says: ['c'] })));
  expect(follower.words).toEqual(['b', 'c']);
  follower.step(view.apply(0, commit({ sequence: 3, says: ['d'] })));
  expect(follower.words).toEqual(['c', 'd']);
});

test('QUERY-34 a state comes in the place of what was known of its source, the newest members last', () => {
  const view = new CountView(3, 2);
  const follower = new Follower(view);
  follower.step(view.load([saying('data')]));
  follower.step(view.apply(1, commit({ sequence: 7 })));
  follower.step(view.apply(0, commit({ sequence: 1 }, { sequence: 2 })));
  follower.step(view.apply(0, state({ sequence: 5 }, { sequence: 3 })));
  expect(follower.words).toEqual(['data', 'm3', 'm5', 'm7']);
  follower.step(view.apply(0, state({ sequence: 9 }, { sequence: 6 }, { sequence: 8 })));
  expect(follower.words).toEqual(['data', 'm6', 'm8', 'm9']);
});

test('QUERY-35 everything that was stated stays', () => {
  const view = new AllView(2);
  const follower = new Follower(view);
  follower.step(view.load([saying('data')]));
  follower.step(view.apply(0, state({ sequence: 1, entity: 'e' })));
  follower.step(view.apply(0, commit({ sequence: 2, entity: 'e' })));
  follower.step(view.apply(0, commit({ sequence: 3, entity: 'e', kind: 'delete' })));
  follower.step(view.apply(1, commit({ sequence: 2, says: ['m1', 'other', 'data'] })));
  const change = follower.step(view.apply(0, state({ sequence: 9 })));
  expect(words(change.added)).toEqual(['m9']);
  expect(follower.words).toEqual(['data', 'm1', 'm2', 'm3', 'm9', 'other']);
});

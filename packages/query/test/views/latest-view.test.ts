import { blankNode, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { LatestView, REMEMBERED_DELETES } from '../../src/views/view.ts';
import { commit, Follower, saying, state } from './sample-members.ts';

function followed(sources = 1) {
  const view = new LatestView(sources);
  const follower = new Follower(view);
  return { follower, apply: (...of: Parameters<LatestView['apply']>) => follower.step(view.apply(...of)), view };
}

test('QUERY-32 of one entity in two sources there is one version each', () => {
  const { apply, follower } = followed(2);
  apply(0, commit({ sequence: 5, entity: 'e', says: ['a', 'both'] }));
  apply(1, commit({ sequence: 1, entity: 'e', says: ['b', 'both'] }));
  expect(follower.words).toEqual(['a', 'b', 'both']);
  apply(0, commit({ sequence: 6, entity: 'e', kind: 'delete' }));
  expect(follower.words).toEqual(['b', 'both']);
});

test('QUERY-33 an older version that comes late changes nothing', () => {
  const { apply, follower } = followed();
  apply(0, commit({ sequence: 5, entity: 'e' }));
  apply(0, commit({ sequence: 4, entity: 'e' }));
  apply(0, commit({ sequence: 3, entity: 'e', kind: 'delete' }));
  expect(follower.words).toEqual(['m5']);
});

test('QUERY-33 DOC-76 a version of an earlier time changes nothing, and one after the end is the newest', () => {
  const { apply, follower } = followed();
  apply(0, commit({ sequence: 1, entity: 'e', versionMs: 12 }, { sequence: 2, entity: 'f', versionMs: 12 }));
  apply(0, commit({ sequence: 3, entity: 'e', versionMs: 11 }, { sequence: 4, entity: 'f', kind: 'delete' }));
  expect(follower.words).toEqual(['m1']);
  apply(0, commit({ sequence: 5, entity: 'e', versionMs: 12 }, { sequence: 6, entity: 'f', versionMs: 10 }));
  expect(follower.words).toEqual(['m5', 'm6']);
});

test('QUERY-33 an older version does not bring back what was deleted since, for the last 10,000 deletes', () => {
  const { apply, follower } = followed();
  apply(0, commit({ sequence: 10, entity: 'e', kind: 'delete' }));
  const others = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({ sequence: from + n, kind: 'delete' as const }));
  apply(0, commit(...others(20, REMEMBERED_DELETES - 1)));
  apply(0, commit({ sequence: 9, entity: 'e' }));
  expect(follower.words).toEqual([]);
  apply(0, commit(...others(20 + REMEMBERED_DELETES, 1)));
  apply(0, commit({ sequence: 9, entity: 'e' }));
  expect(follower.words).toEqual(['m9']);
});

test('QUERY-33 an entity that is deleted again is among those deleted last', () => {
  const { apply, follower } = followed();
  const others = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({ sequence: from + n, kind: 'delete' as const }));
  apply(0, commit({ sequence: 10, entity: 'e', kind: 'delete' }, ...others(20, REMEMBERED_DELETES - 1)));
  apply(0, commit({ sequence: 90_000, entity: 'e' }, { sequence: 90_001, entity: 'e', kind: 'delete' }));
  apply(0, commit(...others(90_002, REMEMBERED_DELETES - 1)));
  apply(0, commit({ sequence: 9, entity: 'e' }));
  expect(follower.words).toEqual([]);
});

test('QUERY-31 what the data states stays when members that state it too go', () => {
  const { apply, follower, view } = followed();
  follower.step(view.load([saying('a'), saying('a')]));
  apply(0, commit({ sequence: 1, entity: 'e', says: ['a'] }));
  apply(0, commit({ sequence: 2, entity: 'e', kind: 'delete' }));
  apply(0, state());
  expect(follower.words).toEqual(['a']);
});

test('QUERY-31 equal labels of two sources and of the data are three blank nodes', () => {
  const { apply, follower, view } = followed(2);
  const quads = [quad(blankNode('b'), namedNode('urn:x:p'), literal('x'))];
  follower.step(view.load(quads));
  apply(0, commit({ sequence: 1, quads }));
  apply(1, commit({ sequence: 1, quads }));
  expect(follower.quads.size).toBe(3);
});

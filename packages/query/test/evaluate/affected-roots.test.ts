import { expect, test } from 'vitest';
import { affectedRoots } from '../../src/evaluate/affected-roots.ts';
import { plan, q, storeOf } from './plan-world.ts';

const chain = plan('r type *', 'r next x', 'x next y', 'y name *');
const found = (used: typeof chain, quads: readonly string[], changed: readonly string[], limit = 100) => {
  const roots = affectedRoots(used, storeOf(quads.map(q)), changed.map(q), limit);
  return roots && [...roots.values()].map(({ value }) => value).sort();
};

test('QUERY-101 a quad said of a root affects it, whether it is still there or not', () => {
  expect(found(chain, ['a type T'], ['a type T', 'b type T', 'c other T'])).toEqual(['a', 'b']);
});

test('QUERY-101 a quad that roots lead to affects all of them, over every path', () => {
  const quads = ['a next b', 'c next b', 'b next d', 'e next f', 'f next d', 'g next h'];
  expect(found(chain, quads, ['d name "n'])).toEqual(['a', 'c', 'e']);
  // What is said of ?x is said of a root too where both patterns are alike.
  expect(found(chain, quads, ['f next d'])).toEqual(['e', 'f']);
});

test('QUERY-101 where the way to a quad goes with it, the first of what went leads to the root', () => {
  expect(found(chain, ['a next b'], ['b next d', 'd name "n'])).toContain('a');
  expect(found(chain, [], ['a next b', 'b next d', 'd name "n'])).toContain('a');
});

test('QUERY-101 patterns with a variable for the predicate lead back by any predicate, and circles end', () => {
  expect(found(plan('r * x', 'x name *'), ['a p b', 'c q b'], ['b name "n'])).toEqual(['a', 'b', 'c']);
  const circle = plan('r next x', 'x next x', 'x name *');
  expect(found(circle, ['a next b', 'b next c', 'c next b'], ['c name "n'])).toEqual(['a', 'b', 'c']);
});

test('QUERY-101 quads of named graphs affect nothing and lead nowhere', () => {
  expect(found(chain, [], ['a type T g'])).toEqual([]);
  expect(found(plan('r next x', 'x name *'), ['a next b g', 'c next b'], ['b name "n'])).toEqual(['c']);
});

test('QUERY-101 more nodes than are looked at are none, just above the limit and not at it', () => {
  const quads = Array.from({ length: 9 }, (_, n) => `a${n} next b`);
  const hub = plan('r next x', 'x name *');
  expect(found(hub, quads, ['b name "n'], 10)).toHaveLength(9);
  expect(found(hub, quads, ['b name "n'], 9)).toBeUndefined();
  const many = Array.from({ length: 10 }, (_, n) => `a${n} next b`);
  expect(found(hub, [], many, 10)).toHaveLength(10);
  expect(found(hub, [], many, 9)).toBeUndefined();
});

import { namedNode } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { rootNeighbourhood } from '../../src/evaluate/root-neighbourhood.ts';
import { termKey } from '../../src/evaluate/term-key.ts';
import { keysOf, plan, q, storeOf } from './plan-world.ts';

const chain = plan('r type *', 'r next x', 'x next y', 'y name *');
const found = (quads: readonly string[], limit = 100) => {
  const root = namedNode('a');
  return rootNeighbourhood(chain, storeOf(quads.map(q)), new Map([[termKey(root), root]]), limit);
};

test('QUERY-101 the neighbourhood of a root is what its patterns fit and lead to, and nothing else', () => {
  const near = ['a type T', 'a next b', 'a next c', 'b next d', 'c next a', 'd name "n', 'a name "of-the-y-that-it-is'];
  const far = ['a colour "red', 'b name "n', 'd next e', 'e name "n', 'z next b', 'a type T g', 'T name "n'];
  expect(keysOf(found([...near, ...far]))).toEqual(keysOf(near.map(q)));
});

test('QUERY-101 a literal leads nowhere, and circles end', () => {
  expect(keysOf(found(['a next "b', 'a next a']))).toEqual(keysOf(['a next "b', 'a next a'].map(q)));
});

test('QUERY-101 a neighbourhood of more quads than may be is none, just above the limit and not at it', () => {
  const quads = ['a type T', 'a next b', 'b next d'];
  expect(found(quads, 3)).toHaveLength(3);
  expect(found(quads, 2)).toBeUndefined();
});

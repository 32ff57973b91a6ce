import { literal, namedNode, quad } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import * as stores from 'rdf-stores';
import { expect, test } from 'vitest';
import { QuadIndex } from '../../src/engines/quad-index.ts';
import { quadsOf, shown } from './sample-world.ts';

test('QUERY-28 a store that entities come to and go from knows only the terms that are in use', () => {
  const index = new QuadIndex(stores);
  const version = (entity: number, round: number): Quad[] => {
    const node = namedNode(`http://example.org/${entity}#${round}`);
    return [
      quad(node, namedNode('urn:at'), literal(`place ${entity} ${round}`)),
      quad(node, namedNode('urn:says'), quad(node, namedNode('urn:of'), literal(`${round}`))),
    ];
  };
  let known = 0;
  for (let round = 0; round < 50; round += 1) {
    for (let entity = 0; entity < 20; entity += 1) {
      if (round > 0) for (const old of version(entity, round - 1)) expect(index.delete(old)).toBe(true);
      for (const next of version(entity, round)) expect(index.add(next)).toBe(true);
    }
    if (round === 0) known = index.terms;
    expect(index.terms).toBe(known);
  }
  for (let entity = 0; entity < 20; entity += 1) {
    for (const held of version(entity, 49))
      expect(index.match(held.subject, held.predicate).map(shown)).toEqual([shown(held)]);
    for (const held of version(entity, 49)) index.delete(held);
  }
  expect([index.size, index.terms]).toEqual([0, 0]);
});

test('a term stays for as long as one of its quads does, in whichever place', () => {
  const index = new QuadIndex(stores);
  const [first, second] = quadsOf('ex:a ex:a ex:a . ex:g { ex:b ex:c ex:a } ') as [Quad, Quad];
  for (const held of [first, second, first]) index.add(held);
  index.delete(first);
  index.delete(first);
  expect(index.uses(first.subject)).toBe(true);
  expect(index.match(undefined, undefined, first.subject).map(shown)).toEqual([shown(second)]);
  index.delete(second);
  expect(index.uses(first.subject)).toBe(false);
  expect(index.terms).toBe(0);
});

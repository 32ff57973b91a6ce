import { literal, namedNode, quad } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import * as stores from 'rdf-stores';
import { expect, test } from 'vitest';
import { comunica, defaultEngine } from '../../src/engines/comunica.ts';
import { queryFailed } from '../../src/engines/engine.ts';
import { oxigraph } from '../../src/engines/oxigraph.ts';
import { QuadIndex } from '../../src/engines/quad-store.ts';
import { errors } from '../../src/errors.ts';
import { quadsOf, shown } from './sample-world.ts';
import { describeEngine } from './suite.ts';

describeEngine(comunica());

describeEngine(oxigraph());

test('the default engine is Comunica, one for all', async () => {
  expect(defaultEngine()).toBe(defaultEngine());
  expect(defaultEngine().name).toBe('comunica');
  const store = await defaultEngine().open();
  expect(await store.ask({ text: 'ASK {}' }, { limitRows: 1 })).toBe(true);
});

test('what an engine throws is told in one short line, and errors of ours stay', () => {
  const own = errors.ERR_ANSWER_TOO_LARGE({ limitRows: 1 });
  expect(queryFailed('comunica', own)).toBe(own);
  const long = queryFailed('comunica', new Error(`${'x'.repeat(1000)}\n    at somewhere`));
  expect(long.details.problem).toBe('x'.repeat(300));
  expect(queryFailed('oxigraph', 'no.').details).toEqual({ engine: 'oxigraph', problem: 'no' });
  expect(queryFailed('oxigraph', new Error('')).details.problem).toBe('it does not say why');
});

test('QUERY-28 a store that entities come to and go from knows only the terms that are in use', () => {
  const index = new QuadIndex(stores);
  const version = (entity: number, round: number): Quad[] => {
    const node = namedNode(`http://example.org/${entity}#${round}`);
    return [
      quad(node, namedNode('urn:at'), literal(`place ${entity} ${round}`)),
      quad(node, namedNode('urn:says'), quad(node, namedNode('urn:of'), literal(`${round}`))),
    ];
  };
  const termsOf = (entity: number, round: number) =>
    version(entity, round).flatMap(({ subject, object }) => [subject, object]);
  for (let round = 0; round < 50; round += 1) {
    for (let entity = 0; entity < 20; entity += 1) {
      if (round > 0) for (const old of version(entity, round - 1)) expect(index.delete(old)).toBe(true);
      for (const next of version(entity, round)) index.add(next);
      for (const term of termsOf(entity, round)) expect(index.uses(term)).toBe(true);
      for (const term of termsOf(entity, round - 1)) expect(index.uses(term)).toBe(false);
    }
  }
  for (let entity = 0; entity < 20; entity += 1) {
    for (const held of version(entity, 49))
      expect(index.match(held.subject, held.predicate).map(shown)).toEqual([shown(held)]);
    for (const held of version(entity, 49)) index.delete(held);
  }
  expect(index.size).toBe(0);
  expect([namedNode('urn:at'), namedNode('urn:says')].some((term) => index.uses(term))).toBe(false);
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
});

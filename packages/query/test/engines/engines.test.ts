import { literal, namedNode, quad } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import * as stores from 'rdf-stores';
import { expect, test } from 'vitest';
import { comunica, defaultEngine } from '../../src/engines/comunica.ts';
import { queryFailed } from '../../src/engines/engine.ts';
import { oxigraph } from '../../src/engines/oxigraph.ts';
import { QuadIndex } from '../../src/engines/quad-store.ts';
import { serviceOf } from '../../src/engines/service-of.ts';
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

test('QUERY-26 SERVICE is found wherever a query has it', () => {
  const found = {
    'SELECT * { SERVICE <http://a.example/> {} }': '<http://a.example/>',
    'SELECT * { service silent<http://a.example/> {} }': '<http://a.example/>',
    'SELECT*{SERVICE ?s{}}': '?s',
    'SELECT * { ?s ?p "x"SERVICE ex:a {} }': 'ex:a',
    'SELECT * { ?s ?p 1.SERVICE ex:a {} }': 'ex:a',
    'SELECT * { # <\nSERVICE <http://a.example/#x> {} }': '<http://a.example/#x>',
    'SELECT * { \\u0053ERVICE ex:a {} }': 'ex:a',
    'SELECT * { ?s ?p ?o.SERVICE ex:a {} }': 'ex:a',
    'SELECT * { ?s ?p "x".SERVICE ex:a {} }': 'ex:a',
    'SELECT * { ?s ?p "x"@en.SERVICE ex:a {} }': 'ex:a',
    'SELECT * { ?s ?p <urn:x>.SERVICE ex:a {} }': 'ex:a',
    'SELECT * { ?s ?p true.SERVICE SILENT ex:a {} }': 'ex:a',
    'SELECT * { SERVICE': 'another endpoint',
  };
  for (const [query, service] of Object.entries(found)) expect(serviceOf(query), query).toBe(service);
});

test('QUERY-26 the word within names, texts, IRIs and comments asks nobody', () => {
  const open = [
    'SELECT ?service $SERVICE { ?service ex:service service:a ; ex:a.SERVICE "SERVICE <x>" }',
    'SELECT * { ?s ?p """ " SERVICE <x> \\""" SERVICE <y> """ , \'\'\' SERVICE \'\'\' , \'a\\\' SERVICE <x>\' }',
    'SELECT * { <http://a.example/SERVICE> ?p "x"@en-SERVICE } # SERVICE <x>',
    'PREFIX service: <urn:a> SELECT * { service:SERVICE ?serviceArea _:SERVICE }',
    'SELECT * { ?s ?p ?o FILTER(?o<5 && ?o>3) ?s ex:selfservice ?o ; ex:service-point ?x }',
  ];
  for (const query of open) expect(serviceOf(query), query).toBeUndefined();
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

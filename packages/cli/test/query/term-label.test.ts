import { blankNode, languageLiteral, literal, namedNode, xsd } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { TermLabels } from '../../src/query/term-label.ts';

const sparql = 'PREFIX ex: <http://example.org/> PREFIX : <http://example.org/deep/> SELECT * { ?s ?p ?o }';
const labels = new TermLabels(sparql, ['http://localhost:3000/vehicles']);

test.each([
  [namedNode('http://example.org/a'), 'ex:a'],
  [namedNode('http://example.org/deep/a'), ':a'],
  [namedNode('http://example.org/'), '<http://example.org/>'],
  [namedNode('http://localhost:3000/vehicles/entities/101'), 'entities/101'],
  [namedNode('http://localhost:3000/lines/4'), '/lines/4'],
  [namedNode('http://localhost:3001/lines/4'), '<http://localhost:3001/lines/4>'],
  [namedNode('http://www.w3.org/ns/sosa/Observation'), 'sosa:Observation'],
  [blankNode('m1b0'), '_:m1b0'],
  [literal('4.5', xsd.decimal), '4.5'],
  [literal('text'), 'text'],
  [literal('P1D', `${xsd.dateTime.slice(0, -'dateTime'.length)}duration`), 'P1D (xsd:duration)'],
  [languageLiteral('gare', 'fr'), 'gare@fr'],
  [literal('a\u001b[2Jb\nc'), 'a [2Jb c'],
  [undefined, ''],
])('QUERY-95 a term for people: %o is %s', (term, text) => {
  expect(labels.label(term)).toBe(text);
});

test('QUERY-95 where streams are of several hosts a term says of which', () => {
  const several = new TermLabels(sparql, ['http://localhost:3000/vehicles', 'http://example.com/vehicles']);
  expect(several.label(namedNode('http://example.com/lines/4'))).toBe('example.com/lines/4');
});

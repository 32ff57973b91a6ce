import type { BindingsResult, BooleanResult, QuadsResult } from '@ldes-live/query';
import { blankNode, languageLiteral, literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { queryText } from '../../src/query/query-text.ts';
import { resultLine } from '../../src/query/result-line.ts';
import { tableLines } from '../../src/query/table-lines.ts';
import { TermLabels } from '../../src/query/term-label.ts';
import { lineText } from '../../src/terminal/styled-line.ts';

const facts = {
  sequence: 3,
  evaluatedAt: new Date(2000),
  dataAsOf: new Date(1000),
  cursors: ['e-1'],
  evaluationMs: 4.2,
  overrun: false,
};
const told = {
  dataAsOf: '1970-01-01T00:00:01.000Z',
  evaluatedAt: '1970-01-01T00:00:02.000Z',
  evaluationMs: 4,
  overrun: false,
};
const row = { s: namedNode('http://example.org/s'), o: literal('x') };
const json = { s: { type: 'uri', value: 'http://example.org/s' }, o: { type: 'literal', value: 'x' } };
const bindings: BindingsResult = {
  ...facts,
  form: 'bindings',
  kind: 'delta',
  variables: ['s', 'o'],
  added: [row],
  removed: [],
  bindings: () => [row, row],
};

test('QUERY-96 a line of a SELECT query has what came and what went', () => {
  const line = resultLine(bindings);
  expect(line.endsWith('\n')).toBe(true);
  expect(line.slice(0, -1)).not.toContain('\n');
  expect(JSON.parse(line)).toEqual({ sequence: 3, added: [json], removed: [], ...told });
});

test('QUERY-96 where the order counts a line has the whole answer', () => {
  expect(JSON.parse(resultLine({ ...bindings, kind: 'snapshot' }))).toEqual({
    sequence: 3,
    bindings: [json, json],
    ...told,
  });
});

test('QUERY-96 a line of a graph has N-Quads, and one of ASK the value', () => {
  const said = quad(namedNode('http://example.org/s'), namedNode('http://example.org/p'), literal('a\nb'));
  const quads: QuadsResult = {
    ...facts,
    form: 'quads',
    kind: 'delta',
    added: [said],
    removed: [],
    quads: () => [said],
  };
  const added = ['<http://example.org/s> <http://example.org/p> "a\\nb" .'];
  expect(JSON.parse(resultLine(quads))).toEqual({ sequence: 3, added, removed: [], ...told });
  const asked: BooleanResult = { ...facts, form: 'boolean', kind: 'snapshot', value: true };
  expect(JSON.parse(resultLine(asked))).toEqual({ sequence: 3, boolean: true, ...told });
});

test('QUERY-96 a line of a window says which', () => {
  const window = { open: new Date(0), close: new Date(1000) };
  expect(JSON.parse(resultLine({ ...bindings, window }))).toMatchObject({
    window: { open: '1970-01-01T00:00:00.000Z', close: '1970-01-01T00:00:01.000Z' },
  });
});

const none: ReadonlySet<number> = new Set();
const texts = (lines: ReturnType<typeof tableLines>) => lines.map((line) => lineText(line).trimEnd());

test('QUERY-95 columns are as wide as what stands in them', () => {
  const table = {
    columns: ['line', 'late'],
    rows: [
      ['4', '120'],
      ['12 Flagey', '60'],
    ],
    fresh: none,
  };
  expect(texts(tableLines(table, { columns: 80, rows: 10 }))).toEqual([
    'line       late',
    '4          120',
    '12 Flagey  60',
  ]);
});

test.each([
  [4, '3'],
  [3, 'and 2 more'],
])('QUERY-95 of a head and three rows, in %i lines the last is "%s"', (rows, last) => {
  const table = { columns: ['n'], rows: [['1'], ['2'], ['3']], fresh: none };
  expect(texts(tableLines(table, { columns: 20, rows })).at(-1)).toBe(last);
});

test('QUERY-95 rows that came with the last result stand out', () => {
  const lines = tableLines({ columns: ['n'], rows: [['1'], ['2']], fresh: new Set([1]) }, { columns: 9, rows: 9 });
  expect(lines[1]).toEqual(['1']);
  expect(lines[2]).toEqual([{ text: '2', tone: 'good' }]);
});

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

test.each([
  ['SELECT * { ?s ?p ?o }', 'SELECT * { ?s ?p ?o }'],
  ['PREFIX a: <http://a/SELECT>\nBASE <http://b/>\n# ask\nprefix : <c>\nASK { ?s\n  ?p :o }', 'ASK { ?s ?p :o }'],
  ['PREFIX : <urn:x:> REGISTER RSTREAM <out> AS PREFIX b: <urn:b:> CONSTRUCT { } WHERE { }', 'CONSTRUCT { } WHERE { }'],
  ['nonsense', 'nonsense'],
  ['PREFIX a: <urn:a>', 'PREFIX a: <urn:a>'],
])('QUERY-95 a query is shown from what it asks for on: %s', (sparql, text) => {
  expect(queryText(sparql)).toBe(text);
});

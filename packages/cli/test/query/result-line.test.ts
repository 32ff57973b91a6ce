import type { BindingsResult, BooleanResult, QuadsResult } from '@ldes-live/query';
import { literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { resultLine } from '../../src/query/result-line.ts';

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

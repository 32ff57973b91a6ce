import { blankNode, literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import type { Quad, Variable } from '@rdfjs/types';
import { expect, test } from 'vitest';
import { instantiateTemplate } from '../../src/evaluate/answers.ts';
import { HeldRows, rowKey } from '../../src/evaluate/rows.ts';
import type { Row } from '../../src/result.ts';

const a = namedNode('urn:a');

test('QUERY-101 solutions have the same key where the terms that count are the same, and only there', () => {
  const rows: Row[] = [
    {},
    ...[a, literal('urn:a'), quad(a, a, a), literal('1:a|"1:b')].flatMap((x): Row[] => [{ x }, { y: x }]),
    { x: literal('a'), y: literal('b') },
    { x: literal('a|"1:b'), y: literal('') },
    { x: literal('a'), y: literal('|"1:b') },
    { x: literal('a!') },
  ];
  const keys = rows.map((row) => rowKey(row, ['x', 'y']));
  expect(new Set(keys).size).toBe(rows.length);
  expect(rowKey({ x: literal('a') }, ['x', 'y'])).toBe(rowKey({ x: literal('a', xsd.string) }, ['x', 'y']));
  expect(rowKey({ x: a, z: a }, ['x'])).toBe(rowKey({ x: a }, ['x']));
  const y = quad(a, a, literal('b'));
  expect(rowKey({ y, x: a }, ['x', 'y'])).toBe(rowKey({ x: namedNode('urn:a'), y }, ['x', 'y']));
});

test('a root whose solutions are gone is held no more', () => {
  const held = new HeldRows(false);
  for (const rows of [[{ key: 'k', row: { x: a } }], []])
    held.exchange(new Map([['urn:a', rows]]), { limitRows: 1 }).keep();
  expect([...held.roots()]).toEqual([]);
});

const variable = (value: string): Variable => ({ termType: 'Variable', value, equals: () => false });
const [s, p, o, g] = ['s', 'p', 'o', 'g'].map(variable) as [Variable, Variable, Variable, Variable];
const iri = namedNode('urn:x');
const terms = ({ subject, predicate, object }: Quad) => [subject.value, predicate.value, object.value];
// The types of quad() do not know variables; those of RDF/JS do.
const said = quad as unknown as (...terms: unknown[]) => Quad;

test('QUERY-104 unbound positions and those that RDF does not allow leave out their quad, and no other', () => {
  const template = [said(s, p, o, g), said(iri, iri, iri)];
  const whole = { s: iri, p: iri, o: literal('v'), g: iri };
  const filled = (row: object) => instantiateTemplate(template, { ...whole, ...row }, 'k').length;
  expect(filled({})).toBe(2);
  for (const name of ['s', 'p', 'o', 'g']) expect(filled({ [name]: undefined }), name).toBe(1);
  expect(filled({ s: literal('v') })).toBe(1);
  expect(filled({ s: quad(iri, iri, iri) })).toBe(1);
  expect(filled({ p: blankNode('b') })).toBe(1);
  expect(filled({ p: literal('v') })).toBe(1);
  expect(filled({ g: literal('v') })).toBe(1);
  expect(filled({ o: quad(iri, iri, iri) })).toBe(2);
});

test('QUERY-104 blank nodes of a template are the same within a solution, and for the same solution again', () => {
  const template = [
    said(blankNode('t'), iri, blankNode('u')),
    said(blankNode('t'), iri, said(iri, iri, blankNode('u'))),
  ];
  const [first, second] = instantiateTemplate(template, {}, 'k') as [Quad, Quad];
  expect(first.subject.equals(second.subject)).toBe(true);
  expect(first.object.equals(first.subject)).toBe(false);
  expect((second.object as Quad).object.equals(first.object)).toBe(true);
  expect(instantiateTemplate(template, {}, 'k').map(terms)).toEqual([first, second].map(terms));
  expect(instantiateTemplate(template, {}, 'l')[0]?.subject.value).not.toBe(first.subject.value);
});

test('QUERY-104 a triple term of a template is filled in, and left out with what it lacks', () => {
  const template = [said(iri, iri, said(s, iri, o))];
  const [made] = instantiateTemplate(template, { s: iri, o: literal('v') }, 'k');
  expect(made?.object.termType).toBe('Quad');
  expect(terms(made?.object as Quad)).toEqual(['urn:x', 'urn:x', 'v']);
  expect(instantiateTemplate(template, { s: iri }, 'k')).toEqual([]);
});

test('QUERY-104 100,000 solutions that are nearly alike have labels of their own', () => {
  const template = [said(blankNode('t'), iri, iri)];
  const labels = new Set<string | undefined>();
  for (let n = 0; n < 25_000; n += 1) {
    for (const key of [`0 "${n}`, `1 "${n}`, `0 "${n}"`, `0 "0${n}`]) {
      labels.add(instantiateTemplate(template, {}, key)[0]?.subject.value);
    }
  }
  expect(labels.size).toBe(100_000);
  expect([...labels].slice(0, 9).every((label) => /^r[0-9a-f]{32}b0$/.test(String(label)))).toBe(true);
});

import { expect, test } from 'vitest';
import { type NodeShape, nodeShapeQuads } from '../src/node-shape.ts';
import { rdf, sh, xsd } from '../src/vocabulary.ts';

const SHAPE = 'http://example.org/shape#It';
const ex = (name: string) => `http://example.org/${name}`;

/** What is said of a subject, as predicate and object. */
function said(shape: NodeShape, subject = shape.iri): string[][] {
  return nodeShapeQuads(shape)
    .filter((quad) => quad.subject.value === subject)
    .map(({ predicate, object }) => [predicate.value, object.value]);
}

/** The items of the list that a node has. */
function items(shape: NodeShape, predicate: string, subject = shape.iri): string[] {
  const found: string[] = [];
  let cell = said(shape, subject).find(([name]) => name === predicate)?.[1];
  while (cell !== undefined && cell !== rdf.nil) {
    const of = new Map(said(shape, cell) as [string, string][]);
    found.push(of.get(rdf.first) as string);
    cell = of.get(rdf.rest);
  }
  return found;
}

test('a shape that says nothing is a shape', () => {
  expect(said({ iri: SHAPE, properties: [] })).toEqual([[rdf.type, sh.NodeShape]]);
});

test('a shape says its targets and its kind', () => {
  const shape = { iri: SHAPE, targetClass: ex('C'), targetObjectsOf: ex('p'), nodeIri: true, properties: [] };
  expect(said(shape).slice(1)).toEqual([
    [sh.targetClass, ex('C')],
    [sh.targetObjectsOf, ex('p')],
    [sh.nodeKind, sh.IRI],
  ]);
});

test('a shape says what it has to do with other shapes', () => {
  const shape = { iri: SHAPE, properties: [], anyOf: [ex('a'), ex('b')], and: [ex('c')], not: ex('d') };
  expect(said(shape)).toContainEqual([sh.node, ex('c')]);
  expect(said(shape)).toContainEqual([sh.not, ex('d')]);
  expect(items(shape, sh.or)).toEqual([ex('a'), ex('b')]);
});

test('a closed shape names what it lets pass, be it nothing', () => {
  const closed = { iri: SHAPE, properties: [], closedBut: [rdf.type] };
  expect(said(closed)).toContainEqual([sh.closed, 'true']);
  expect(items(closed, sh.ignoredProperties)).toEqual([rdf.type]);
  const empty = { iri: SHAPE, properties: [], closedBut: [] };
  expect(said(empty)).toContainEqual([sh.ignoredProperties, rdf.nil]);
});

test('a property has the constraints that it is given, and no others', () => {
  const bare = { iri: SHAPE, properties: [{ path: ex('p') }] };
  expect(said(bare, 'It-0')).toEqual([[sh.path, ex('p')]]);
  const full = {
    iri: SHAPE,
    properties: [
      {
        path: ex('p'),
        atLeast: 1,
        atMost: 2,
        datatypes: [xsd.integer],
        iri: true,
        has: [ex('x'), ex('y')],
        shape: ex('s'),
        least: 0,
        pattern: '^a$',
      },
    ],
  };
  expect(said(full, 'It-0').slice(1)).toEqual([
    [sh.minCount, '1'],
    [sh.maxCount, '2'],
    [sh.datatype, xsd.integer],
    [sh.nodeKind, sh.IRI],
    [sh.hasValue, ex('x')],
    [sh.hasValue, ex('y')],
    [sh.node, ex('s')],
    [sh.minInclusive, '0'],
    [sh.pattern, '^a$'],
  ]);
});

test('values of one of several datatypes, and of one of several IRIs, are lists', () => {
  const shape = {
    iri: SHAPE,
    properties: [
      { path: ex('p'), datatypes: [xsd.string, rdf.langString] },
      { path: ex('q'), oneOf: [ex('a'), ex('b')] },
    ],
  };
  const datatypes = items(shape, sh.or, 'It-0').flatMap((node) => said(shape, node));
  expect(datatypes).toEqual([
    [sh.datatype, xsd.string],
    [sh.datatype, rdf.langString],
  ]);
  expect(items(shape, sh.in, 'It-1')).toEqual([ex('a'), ex('b')]);
});

test('equal shapes give equal quads, and shapes of other IRIs share no blank node', () => {
  const properties = [{ path: ex('p'), oneOf: [ex('a')] }];
  const labels = (iri: string) =>
    nodeShapeQuads({ iri, properties, closedBut: [] }).flatMap(({ subject }) =>
      subject.termType === 'BlankNode' ? [subject.value] : [],
    );
  expect(nodeShapeQuads({ iri: SHAPE, properties })).toEqual(nodeShapeQuads({ iri: SHAPE, properties }));
  const all = ['http://example.org/shape', SHAPE, 'http://example.org/shape#Other'].map((iri) => new Set(labels(iri)));
  expect(new Set(all.flatMap((set) => [...set])).size).toBe(all.reduce((sum, set) => sum + set.size, 0));
});

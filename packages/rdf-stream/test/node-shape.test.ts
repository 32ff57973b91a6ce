import { canonical, canonicalText } from '@ldes-live/test-support/rdf';
import { expect, test } from 'vitest';
import { type NodeShape, nodeShapeQuads } from '../src/node-shape.ts';
import { rdf, xsd } from '../src/vocabulary.ts';

const SHAPE = 'http://example.org/shape#It';
const ex = (name: string) => `http://example.org/${name}`;
const HEAD = `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix ex: <http://example.org/> .
  @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .`;

test.each<[what: string, shape: Omit<NodeShape, 'iri'>, turtle: string]>([
  ['nothing', { properties: [] }, ''],
  [
    'its targets and its kind',
    { targetClass: ex('C'), targetObjectsOf: ex('p'), nodeKindIri: true, properties: [] },
    'sh:targetClass ex:C ; sh:targetObjectsOf ex:p ; sh:nodeKind sh:IRI',
  ],
  [
    'what it has to do with other shapes',
    { properties: [], or: [ex('a'), ex('b')], and: [ex('c')], not: ex('d') },
    'sh:node ex:c ; sh:not ex:d ; sh:or ( ex:a ex:b )',
  ],
  [
    'what it lets pass',
    { properties: [], ignoredProperties: [rdf.type] },
    'sh:closed true ; sh:ignoredProperties ( rdf:type )',
  ],
  ['that it lets nothing pass', { properties: [], ignoredProperties: [] }, 'sh:closed true ; sh:ignoredProperties ()'],
  ['a property and no more of it', { properties: [{ path: ex('p') }] }, 'sh:property [ sh:path ex:p ]'],
  [
    'the constraints of a property',
    {
      properties: [
        {
          ...{ path: ex('p'), minCount: 1, maxCount: 2, datatypes: [xsd.integer], nodeKindIri: true },
          ...{ hasValue: [ex('x'), ex('y')], node: ex('s'), minInclusive: 0, pattern: '^a$' },
        },
      ],
    },
    `sh:property [ sh:path ex:p ; sh:minCount 1 ; sh:maxCount 2 ; sh:datatype xsd:integer ; sh:nodeKind sh:IRI ;
      sh:hasValue ex:x, ex:y ; sh:node ex:s ; sh:minInclusive 0 ; sh:pattern "^a$" ]`,
  ],
  [
    'values of one of several datatypes, and of one of several IRIs',
    {
      properties: [
        { path: ex('p'), datatypes: [xsd.string, rdf.langString] },
        { path: ex('q'), in: [ex('a'), ex('b')] },
      ],
    },
    `sh:property [ sh:path ex:p ; sh:or ( [ sh:datatype xsd:string ] [ sh:datatype rdf:langString ] ) ] ,
      [ sh:path ex:q ; sh:in ( ex:a ex:b ) ]`,
  ],
])('a shape says %s', async (_what, shape, turtle) => {
  const quads = nodeShapeQuads({ iri: SHAPE, ...shape });
  const expected = `${HEAD} <${SHAPE}> a sh:NodeShape ; ${turtle} .`;
  expect(await canonical(quads)).toBe(await canonicalText(expected, 'text/turtle'));
  // Blank node labels included.
  expect(nodeShapeQuads({ iri: SHAPE, ...shape })).toEqual(quads);
});

test('shapes of other IRIs share no blank node', () => {
  const properties = [{ path: ex('p'), in: [ex('a')] }];
  const labels = (iri: string) => {
    const subjects = nodeShapeQuads({ iri, properties, ignoredProperties: [rdf.type] }).map(({ subject }) => subject);
    return new Set(subjects.flatMap(({ termType, value }) => (termType === 'BlankNode' ? [value] : [])));
  };
  const all = ['http://example.org/shape', SHAPE, 'http://example.org/shape#Other'].map(labels);
  expect(all.map(({ size }) => size)).toEqual([3, 3, 3]);
  expect(new Set(all.flatMap((set) => [...set])).size).toBe(9);
});

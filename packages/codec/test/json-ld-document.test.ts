import { blankNode, languageLiteral, literal, namedNode, quad, rdf, tree, xsd } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { jsonLdDocument } from '../src/json-ld-document.ts';

const iri = (name: string) => namedNode(`http://x.example/${name}`);
const prefixes = { ex: 'http://x.example/', tree: 'https://w3id.org/tree#', xsd: 'http://www.w3.org/2001/XMLSchema#' };
const ex = { ex: prefixes.ex };

test('one node is the document itself; types are @type', () => {
  expect(
    jsonLdDocument([quad(iri('s'), namedNode(rdf.type), iri('T')), quad(iri('s'), iri('p'), literal(''))], prefixes),
  ).toEqual({
    '@context': ex,
    '@id': 'ex:s',
    '@type': 'ex:T',
    'ex:p': '',
  });
});

test('several nodes are a @graph in order of first appearance', () => {
  const document = jsonLdDocument(
    [
      quad(iri('b'), iri('p'), literal('1')),
      quad(iri('a'), iri('p'), literal('2')),
      quad(iri('b'), iri('p'), literal('3')),
    ],
    prefixes,
  );
  expect(document['@graph']).toEqual([
    { '@id': 'ex:b', 'ex:p': ['1', '3'] },
    { '@id': 'ex:a', 'ex:p': '2' },
  ]);
});

test('a type that all values of a property share is said once, in the context', () => {
  const document = jsonLdDocument(
    [
      quad(iri('s'), iri('time'), literal('2026-01-01T00:00:00.000Z', xsd.dateTime)),
      quad(iri('s'), iri('link'), iri('o')),
      quad(iri('s'), namedNode('http://other.example/link'), blankNode('nowhere')),
    ],
    prefixes,
  );
  expect(document).toEqual({
    '@context': {
      ex: prefixes.ex,
      xsd: prefixes.xsd,
      'ex:time': { '@type': 'xsd:dateTime' },
      'ex:link': { '@type': '@id' },
      'http://other.example/link': { '@type': '@id' },
    },
    '@id': 'ex:s',
    'ex:time': '2026-01-01T00:00:00.000Z',
    'ex:link': 'ex:o',
    'http://other.example/link': '_:nowhere',
  });
});

test('values of different types each say their own', () => {
  const objects = [
    iri('o'),
    literal('text'),
    languageLiteral('hoi', 'nl'),
    literal('1.0', xsd.decimal),
    literal('5', xsd.integer),
  ];
  const document = jsonLdDocument(
    objects.map((object) => quad(iri('s'), iri('p'), object)),
    prefixes,
  );
  expect(document['ex:p']).toEqual([
    { '@id': 'ex:o' },
    'text',
    { '@value': 'hoi', '@language': 'nl' },
    { '@value': '1.0', '@type': 'xsd:decimal' },
    5,
  ]);
});

test.each([
  ['0', xsd.integer, 0],
  ['-5', xsd.integer, -5],
  ['9007199254740991', xsd.integer, 9007199254740991],
  ['true', xsd.boolean, true],
  ['false', xsd.boolean, false],
])('%s is written as plain JSON', (value, datatype, expected) => {
  expect(jsonLdDocument([quad(iri('s'), iri('p'), literal(value, datatype))], prefixes)).toEqual({
    '@context': ex,
    '@id': 'ex:s',
    'ex:p': expected,
  });
});

test.each([
  ['-0', xsd.integer],
  ['+5', xsd.integer],
  ['007', xsd.integer],
  ['', xsd.integer],
  [' 5', xsd.integer],
  ['9007199254740993', xsd.integer],
  ['1', xsd.boolean],
  ['51.05', xsd.double],
])('%j of %s keeps its lexical form', (value, datatype) => {
  expect(jsonLdDocument([quad(iri('s'), iri('p'), literal(value, datatype))], prefixes)['ex:p']).toBe(value);
});

test('rdf:type of a literal stays a property', () => {
  const document = jsonLdDocument(
    [quad(iri('s'), namedNode(rdf.type), literal('T')), quad(iri('s'), namedNode(rdf.type), blankNode('t'))],
    prefixes,
  );
  expect(document).toEqual({ '@context': ex, '@id': 'ex:s', [rdf.type]: 'T', '@type': '_:t' });
});

test('members stand inside their stream, and what they have in them', () => {
  const member = namedNode(tree.member);
  const document = jsonLdDocument(
    [
      quad(iri('stream'), member, iri('m1')),
      quad(iri('m1'), iri('p'), blankNode('x')),
      quad(blankNode('x'), iri('q'), literal('inside')),
      quad(iri('stream'), member, iri('m2')),
    ],
    prefixes,
  );
  expect(document).toEqual({
    '@context': { ...ex, tree: prefixes.tree, 'tree:member': { '@type': '@id' } },
    '@id': 'ex:stream',
    'tree:member': [{ '@id': 'ex:m1', 'ex:p': { 'ex:q': 'inside' } }, 'ex:m2'],
  });
});

test('a named graph is a node with a @graph, and nests on its own', () => {
  const document = jsonLdDocument(
    [quad(iri('s'), iri('p'), literal('1'), iri('g')), quad(iri('s'), iri('p'), literal('2'))],
    prefixes,
  );
  expect(document['@graph']).toEqual([
    { '@id': 'ex:g', '@graph': [{ '@id': 'ex:s', 'ex:p': '1' }] },
    { '@id': 'ex:s', 'ex:p': '2' },
  ]);
});

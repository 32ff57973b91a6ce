import { Parser } from 'n3';
import { expect, test } from 'vitest';
import { PrefixTable } from '../src/graph-nodes.ts';
import { rdf, xsd } from '../src/index.ts';
import { jsonLdDocument } from '../src/json-ld-writer.ts';

const ex = 'http://x.example/';
const prefixes = { ex, tree: 'https://w3id.org/tree#', xsd: 'http://www.w3.org/2001/XMLSchema#' };
const head = Object.entries(prefixes).map(([prefix, namespace]) => `@prefix ${prefix}: <${namespace}> .`);

/** The document of TriG, its statements in order. */
function documentOf(trig: string): Record<string, unknown> {
  return jsonLdDocument(
    new Parser({ format: 'trig', blankNodePrefix: '' }).parse([...head, trig].join('\n')),
    new PrefixTable(prefixes),
  );
}

test.each<[what: string, trig: string, document: object]>([
  [
    'one node is the document itself; types are @type',
    'ex:s a ex:T ; ex:p "" .',
    { '@context': { ex }, '@id': 'ex:s', '@type': 'ex:T', 'ex:p': '' },
  ],
  [
    'several nodes are a @graph in order of first appearance',
    'ex:b ex:p "1" . ex:a ex:p "2" . ex:b ex:p "3" .',
    {
      '@context': { ex },
      '@graph': [
        { '@id': 'ex:b', 'ex:p': ['1', '3'] },
        { '@id': 'ex:a', 'ex:p': '2' },
      ],
    },
  ],
  [
    'a type that all values of a property share is said once, in the context',
    'ex:s ex:time "2026-01-01T00:00:00.000Z"^^xsd:dateTime ; ex:link ex:o ; <http://other.example/link> _:nowhere .',
    {
      '@context': {
        ex,
        xsd: prefixes.xsd,
        'ex:time': { '@type': 'xsd:dateTime' },
        'ex:link': { '@type': '@id' },
        'http://other.example/link': { '@type': '@id' },
      },
      '@id': 'ex:s',
      'ex:time': '2026-01-01T00:00:00.000Z',
      'ex:link': 'ex:o',
      'http://other.example/link': '_:nowhere',
    },
  ],
  [
    'a property that is a namespace has no type in the context, which would be the type of the prefix',
    'ex:s <http://x.example/> "a"^^ex:T, ex:o .',
    { '@context': { ex }, '@id': 'ex:s', [ex]: [{ '@value': 'a', '@type': 'ex:T' }, { '@id': 'ex:o' }] },
  ],
  [
    'nor has a property that is a datatype',
    'ex:s ex:p "a"^^ex:p ; ex:q "a"^^ex:r ; ex:r "a"^^ex:q ; ex:t "a"^^ex:u ; ex:u ex:o .',
    {
      '@context': { ex, 'ex:t': { '@type': 'ex:u' } },
      '@id': 'ex:s',
      'ex:p': { '@value': 'a', '@type': 'ex:p' },
      'ex:q': { '@value': 'a', '@type': 'ex:r' },
      'ex:r': { '@value': 'a', '@type': 'ex:q' },
      'ex:t': 'a',
      'ex:u': { '@id': 'ex:o' },
    },
  ],
  [
    'values of different types each say their own',
    'ex:s ex:p ex:o, "text", "hoi"@nl, 1.0, 5 .',
    {
      '@context': { ex, xsd: prefixes.xsd },
      '@id': 'ex:s',
      'ex:p': [
        { '@id': 'ex:o' },
        'text',
        { '@value': 'hoi', '@language': 'nl' },
        { '@value': '1.0', '@type': 'xsd:decimal' },
        5,
      ],
    },
  ],
  [
    'rdf:type of a literal stays a property',
    'ex:s a "T", _:t .',
    { '@context': { ex }, '@id': 'ex:s', [rdf.type]: 'T', '@type': '_:t' },
  ],
  [
    'members stand inside their stream, and what they have in them',
    'ex:stream tree:member ex:m1 . ex:m1 ex:p _:x . _:x ex:q "inside" . ex:stream tree:member ex:m2 .',
    {
      '@context': { ex, tree: prefixes.tree, 'tree:member': { '@type': '@id' } },
      '@id': 'ex:stream',
      'tree:member': [{ '@id': 'ex:m1', 'ex:p': { 'ex:q': 'inside' } }, 'ex:m2'],
    },
  ],
  [
    'a named graph is a node with a @graph, and nests on its own',
    'ex:g { ex:s ex:p "1" } ex:s ex:p "2" .',
    {
      '@context': { ex },
      '@graph': [
        { '@id': 'ex:g', '@graph': [{ '@id': 'ex:s', 'ex:p': '1' }] },
        { '@id': 'ex:s', 'ex:p': '2' },
      ],
    },
  ],
])('%s', (_what, trig, document) => {
  expect(documentOf(trig)).toEqual(document);
});

test.each<[value: string, datatype: string, written: string | number | boolean]>([
  ['0', xsd.integer, 0],
  ['-5', xsd.integer, -5],
  ['9007199254740991', xsd.integer, 9007199254740991],
  ['true', xsd.boolean, true],
  ['false', xsd.boolean, false],
  ...['-0', '+5', '007', '', ' 5', '9007199254740992', '9007199254740993'].map(
    (value) => [value, xsd.integer, value] as [string, string, string],
  ),
  ['1', xsd.boolean, '1'],
  ['51.05', xsd.double, '51.05'],
])('%j of %s is written as %j', (value, datatype, expected) => {
  const { '@context': context, 'ex:p': written } = documentOf(`ex:s ex:p "${value}"^^<${datatype}> .`);
  expect(written).toBe(expected);
  // What is not plain JSON has its type in the context.
  const type = typeof expected === 'string' ? { '@type': datatype.replace(prefixes.xsd, 'xsd:') } : undefined;
  expect((context as Record<string, unknown>)['ex:p']).toEqual(type);
});

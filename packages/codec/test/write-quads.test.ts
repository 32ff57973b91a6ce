import { blankNode, languageLiteral, literal, namedNode, quad, rdf, xsd } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { writeQuads } from '../src/index.ts';

const iri = (name: string) => namedNode(`http://x.example/${name}`);
const prefixes = {
  ex: 'http://x.example/',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
  unused: 'http://unused.example/',
};

const quads = [
  quad(iri('s'), namedNode(rdf.type), iri('T')),
  quad(iri('s'), iri('p'), literal('51.050', xsd.decimal)),
  quad(iri('s'), iri('p'), literal('007', xsd.integer)),
  quad(iri('s'), iri('p'), literal('1', xsd.boolean)),
  quad(iri('s'), iri('q'), blankNode('x')),
  quad(blankNode('x'), iri('r'), literal('a"b\\c\n\u007f')),
  quad(iri('t'), iri('p'), languageLiteral('hoi', 'nl')),
  quad(iri('s'), iri('p'), literal('5.', xsd.decimal)),
];

test('N-Quads and N-Triples are canonical lines in the order given', () => {
  const text = writeQuads(quads, 'nquads', prefixes);
  expect(text).toBe(writeQuads(quads, 'ntriples', prefixes));
  expect(text.split('\n')).toHaveLength(quads.length + 1);
  expect(text).toContain('_:x <http://x.example/r> "a\\"b\\\\c\\n\\u007F" .\n');
  expect(text).toContain('<http://x.example/t> <http://x.example/p> "hoi"@nl .\n');
  expect(writeQuads([quad(iri('s'), iri('p'), iri('o'), blankNode('g'))], 'nquads', {})).toBe(
    '<http://x.example/s> <http://x.example/p> <http://x.example/o> _:g .\n',
  );
});

test('Turtle groups runs of a subject, nests blank nodes and declares the prefixes that it uses', () => {
  expect(writeQuads(quads, 'turtle', prefixes)).toBe(`@prefix ex: <http://x.example/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

ex:s a ex:T ;
  ex:p 51.050, 007, "1"^^xsd:boolean ;
  ex:q [
    ex:r "a\\"b\\\\c\\n\\u007F"
  ] .
ex:t ex:p "hoi"@nl .
ex:s ex:p "5."^^xsd:decimal .
`);
});

test('TriG puts the runs of a graph in a block', () => {
  const inGraphs = [
    quad(iri('s'), iri('p'), iri('o')),
    quad(iri('s'), iri('p'), blankNode('x'), iri('g')),
    quad(blankNode('x'), iri('p'), literal('true', xsd.boolean), iri('g')),
    quad(iri('s'), iri('p'), iri('o'), blankNode('h')),
  ];
  expect(writeQuads(inGraphs, 'trig', { ex: 'http://x.example/' })).toBe(`@prefix ex: <http://x.example/> .

ex:s ex:p ex:o .
ex:g {
  ex:s ex:p [
      ex:p true
    ] .
}
_:h {
  ex:s ex:p ex:o .
}
`);
});

test('no quads are an empty document in every format', () => {
  for (const format of ['turtle', 'trig', 'nquads', 'ntriples'] as const)
    expect(writeQuads([], format, prefixes)).toBe('');
  expect(writeQuads([], 'jsonld', prefixes)).toBe('{"@context":{},"@graph":[]}');
});

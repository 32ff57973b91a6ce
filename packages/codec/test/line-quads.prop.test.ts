import type { Quad, Term } from '@rdfjs/types';
import fc from 'fast-check';
import { Parser } from 'n3';
import { expect, test } from 'vitest';
import { writeQuads } from '../src/index.ts';
import { lineQuads } from '../src/line-quads.ts';
import { oddPrefixes, quadsArbitrary } from './generated-quads.ts';

function termText(term: Term): string {
  if (term.termType !== 'Literal') return `${term.termType} ${term.value}`;
  return JSON.stringify([term.value, term.datatype.value, term.language]);
}

const texts = (quads: readonly Quad[] | undefined) =>
  quads?.map((quad) => [quad.subject, quad.predicate, quad.object, quad.graph].map(termText).join(' | '));

function byParser(text: string, format: string): string[] | undefined {
  try {
    return texts(new Parser({ format, blankNodePrefix: '' }).parse(text));
  } catch {
    return undefined;
  }
}

const QUADS = 'application/n-quads';
const TRIPLES = 'application/n-triples';

test('what the framework writes is read as by the parser of the whole grammar', () => {
  fc.assert(
    fc.property(quadsArbitrary({ graphs: true, doubles: true }), (quads) => {
      const text = writeQuads(quads, 'nquads', oddPrefixes);
      expect(texts(lineQuads(text, true)) ?? byParser(text, QUADS)).toEqual(byParser(text, QUADS));
    }),
  );
});

const piece = fc.constantFrom(
  ...[
    '<http://a.example/b>',
    '<urn:x:1>',
    '<rel>',
    '<http://a b>',
    '<a:\\u0041>',
    '<a:{}>',
    '<>',
    '<x:é>',
    '<x:\u0080>',
  ],
  ...['_:b', '_:b.c', '_:b.', '_:1', '_:-', '_:', '_:é', '_:b:c'],
  ...['"plain"', '"a\\nb\\u0041"', '"\\x"', '"\\uD83D"', '"\\U0001F600"', '"a"b"', '"', '"é😀"', '"a\nb"', '"\\\\"'],
  ...['"a"@en', '"a"@EN-gb', '"a"@en--ltr', '"a"@', '"a"^^<urn:t>', '"a"^^ <urn:t>', '"a"^^', '"a"^<urn:t>'],
  ...[
    '"a"^^<http://www.w3.org/2001/XMLSchema#string>',
    '"a"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>',
    '"a"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString>',
  ],
  ...[
    '.',
    '.',
    '.',
    '\n',
    '\n',
    '\r\n',
    '\r',
    ' ',
    '\t',
    '',
    '# comment',
    '#',
    '{',
    '<<',
    '1',
    'true',
    'VERSION "1.2"',
  ],
);

test('whatever is read is what the parser of the whole grammar reads', () => {
  const statement = fc
    .tuple(piece, piece, piece, fc.option(piece), piece)
    .map(([subject, predicate, object, graph, end]) => `${subject} ${predicate} ${object} ${graph ?? ''} ${end}`);
  const plain = fc
    .tuple(piece, fc.constantFrom('<urn:p>', '<urn:q>'), piece, fc.constantFrom('', '<urn:g>', '_:g'), piece)
    .map(([subject, predicate, object, graph, space]) => `${subject} ${predicate} ${object} ${graph} .${space}`);
  const loose = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
  const text = fc.array(fc.oneof(plain, statement, loose), { maxLength: 4 }).map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, fc.boolean(), (given, hasGraphs) => {
      const read = lineQuads(given, hasGraphs);
      if (read) expect(texts(read), given).toEqual(byParser(given, hasGraphs ? QUADS : TRIPLES));
    }),
    { numRuns: 20_000 },
  );
});

test.each([
  ['<urn:s> <urn:p> <urn:o> .\n', 1],
  ['_:a <urn:p> "x"@en <urn:g> .\r\n# so much\n\n_:a <urn:p> "x\\ty"^^<urn:t> .', 2],
  ['', 0],
  ['<urn:s> <urn:p> "1" .', 1],
])('%j is read line by line', (text, count) => {
  expect(lineQuads(text, true)).toHaveLength(count);
});

test.each([
  '<urn:s> <urn:p> <urn:o>',
  '<s> <urn:p> <urn:o> .',
  '<urn:s> <urn:p> <urn:o> . <urn:s> <urn:p> <urn:o> .',
  'x',
])('%j is left to the parser of the whole grammar', (text) => {
  expect(lineQuads(text, true)).toBeUndefined();
});

test('a graph is left to it where the format has none', () => {
  expect(lineQuads('<urn:s> <urn:p> <urn:o> <urn:g> .', false)).toBeUndefined();
});

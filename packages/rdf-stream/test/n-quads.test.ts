import { check, Floors, fc } from '@ldes-live/test-support/properties';
import type { Quad, Term } from '@rdfjs/types';
import { Parser } from 'n3';
import { expect, test } from 'vitest';
import { literal, namedNode, parseNQuads, quad, writeQuads } from '../src/index.ts';
import { fastLines } from '../src/n-quads.ts';
import { commitOf, end, vehicle } from './sample-stream.ts';

function termText(term: Term): string {
  if (term.termType !== 'Literal') return `${term.termType} ${term.value}`;
  return JSON.stringify([term.value, term.datatype.value, term.language]);
}

const statements = (quads: readonly Quad[] | undefined) =>
  quads?.map((quad) => [quad.subject, quad.predicate, quad.object, quad.graph].map(termText).join(' | '));

function byParser(text: string, hasGraphs: boolean): string[] | undefined {
  try {
    const format = hasGraphs ? 'application/n-quads' : 'application/n-triples';
    return statements(new Parser({ format, blankNodePrefix: '' }).parse(text));
  } catch {
    return undefined;
  }
}

const words = (text: string) => text.split(' ');
const piece = fc.constantFrom(
  ...words('<http://a.example/b> <urn:x:1> <rel> <a:\\u0041> <a:{}> <> <x:é> <x:\u0080>'),
  ...words('_:b _:b.c _:b. _:1 _:- _: _:é _:b:c'),
  ...words('"plain" "a\\nb\\u0041" "\\x" "\\uD83D" "\\U0001F600" "a"b" " "é😀" "a\nb" "\\\\"'),
  ...words('"a"@en "a"@EN-gb "a"@en--ltr "a"@ "a"^^<urn:t> "a"^^ "a"^<urn:t> . . . { << 1 true #'),
  ...['string', 'integer'].map((name) => `"a"^^<http://www.w3.org/2001/XMLSchema#${name}>`),
  ...['langString', 'dirLangString'].map((name) => `"a"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#${name}>`),
  ...['<http://a b>', '"a"^^ <urn:t>', '\n', '\n', '\r\n', '\r', ' ', '\t', '', '# comment', 'VERSION "1.2"'],
);

const node = fc.constantFrom('<http://a.example/b>', '<urn:x:1>', '_:b', '_:1', '<x:é>');
const iri = fc.constantFrom('<urn:p>', '<x:é>');
const object = fc.oneof(
  node,
  fc.constantFrom(...words('"plain" "a\\nb\\u0041" "\\t\\b\\r\\f\\"\\\\" "\\\'" "é😀" "a"@EN-gb "a"^^<urn:t>')),
);

test('whatever is read is what the parser of the whole grammar reads', () => {
  // A statement as nearly everybody writes it, one piece of which is anything in every other.
  const line = fc
    .tuple(
      node,
      iri,
      object,
      fc.oneof(fc.constant(''), node),
      fc.constant('.'),
      fc.constantFrom('\n', '\r\n', '\n# x\n'),
    )
    .chain((tokens) =>
      fc
        .tuple(fc.nat(2 * tokens.length), piece)
        .map(([at, odd]) => tokens.map((token, index) => (index === at ? odd : token)).join(' ')),
    );
  const loose = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
  const text = fc
    .array(fc.oneof({ weight: 9, arbitrary: line }, { weight: 1, arbitrary: loose }), { maxLength: 4 })
    .map((lines) => lines.join(''));
  const met = new Floors({ read: 500, left: 500 });
  check(
    fc.property(text, fc.boolean(), (given, hasGraphs) => {
      const read = fastLines(given, hasGraphs);
      if (read?.length !== 0) met.count(read ? 'read' : 'left');
      if (read) expect(statements(read), given).toEqual(byParser(given, hasGraphs));
    }),
    { numRuns: 20_000, met },
  );
});

test.each<[text: string, hasGraphs: boolean, count: number | undefined]>([
  ['<urn:s> <urn:p> <urn:o> .\n', true, 1],
  ['_:a <urn:p> "x"@en <urn:g> .\r\n# so much\n\n_:a <urn:p> "x\\ty"^^<urn:t> .', true, 2],
  ['', true, 0],
  // What is left to the parser of the whole grammar.
  ['<urn:s> <urn:p> <urn:o>', true, undefined],
  ['<s> <urn:p> <urn:o> .', true, undefined],
  ['<urn:s> <urn:p> <urn:o> . <urn:s> <urn:p> <urn:o> .', true, undefined],
  ['<urn:s> <urn:p> <urn:o> <urn:g> .', false, undefined],
])('%j, with graphs: %s, is read as %s statements', (text, hasGraphs, count) => {
  expect(fastLines(text, hasGraphs)?.length).toBe(count);
});

test('members as a log stores them are read by the fast reader, every one', () => {
  const drafts = Array.from({ length: 50 }, (_, index) => (index % 10 === 9 ? end(`${index}`) : vehicle(`n°${index}`)));
  // Quads of N3.js are of another class.
  const own = quad(namedNode('urn:s'), namedNode('urn:p'), namedNode('urn:o')).constructor;
  for (const { quads } of commitOf(drafts).members) {
    const text = writeQuads(quads, 'nquads', {});
    const read = parseNQuads(text);
    expect(statements(read)).toEqual(byParser(text, true));
    expect(new Set(read.map((each) => each.constructor))).toEqual(new Set([own]));
  }
  // What it does not read, the parser of the whole grammar does.
  expect(parseNQuads('_:a.b <urn:p> "x" .')[0]?.constructor).not.toBe(own);
});

test('a text of ten million characters is read, line breaks and all', () => {
  const text = `${'x'.repeat(10_000_000)}\n`;
  const quads = [quad(namedNode('urn:s'), namedNode('urn:p'), literal(text))];
  expect(parseNQuads(writeQuads(quads, 'nquads', {}))[0]?.object.value === text).toBe(true);
});

test('a text of millions of comments is read', () => {
  expect(fastLines(`${'#\n'.repeat(5_000_000)}<urn:s> <urn:p> <urn:o> .`, true)).toHaveLength(1);
});

import { blankNode, languageLiteral, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { canonical } from '@ldes-live/test-support/rdf';
import type { Literal, Quad, Term } from '@rdfjs/types';
import jsonld from 'jsonld';
import { Parser } from 'n3';
import { parse } from 'oxigraph';
import { expect, test } from 'vitest';
import { offeredFor, writeAnswer } from '../../src/http/formats.ts';
import { negotiate } from '../../src/http/protocol.ts';
import type { Row } from '../../src/result.ts';
import { readResults } from './read-results.ts';

const AWKWARD = 'a "quoted"\\ text,\r\nof\ttwo lines <&> \u0001 ü 🚋';
const INTEGER = 'http://www.w3.org/2001/XMLSchema#integer';
const variables = ['a', 'b', 'c'];
const rows: readonly Row[] = [
  { a: namedNode('urn:x:a'), b: literal(AWKWARD), c: languageLiteral('hallo', 'nl-be') },
  { b: blankNode('b0'), c: literal('1', INTEGER) },
  { c: languageLiteral('שלום', 'he', 'rtl') },
  {},
];

/** A term as text, with all that there is to it; its value may be another. */
function shown(term: Term, value: string = term.value): string {
  const { language, direction, datatype } = term as Literal;
  return [term.termType, value, language, direction, datatype?.value].filter(Boolean).join(' ');
}

const answer = { form: 'bindings', variables, rows } as const;

test.each([
  ['application/sparql-results+json', '{"head":{"vars":["a","b","c"]},'],
  ['application/sparql-results+xml', '<head><variable name="a"/><variable name="b"/><variable name="c"/></head>'],
  ['text/csv', 'a,b,c\r\n'],
  ['text/tab-separated-values', '?a\t?b\t?c\n'],
])('QUERY-80 each kind of term is read back from %s, and what is not bound', async (mediaType, head) => {
  const text = writeAnswer(answer, mediaType);
  expect(text).toContain(head);
  const read = await readResults(text, mediaType);
  const isXml = mediaType.endsWith('xml');
  const expected = rows.map((row) =>
    Object.entries(row).map(([name, term]) => {
      const value = isXml ? term.value.replace('\u0001', '\ufffd') : term.value;
      return `${name} ${mediaType === 'text/csv' ? value : shown(term, value)}`;
    }),
  );
  const found = read.map((row) =>
    Object.entries(row).map(([name, term]) => `${name} ${mediaType === 'text/csv' ? term.value : shown(term)}`),
  );
  expect(found).toEqual(expected);
});

test.each(offeredFor('quads'))('QUERY-80 graphs are read back from %s as what they were', async (mediaType) => {
  const quads = [
    quad(namedNode('urn:x:a'), namedNode('urn:x:p'), literal(AWKWARD)),
    quad(namedNode('urn:x:a'), namedNode('urn:x:p'), languageLiteral('hallo', 'nl')),
    quad(blankNode('b0'), namedNode('http://www.w3.org/1999/02/22-rdf-syntax-ns#type'), namedNode('urn:x:C')),
    quad(blankNode('b0'), namedNode('urn:x:p'), literal('1', INTEGER)),
  ];
  const text = writeAnswer({ form: 'quads', quads }, mediaType);
  const isXml = mediaType === 'application/rdf+xml';
  const read = await readQuads(text, mediaType);
  const expected = await canonical(quads);
  // XML cannot have it.
  expect(await canonical(read as readonly Quad[])).toBe(isXml ? expected.replace('\\u0001', '\ufffd') : expected);
});

async function readQuads(text: string, format: string) {
  if (format === 'application/ld+json') return await jsonld.toRDF(JSON.parse(text));
  return format === 'application/rdf+xml' ? parse(text, { format }) : new Parser({ format }).parse(text);
}

test('QUERY-80 what RDF/XML cannot name is refused with another format, and what it can is named to the letter', () => {
  const write = (predicate: string) =>
    writeAnswer(
      { form: 'quads', quads: [quad(blankNode('0'), namedNode(predicate), namedNode('urn:x?a&b'))] },
      'application/rdf+xml',
    );
  for (const predicate of ['urn:x:1', 'urn:x/', 'urn:x#2.3']) {
    const remedy = expect.stringContaining('text/turtle');
    expect(() => write(predicate)).toThrow(expect.objectContaining({ code: 'ERR_QUERY_UNSUPPORTED', message: remedy }));
  }
  for (const predicate of ['urn:x:p1', 'urn:gr\u00f6\u00dfe', 'http://x.example/?a&b', 'urn:x:-a.b_c']) {
    const [read] = parse(write(predicate), { format: 'application/rdf+xml' }) as Quad[];
    expect([read?.predicate.value, read?.object.value]).toEqual([predicate, 'urn:x?a&b']);
  }
});

test('QUERY-80 the format is what is asked for, of each form; JSON and Turtle where anything will do', () => {
  const json = 'application/sparql-results+json';
  for (const accept of [undefined, '', '*/*', 'application/json', 'application/json;charset=utf-8, */*;q=0.1']) {
    expect(negotiate(accept)).toMatchObject({ bindings: json, boolean: json });
  }
  expect(negotiate(undefined).quads).toBe('text/turtle');
  expect([offeredFor('quads').length, offeredFor('bindings').length]).toEqual([5, 4]);
  expect(negotiate('text/csv;q=0.5, application/sparql-results+xml')).toEqual({
    bindings: 'application/sparql-results+xml',
    boolean: 'application/sparql-results+xml',
  });
  expect(negotiate('application/ld+json')).toEqual({ quads: 'application/ld+json' });
  expect(negotiate('image/png')).toEqual({});
});

import { blankNode, languageLiteral, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { Parser } from 'n3';
import { expect, test } from 'vitest';
import { negotiate, writeAnswer } from '../../src/http/results/formats.ts';
import type { Row } from '../../src/live-result.ts';

const AWKWARD = 'a "quoted"\\ text,\r\nof\ttwo lines <&> \u0001 ü 🚋';
const INTEGER = 'http://www.w3.org/2001/XMLSchema#integer';
const variables = ['a', 'b', 'c'];
const rows: readonly Row[] = [
  { a: namedNode('urn:x:a'), b: literal(AWKWARD), c: languageLiteral('hallo', 'nl-be') },
  { b: blankNode('b0'), c: literal('1', INTEGER) },
  { c: languageLiteral('שלום', 'he', 'rtl') },
  {},
];
const answer = { form: 'bindings', variables, rows } as const;

test('QUERY-80 JSON says each kind of term, and nothing of what is not bound', () => {
  expect(JSON.parse(writeAnswer(answer, 'application/sparql-results+json'))).toEqual({
    head: { vars: variables },
    results: {
      bindings: [
        {
          a: { type: 'uri', value: 'urn:x:a' },
          b: { type: 'literal', value: AWKWARD },
          c: { type: 'literal', value: 'hallo', 'xml:lang': 'nl-be' },
        },
        { b: { type: 'bnode', value: 'b0' }, c: { type: 'literal', value: '1', datatype: INTEGER } },
        { c: { type: 'literal', value: 'שלום', 'xml:lang': 'he', 'its:dir': 'rtl' } },
        {},
      ],
    },
  });
});

test('QUERY-80 XML escapes what is markup, and replaces what it cannot say', () => {
  const text = writeAnswer(answer, 'application/sparql-results+xml');
  expect(text).toContain('<head><variable name="a"/><variable name="b"/><variable name="c"/></head>');
  expect(text).toContain(
    '<binding name="b"><literal>a &quot;quoted&quot;\\ text,&#xD;\nof\ttwo lines &lt;&amp;&gt; \ufffd ü 🚋</literal></binding>',
  );
  expect(text).toContain('<binding name="c"><literal xml:lang="nl-be">hallo</literal></binding>');
  expect(text).toContain(`<literal datatype="${INTEGER}">1</literal>`);
  expect(text).toContain('<bnode>b0</bnode>');
  expect(text).toContain('<result></result>');
  expect(writeAnswer({ form: 'boolean', value: true }, 'application/sparql-results+xml')).toContain(
    '<head/><boolean>true</boolean>',
  );
});

test('QUERY-80 CSV has the values, and TSV the terms', () => {
  expect(writeAnswer(answer, 'text/csv')).toBe(
    `a,b,c\r\nurn:x:a,"${AWKWARD.replaceAll('"', '""')}",hallo\r\n,_:b0,1\r\n,,שלום\r\n,,\r\n`,
  );
  expect(writeAnswer(answer, 'text/tab-separated-values').split('\n')).toEqual([
    '?a\t?b\t?c',
    '<urn:x:a>\t"a \\"quoted\\"\\\\ text,\\r\\nof\\ttwo lines <&> \\u0001 ü 🚋"\t"hallo"@nl-be',
    `\t_:b0\t"1"^^<${INTEGER}>`,
    '\t\t"שלום"@he--rtl',
    '\t\t',
    '',
  ]);
});

test('QUERY-80 graphs are read back as what they were from every format of theirs', async () => {
  const quads = [
    quad(namedNode('urn:x:a'), namedNode('urn:x:p'), literal(AWKWARD)),
    quad(namedNode('urn:x:a'), namedNode('urn:x:p'), languageLiteral('hallo', 'nl')),
    quad(blankNode('b0'), namedNode('http://www.w3.org/1999/02/22-rdf-syntax-ns#type'), namedNode('urn:x:C')),
    quad(blankNode('b0'), namedNode('urn:x:p'), literal('1', INTEGER)),
  ];
  for (const mediaType of ['text/turtle', 'application/n-triples', 'application/n-quads']) {
    const parsed = new Parser({ format: mediaType, blankNodePrefix: '' }).parse(
      writeAnswer({ form: 'quads', quads }, mediaType),
    );
    expect(parsed.map((each, index) => each.equals(quads[index] as never))).toEqual([true, true, true, true]);
  }
  expect(JSON.parse(writeAnswer({ form: 'quads', quads }, 'application/ld+json'))).toEqual([
    { '@id': 'urn:x:a', 'urn:x:p': [{ '@value': AWKWARD }, { '@value': 'hallo', '@language': 'nl' }] },
    { '@id': '_:b0', '@type': ['urn:x:C'], 'urn:x:p': [{ '@value': '1', '@type': INTEGER }] },
  ]);
});

test('QUERY-80 the format is what is asked for, of each form; JSON and Turtle where anything will do', () => {
  const json = 'application/sparql-results+json';
  for (const accept of [undefined, '', '*/*', 'application/json', 'application/json;charset=utf-8, */*;q=0.1']) {
    expect(negotiate(accept)).toMatchObject({ bindings: json, boolean: json });
  }
  expect(negotiate(undefined).quads).toBe('text/turtle');
  expect(negotiate('text/csv;q=0.5, application/sparql-results+xml')).toEqual({
    bindings: 'application/sparql-results+xml',
    boolean: 'application/sparql-results+xml',
  });
  expect(negotiate('application/ld+json')).toEqual({ quads: 'application/ld+json' });
  expect(negotiate('image/png')).toEqual({});
});

import { check, Floors, fc } from '@ldes-live/test-support/properties';
import { canonical, canonicalText } from '@ldes-live/test-support/rdf';
import type { Quad, Quad_Object } from '@rdfjs/types';
import jsonld from 'jsonld';
import { DataFactory, Parser } from 'n3';
import { expect, test } from 'vitest';
import {
  blankNode,
  type Format,
  formats,
  languageLiteral,
  literal,
  namedNode,
  parseQuads,
  quad,
  writeQuads,
  xsd,
} from '../src/index.ts';
import { oddPrefixes, quadsArbitrary } from './generated-quads.ts';

const base = 'http://base.example/dir/doc?q#f';
const names = Object.keys(formats) as Format[];
const prefixes = {
  ex: 'http://x.example/',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
  unused: 'http://unused.example/',
};
const s = namedNode('http://x.example/s');

/** Quads of TriG in its order, blank nodes by their labels. */
function quadsOf(trig: string) {
  const head = Object.entries(prefixes).map(([prefix, namespace]) => `@prefix ${prefix}: <${namespace}> .`);
  return new Parser({ format: 'trig', blankNodePrefix: '' }).parse([...head, trig].join('\n'));
}

const refused = expect.objectContaining({ code: 'ERR_TERM_UNSUPPORTED' });

test.each([
  namedNode('relative'),
  namedNode(''),
  namedNode('http://x.example/> <http://evil.example/p> <http://evil.example/o'),
  namedNode('http://x.example/a b'),
  namedNode('http://x.example/\n'),
  namedNode('http://x.example/\\u003e'),
  ...['a b', 'a.', 'a:b', '\u0301a', '×', ''].map(blankNode),
  literal('x', 'relative'),
  languageLiteral('x', 'en us'),
  // What says its language elsewhere: readers of text refuse it without one.
  ...['langString', 'dirLangString'].map((name) => literal('x', `${oddPrefixes.rdf}${name}`)),
  // Half a character, which UTF-8 does not have.
  literal('x\ud83d'),
  DataFactory.literal('x', { language: 'en', direction: 'ltr' } as never),
  DataFactory.quad(s, s, s) as never as Quad_Object,
])('a term that no reader could read back is refused: %o', (object) => {
  for (const format of names) expect(() => writeQuads([quad(s, s, object)], format, {})).toThrow(refused);
  if (object.termType === 'Literal' || object.termType === 'Quad') return;
  expect(() => writeQuads([quad(s, s, s, object as never)], 'trig', {})).toThrow(refused);
});

test.each([
  [literal('x'), s, s, undefined],
  [s, blankNode('x'), s, undefined],
  [s, literal('x'), s, undefined],
  [s, s, s, literal('x')],
])('a term in a place where it cannot be is refused: %o %o %o %o', (...terms) => {
  const misplaced = DataFactory.quad(...(terms as unknown as [typeof s, typeof s, typeof s, typeof s]));
  for (const format of ['jsonld', 'trig', 'nquads'] as const) {
    expect(() => writeQuads([misplaced], format, {})).toThrow(refused);
  }
});

test.each([
  namedNode('urn:uuid:1'),
  namedNode('http://x.example/é?q=%20#f'),
  blankNode('m1b0'),
  blankNode('9.é\u0301·😀'),
  literal('<>"{}|^`\\\n\0', xsd.string),
  languageLiteral('x', 'en-us'),
])('a term of RDF 1.1 is written: %o', async (object) => {
  const quads = [quad(s, s, object)];
  expect(await canonicalText(writeQuads(quads, 'nquads', {}))).toBe(await canonical(quads));
});

test('a named graph is refused where the format has none', () => {
  const quads = [quad(s, s, s, namedNode('http://x.example/g'))];
  for (const format of ['turtle', 'ntriples'] as const) {
    expect(() => writeQuads(quads, format, {})).toThrow(
      expect.objectContaining({ code: 'ERR_GRAPH_UNSUPPORTED', details: { format, graph: 'http://x.example/g' } }),
    );
  }
});

test.each<[what: string, format: Format, trig: string, text: string]>([
  [
    'canonical lines in the order given',
    'nquads',
    'ex:t ex:p "hoi"@nl . _:x ex:r "a\\"b\\\\c\\n\\u007F\\uFFFF" . _:g { ex:s ex:p 007 }',
    `<http://x.example/t> <http://x.example/p> "hoi"@nl .
_:x <http://x.example/r> "a\\"b\\\\c\\n\\u007F\\uFFFF" .
<http://x.example/s> <http://x.example/p> "007"^^<http://www.w3.org/2001/XMLSchema#integer> _:g .
`,
  ],
  [
    'runs of a subject, blank nodes that are nested, and the prefixes that it uses',
    'turtle',
    `ex:s a ex:T ; ex:p 51.050, 007, "1"^^xsd:boolean ; ex:q _:x . _:x ex:r "a\\"b\\\\c\\n\\u007F" .
      ex:t ex:p "hoi"@nl . ex:s ex:p "5."^^xsd:decimal .`,
    `@prefix ex: <http://x.example/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

ex:s a ex:T ;
  ex:p 51.050, 007, "1"^^xsd:boolean ;
  ex:q [
    ex:r "a\\"b\\\\c\\n\\u007F"
  ] .
ex:t ex:p "hoi"@nl .
ex:s ex:p "5."^^xsd:decimal .
`,
  ],
  [
    'the runs of a graph in a block',
    'trig',
    'ex:s ex:p ex:o . ex:g { ex:s ex:p _:x . _:x ex:p true } _:h { ex:s ex:p ex:o }',
    `@prefix ex: <http://x.example/> .

ex:s ex:p ex:o .
ex:g {
  ex:s ex:p [
      ex:p true
    ] .
}
_:h {
  ex:s ex:p ex:o .
}
`,
  ],
  ['nothing', 'trig', '', ''],
  ['nothing', 'ntriples', '', ''],
  ['nothing', 'jsonld', '', '{"@context":{},"@graph":[]}'],
])('writes %s as %s', (_what, format, trig, text) => {
  expect(writeQuads(quadsOf(trig), format, prefixes)).toBe(text);
});

/** JSON-LD by `jsonld`, whose safe mode refuses what it would drop, the rest by N3.js; as it comes over the network. */
async function readByOthers(text: string, format: Format): Promise<Quad[]> {
  const sent = Buffer.from(text).toString();
  if (format !== 'jsonld') return new Parser({ format: formats[format].mediaType }).parse(sent);
  const options = { format: 'application/n-quads', base, safe: true } as never;
  return new Parser({ format: 'application/n-quads' }).parse((await jsonld.toRDF(JSON.parse(sent), options)) as never);
}

test.each(names)('DOC-7 quads written as %s are read back by others, lexical forms included', async (format) => {
  const graphs = format !== 'turtle' && format !== 'ntriples';
  await check(
    // `jsonld` prints doubles anew, against the standard.
    fc.asyncProperty(quadsArbitrary({ graphs, doubles: format !== 'jsonld' }), async (quads) => {
      const text = writeQuads(quads, format, oddPrefixes);
      expect(writeQuads([...quads], format, { ...oddPrefixes })).toBe(text);
      const expected = await canonical(quads);
      expect(await canonical(await parseQuads(text, format, base))).toBe(expected);
      expect(await canonical(await readByOthers(text, format))).toBe(expected);
    }),
    { numRuns: format === 'jsonld' ? 500 : 300 },
  );
});

const odd = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'aZ0-_.:/#@<>"{}|^`\\ \n\t\0\u0080\u2028\ufeff\uffff\ud83d\ude8b') }),
  fc.constantFrom('', 'en', 'EN-gb', 'en_US', 'en--ltr', 'i-klingon', 'urn:x', 'urn:x:\ud83d\ude8b', '@id', '_:a'),
);
const oddIri = fc.oneof(
  odd,
  odd.map((path) => `http://x.example/${path}`),
);
const oddDatatype = fc.oneof(
  oddIri,
  fc.constantFrom(
    ...Object.values(xsd),
    ...['langString', 'dirLangString', 'JSON', 'HTML'].map((name) => `${oddPrefixes.rdf}${name}`),
  ),
);
const oddTerm = fc.oneof(
  oddIri.map(namedNode),
  odd.map(blankNode),
  fc.tuple(odd, oddDatatype).map(([value, datatype]) => literal(value, datatype)),
  fc.tuple(odd, odd).map(([value, language]) => languageLiteral(value, language)),
);

test('DOC-7 a term is refused by every format, or read back by others from every one', async () => {
  const met = new Floors({ refused: 50, 'read back': 50 });
  await check(
    fc.asyncProperty(oddTerm, async (object) => {
      const iri = object.termType === 'Literal' ? object.datatype.value : object.value;
      const quads = [quad(s, s, object)];
      const results = names.map((format) => {
        try {
          return writeQuads(quads, format, oddPrefixes);
        } catch (error) {
          expect(error).toMatchObject({ code: 'ERR_TERM_UNSUPPORTED' });
          return undefined;
        }
      });
      expect(new Set(results.map((text) => text === undefined)).size).toBe(1);
      met.count(results[0] === undefined ? 'refused' : 'read back');
      for (const [index, text] of results.entries()) {
        // `jsonld` prints doubles anew, and takes spaces beyond ASCII for no part of an IRI, which RFC 3987 does.
        if (text === undefined || (names[index] === 'jsonld' && /\s|#double$/.test(iri))) continue;
        const read = await readByOthers(text, names[index] as Format);
        expect(read.map((one) => one.object)).toEqual([expect.objectContaining(shown(object))]);
      }
    }),
    { numRuns: 1000, met },
  );
});

/** What readers keep of a term. */
function shown(term: Quad_Object) {
  if (term.termType === 'BlankNode') return { termType: 'BlankNode' };
  if (term.termType !== 'Literal') return { termType: term.termType, value: term.value };
  return {
    value: term.value,
    language: term.language.toLowerCase(),
    datatype: expect.objectContaining({ value: term.datatype.value }),
  };
}

test('DOC-7 N-Quads keep order and labels', async () => {
  await check(
    fc.asyncProperty(quadsArbitrary({ graphs: true, doubles: true }), async (quads) => {
      const read = await parseQuads(writeQuads(quads, 'nquads', oddPrefixes), 'nquads', base);
      expect(read).toHaveLength(quads.length);
      expect(read.every((one, index) => one.equals(quads[index]) && quads[index]?.equals(one))).toBe(true);
    }),
  );
});

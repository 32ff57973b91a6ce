import { blankNode, languageLiteral, literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import type { Quad_Object } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { expect, test } from 'vitest';
import { checkQuads } from '../src/check-quads.ts';

const s = namedNode('http://x.example/s');

function check(object: Quad_Object): () => void {
  return () => checkQuads([quad(s, s, object)], 'jsonld');
}

test.each([
  namedNode('relative'),
  namedNode(''),
  namedNode('http://x.example/> <http://evil.example/p> <http://evil.example/o'),
  namedNode('http://x.example/a b'),
  namedNode('http://x.example/\n'),
  namedNode('http://x.example/\\u003e'),
  blankNode('a b'),
  blankNode('a.'),
  blankNode('a:b'),
  blankNode('\u0301a'),
  blankNode('×'),
  blankNode(''),
  literal('x', 'relative'),
  languageLiteral('x', 'en us'),
  DataFactory.literal('x', { language: 'en', direction: 'ltr' } as never),
  DataFactory.quad(s, s, s) as never as Quad_Object,
])('a term that no reader could read back is refused: %o', (object) => {
  expect(check(object)).toThrow(expect.objectContaining({ code: 'ERR_TERM_UNSUPPORTED' }));
});

test.each([
  namedNode('urn:uuid:1'),
  namedNode('http://x.example/é?q=%20#f'),
  blankNode('m1b0'),
  blankNode('9.é\u0301·😀'),
  literal('<>"{}|^`\\\n\0', xsd.string),
  languageLiteral('x', 'en-us'),
])('a term of RDF 1.1 passes: %o', (object) => {
  expect(check(object)).not.toThrow();
});

test('a named graph passes where the format has named graphs', () => {
  const quads = [quad(s, s, s, namedNode('http://x.example/g'))];
  for (const format of ['jsonld', 'trig', 'nquads'] as const) expect(() => checkQuads(quads, format)).not.toThrow();
  for (const format of ['turtle', 'ntriples'] as const) {
    expect(() => checkQuads(quads, format)).toThrow(
      expect.objectContaining({ code: 'ERR_GRAPH_UNSUPPORTED', details: { format, graph: 'http://x.example/g' } }),
    );
  }
});

test('the name of a graph is checked too', () => {
  const quads = [quad(s, s, s, namedNode('relative'))];
  expect(() => checkQuads(quads, 'trig')).toThrow(expect.objectContaining({ code: 'ERR_TERM_UNSUPPORTED' }));
});

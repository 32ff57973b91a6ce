import { blankNode, languageLiteral, literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import type { Quad, Quad_Object } from '@rdfjs/types';
import { expect, test } from 'vitest';
import { QuadCounts, quadKey } from '../../src/views/quads.ts';
import { saying, words } from './sample-members.ts';

const a = () => saying('a');

test('what is taken back and stated again is no change, nor what is stated and taken back', () => {
  const counts = new QuadCounts();
  const first = a();
  counts.add([first]);
  counts.take();
  counts.remove([a()]);
  counts.add([a(), saying('b')]);
  counts.remove([saying('b')]);
  expect(counts.take()).toEqual({ added: [], removed: [], late: 0 });
  counts.remove([a()]);
  // The very quad that was told of as added.
  expect(counts.take().removed[0]).toBe(first);
});

test('what is kept is there once, and what was never stated cannot go', () => {
  const counts = new QuadCounts();
  counts.keep([a(), a()]);
  counts.remove([saying('b')]);
  expect(words(counts.take(3).added)).toEqual(['a']);
  expect(counts.take(3)).toEqual({ added: [], removed: [], late: 3 });
  counts.remove([a()]);
  expect(counts.size).toBe(0);
});

const s = namedNode('urn:x:s');
const p = namedNode('urn:x:p');
const key = (object: Quad_Object, graph?: string) =>
  quadKey(quad(s, p, object, graph === undefined ? undefined : namedNode(graph)));

test('terms that only look alike make different quads', () => {
  const directed = (direction: string) => ({ ...languageLiteral('a', 'en'), direction }) as Quad_Object;
  const objects: Quad_Object[] = [
    ...['urn:x:a', 'urn:x:A', '_:a', 'urn: a'].map(namedNode),
    ...['a', 'urn:x:a'].map(blankNode),
    ...['', 'urn:x:a', '_:a', 'a', '@en a', `${xsd.integer} a`, '1:a|"1:b'].map((value) => literal(value)),
    ...[xsd.integer, xsd.decimal, 'urn:x:a', 'urn: a'].map((datatype) => literal('a', datatype)),
    ...['en', 'en-GB', 'nl'].map((language) => languageLiteral('a', language)),
    ...['ltr', 'rtl'].map(directed),
    literal('01', xsd.integer),
    literal('1', xsd.integer),
    quad(s, p, literal('a')) as Quad_Object,
    quad(s, p, literal('"a')) as Quad_Object,
    quad(s, p, namedNode('urn:x:a')) as Quad_Object,
    quad(s, p, blankNode('urn:x:a')) as Quad_Object,
  ];
  const keys = [...objects.map((object) => key(object)), key(literal('a'), 'urn:x:g')];
  keys.push(quadKey(quad(namedNode('a <b'), p, s)), quadKey(quad(namedNode('a'), namedNode('b <urn:x:p'), s)));
  keys.push(quadKey(quad(namedNode('a'), namedNode('b'), p, namedNode('c <d'))));
  keys.push(quadKey(quad(namedNode('d'), namedNode('a <b'), p, namedNode('c'))));
  expect(new Set(keys).size).toBe(keys.length);
});

test('a language tag is the same in capitals', () => {
  // Terms of others have tags as they were written.
  const tagged = (language: string) => ({ ...languageLiteral('a', 'en'), language }) as Quad_Object;
  expect(key(tagged('EN'))).toBe(key(tagged('en')));
});

test('two quads have one key if and only if they are equal', () => {
  const text = fc.oneof(fc.constantFrom('', ' ', '"', '" ', '<<', '_:', 'a', 'urn:x:a'), fc.string());
  const label = fc.constantFrom('a', 'b');
  const iri = fc.constantFrom('urn:x:a', 'urn:x:b', 'a b', 'a', 'b', 'a b <b', '<b', '~<3 a b', '_:a').map(namedNode);
  const term = fc.oneof(
    iri,
    label.map(blankNode),
    text.map((value) => literal(value)),
    fc.tuple(text, fc.constantFrom(xsd.integer, xsd.double)).map((parts) => literal(...parts)),
    fc.tuple(text, fc.constantFrom('en', 'nl')).map((parts) => languageLiteral(...parts)),
  );
  const plain = fc.tuple(fc.oneof(iri, label.map(blankNode)), iri, term).map((terms) => quad(...terms));
  const nested = fc.tuple(iri, iri, plain).map(([one, two, inner]) => quad(one, two, inner as unknown as Quad_Object));
  const quads: fc.Arbitrary<Quad> = fc.oneof(plain, nested);
  check(
    fc.property(quads, quads, (one, other) => {
      expect(quadKey(one) === quadKey(other)).toBe(one.equals(other));
    }),
    { numRuns: 2000 },
  );
});

import { blankNode, languageLiteral, literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import type { Quad, Quad_Object } from '@rdfjs/types';
import { expect, test } from 'vitest';
import { quadKey } from '../../src/views/quad-key.ts';

const s = namedNode('urn:x:s');
const p = namedNode('urn:x:p');
const key = (object: Quad_Object, graph?: string) =>
  quadKey(quad(s, p, object, graph === undefined ? undefined : namedNode(graph)));

test('QUERY-31 terms that only look alike make different quads', () => {
  const objects: Quad_Object[] = [
    namedNode('urn:x:a'),
    literal('urn:x:a'),
    blankNode('a'),
    literal('_:a'),
    literal('a'),
    literal('a', xsd.integer),
    languageLiteral('a', 'en'),
    languageLiteral('a', 'nl'),
    literal('@en a'),
    literal(`${xsd.integer} a`),
    quad(s, p, literal('a')) as Quad_Object,
    quad(s, p, literal('"a')) as Quad_Object,
    quad(s, p, namedNode('urn:x:a')) as Quad_Object,
  ];
  const keys = [...objects.map((object) => key(object)), key(literal('a'), 'urn:x:g')];
  expect(new Set(keys).size).toBe(keys.length);
});

test('QUERY-31 a language tag is the same in capitals, a base direction is not none', () => {
  expect(key(languageLiteral('a', 'EN'))).toBe(key(languageLiteral('a', 'en')));
  const rightToLeft = { ...languageLiteral('a', 'en'), direction: 'rtl' } as Quad_Object;
  expect(key(rightToLeft)).not.toBe(key(languageLiteral('a', 'en')));
});

test('QUERY-31 two quads have one key if and only if they are equal', () => {
  const text = fc.oneof(fc.constantFrom('', ' ', '"', '" ', '<<', '_:', 'a', 'urn:x:a'), fc.string());
  const label = fc.constantFrom('a', 'b');
  const iri = fc.constantFrom('urn:x:a', 'urn:x:b').map(namedNode);
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

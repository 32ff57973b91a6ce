import { blankNode, languageLiteral, literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import { check, fc } from '@ldes-live/test-support/properties';
import type { Quad, Quad_Object } from '@rdfjs/types';
import { describe, expect, test } from 'vitest';
import { type BlankNodeScope, dataScope, QuadCounts, quadKey, sourceScopes } from '../../src/views/quads.ts';
import { saying, words } from './sample-members.ts';

const a = () => saying('a');

test('QUERY-31 a quad stays for as long as any statement of it does', () => {
  const counts = new QuadCounts();
  counts.add([a(), a(), a()]);
  expect(words(counts.take().added)).toEqual(['a']);
  for (const _ of [1, 2]) {
    counts.remove([a()]);
    expect(counts.take()).toEqual({ added: [], removed: [], late: 0 });
    expect(counts.size).toBe(1);
  }
  counts.remove([a()]);
  expect(words(counts.take().removed)).toEqual(['a']);
  expect(counts.size).toBe(0);
});

test('QUERY-31 what is taken back and stated again is no change, nor what is stated and taken back', () => {
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

describe('quad key', () => {
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
    keys.push(quadKey(quad(namedNode('a <b'), p, s)), quadKey(quad(namedNode('a'), namedNode('b <urn:x:p'), s)));
    keys.push(quadKey(quad(namedNode('a'), namedNode('b'), p, namedNode('c <d'))));
    keys.push(quadKey(quad(namedNode('d'), namedNode('a <b'), p, namedNode('c'))));
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('QUERY-31 a language tag is the same in capitals, a base direction is not none', () => {
    // Terms of others have tags as they were written.
    const tagged = (language: string) => ({ ...languageLiteral('a', 'en'), language }) as Quad_Object;
    expect(key(tagged('EN'))).toBe(key(tagged('en')));
    const rightToLeft = { ...languageLiteral('a', 'en'), direction: 'rtl' } as Quad_Object;
    expect(key(rightToLeft)).not.toBe(key(languageLiteral('a', 'en')));
  });

  test('QUERY-31 two quads have one key if and only if they are equal', () => {
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
    const nested = fc
      .tuple(iri, iri, plain)
      .map(([one, two, inner]) => quad(one, two, inner as unknown as Quad_Object));
    const quads: fc.Arbitrary<Quad> = fc.oneof(plain, nested);
    check(
      fc.property(quads, quads, (one, other) => {
        expect(quadKey(one) === quadKey(other)).toBe(one.equals(other));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('blank node scope', () => {
  const p = namedNode('urn:x:p');
  const about = (label: string) => quad(blankNode(label), p, literal('x'));
  const scoped = (scope: BlankNodeScope | undefined, label: string) => scope?.([about(label)])[0]?.subject.value;

  test('QUERY-31 blank nodes of an only source keep their labels', () => {
    const quads = [about('m1b0')];
    expect(sourceScopes(1)[0]?.(quads)).toBe(quads);
  });

  test('QUERY-31 no two sources share a blank node, nor a source and the data, whatever the labels', () => {
    for (const sources of [1, 2, 12]) {
      const scopes = [...sourceScopes(sources), dataScope];
      const labels = ['a', 'static_a', 'stream_a', 'stream_static_a', 's0_a', 's1_a', 's1_1_a', '0_a'];
      const found = scopes.flatMap((scope) => labels.map((label) => scoped(scope, label)));
      expect(new Set(found).size).toBe(scopes.length * labels.length);
    }
  });

  test('QUERY-31 a blank node has one label in all places of a quad, triple terms and graphs included', () => {
    const b = blankNode('b');
    const inner = quad(b, p, b) as Quad_Object;
    const [said] = sourceScopes(2)[1]?.([quad(b, p, inner, b)]) ?? [];
    const c = blankNode('s1_b');
    expect(said && quadKey(said)).toBe(quadKey(quad(c, p, quad(c, p, c) as Quad_Object, c)));
  });
});

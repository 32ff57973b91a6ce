import { literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { iriCompactor } from '../src/iri-compactor.ts';

const prefixes = {
  ex: 'http://x.example/',
  exv: 'http://x.example/v#',
  urn: 'urn:x:',
  bare: 'http://x.example/v',
  '1x': 'http://one.example/',
};

test('shortens by the namespace up to the last delimiter, and remembers which prefixes it used', () => {
  const { compact, used } = iriCompactor([], prefixes);
  expect(compact('http://x.example/v#p')).toBe('exv:p');
  expect(compact('http://x.example/p')).toBe('ex:p');
  expect(compact('urn:x:1')).toBe('urn:1');
  expect(compact('http://x.example/p')).toBe('ex:p');
  expect(used()).toEqual([
    ['ex', 'http://x.example/'],
    ['exv', 'http://x.example/v#'],
    ['urn', 'urn:x:'],
  ]);
});

test.each([
  'http://x.example/',
  'http://x.example//evil.example/p',
  'http://x.example/a.',
  'http://x.example/a%20b',
  'http://x.example/é',
  'http://x.example/-a',
  'http://x.example/a@b',
  'http://one.example/p',
  'http://other.example/p',
])('leaves %s in full', (iri) => {
  const { compact, used } = iriCompactor([], prefixes);
  expect(compact(iri)).toBeUndefined();
  expect(used()).toEqual([]);
});

test.each([
  quad(namedNode('ex:s'), namedNode('http://x.example/p'), literal('o')),
  quad(namedNode('http://x.example/s'), namedNode('ex:p'), literal('o')),
  quad(namedNode('http://x.example/s'), namedNode('http://x.example/p'), namedNode('ex://o')),
  quad(namedNode('http://x.example/s'), namedNode('http://x.example/p'), literal('o', 'ex:d')),
  quad(namedNode('http://x.example/s'), namedNode('http://x.example/p'), literal('o'), namedNode('ex:g')),
])('a prefix that is the scheme of an IRI in the document is left out', (clash) => {
  const { compact } = iriCompactor([clash], prefixes);
  expect(compact('http://x.example/p')).toBeUndefined();
  expect(compact('http://x.example/v#p')).toBe('exv:p');
});

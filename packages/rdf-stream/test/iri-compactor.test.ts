import { Parser } from 'n3';
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
  const iris = ['http://x.example/v#p', 'http://x.example/p', 'urn:x:1', 'http://x.example/p'];
  expect(iris.map(compact)).toEqual(['exv:p', 'ex:p', 'urn:1', 'ex:p']);
  expect(used().map(([prefix, namespace]) => `${prefix} ${namespace}`)).toEqual([
    'ex http://x.example/',
    'exv http://x.example/v#',
    'urn urn:x:',
  ]);
});

test('leaves in full what has no local name that every format can write', () => {
  const { compact, used } = iriCompactor([], prefixes);
  const names = ['', '/evil.example/p', 'a.', 'a%20b', 'é', '-a', 'a@b'].map((name) => `http://x.example/${name}`);
  const kept = [...names, 'http://one.example/p', 'http://other.example/p'];
  expect(kept.filter((iri) => compact(iri) !== undefined)).toEqual([]);
  expect(used()).toEqual([]);
});

test.each([
  '<ex:s> <u:p> "o"',
  '<u:s> <ex:p> "o"',
  '<u:s> <u:p> <ex://o>',
  '<u:s> <u:p> "o"^^<ex:d>',
  '<u:s> <u:p> "o" <ex:g>',
])('a prefix that is the scheme of an IRI in the document is left out: %s', (clash) => {
  const { compact } = iriCompactor(new Parser({ format: 'N-Quads' }).parse(`${clash} .`), prefixes);
  expect(compact('http://x.example/p')).toBeUndefined();
  expect(compact('http://x.example/v#p')).toBe('exv:p');
});

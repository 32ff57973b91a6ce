import type { Quad } from '@rdfjs/types';
import { Parser } from 'n3';
import { expect, test } from 'vitest';
import { groupNodes, nestedAt, PrefixTable } from '../src/graph-nodes.ts';

const P = 'http://x.example/p';

/** Quads of TriG, blank nodes by their labels. */
function quadsOf(trig: string): Quad[] {
  const text = `@prefix : <http://x.example/> . ${trig}`;
  return new Parser({ format: 'trig', blankNodePrefix: '' }).parse(text);
}

function nested(quads: readonly Quad[], embed: readonly string[] = []): string[] {
  const nodes = groupNodes(quads, new Set(embed));
  return quads.filter((candidate) => nestedAt(nodes, candidate)).map(({ object }) => object.value);
}

test.each([
  ['that is referred to once is nested', ':s :p _:a . _:a :p "x" .', ['a']],
  ['that is referred to twice keeps its label', ':s :p _:a . _:a :p "x" . :t :p _:a .', []],
  ['that is a type keeps its label', '_:a :p "x" . :t a _:a .', []],
  ['that names a graph keeps its label', ':s :p _:a . _:a :p "x" . _:a { :t :p :o }', []],
  ['that is described in two graphs keeps its label', ':s :p _:a . _:a :p "x" . :g { _:a :p :o }', []],
  ['that is described in another graph keeps its label', ':s :p _:a . :g { _:a :p "x" }', []],
  ['of which nothing is said has nothing to nest', ':s :p _:a .', []],
])('a blank node %s', (_what, trig, expected) => {
  expect(nested(quadsOf(trig))).toEqual(expected);
});

test('objects of the embed predicates are nested at their first reference', () => {
  const quads = quadsOf(':s :p :m . :t :p :m . :m :q :s .');
  expect(nested(quads)).toEqual([]);
  expect(nested(quads, [P])).toEqual(['http://x.example/m']);
});

test.each([1, 2, 3, 10])('a cycle of %i blank nodes is cut once, so that one of them stands by itself', (size) => {
  const cycle = Array.from({ length: size }, (_, index) => `_:c${index} :p _:c${(index + 1) % size} .`).join(' ');
  expect(nested(quadsOf(cycle))).toHaveLength(size - 1);
  expect(nested(quadsOf(`_:tail :p :o . ${cycle}`))).toHaveLength(size - 1);
});

test('a chain is cut where it would nest deeper than 32', () => {
  const chain = quadsOf(Array.from({ length: 100 }, (_, index) => `_:c${index} :p _:c${index + 1} .`).join(' '));
  const cut = chain.map(({ object }) => object.value).filter((label) => !nested(chain).includes(label));
  // Of c100 nothing is said.
  expect(cut).toEqual(['c33', 'c66', 'c99', 'c100']);
  expect(nested([...chain].reverse())).toHaveLength(chain.length - 4);
});

const table = new PrefixTable({
  ex: 'http://x.example/',
  exv: 'http://x.example/v#',
  urn: 'urn:x:',
  bare: 'http://x.example/v',
  '1x': 'http://one.example/',
});

test('an IRI is shortened by the namespace up to its last delimiter, twice alike', () => {
  for (let time = 0; time < 2; time += 1) {
    expect(table.shorten('http://x.example/v#p')).toEqual({ text: 'exv:p', prefix: 'exv' });
    expect(table.shorten('http://x.example/p')).toEqual({ text: 'ex:p', prefix: 'ex' });
    expect(table.shorten('urn:x:1')).toEqual({ text: 'urn:1', prefix: 'urn', scheme: 'urn' });
  }
});

test('an IRI stays in full without a local name that every format can write, or where its prefix is avoided', () => {
  const names = ['', '/evil.example/p', 'a.', 'a%20b', 'é', '-a', 'a@b'].map((name) => `http://x.example/${name}`);
  for (const iri of [...names, 'http://one.example/p', 'http://other.example/p']) {
    expect(table.shorten(iri)).toEqual({ text: iri });
  }
  expect(table.shorten('http://x.example/p', new Set(['ex'])).text).toBe('http://x.example/p');
  expect(table.shorten('http://x.example/v#p', new Set(['ex'])).text).toBe('exv:p');
});

test('an IRI tells which prefix JSON-LD would take its scheme for', () => {
  expect(table.shorten('ex:s')).toEqual({ text: 'ex:s', scheme: 'ex' });
  expect(table.shorten('urn:x:a:b')).toEqual({ text: 'urn:x:a:b', scheme: 'urn' });
  expect(table.shorten('urn:x:1', new Set(['urn']))).toEqual({ text: 'urn:x:1', scheme: 'urn' });
});

test('what is remembered is bounded, and what was forgotten is shortened alike', () => {
  for (let index = 0; index < 20_000; index += 1) {
    expect(table.shorten(`http://x.example/${index}`).text).toBe(`ex:${index}`);
  }
  expect(table.shorten('http://x.example/0').text).toBe('ex:0');
});

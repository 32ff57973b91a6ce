import { blankNode, literal, namedNode, quad, rdf } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { expect, test } from 'vitest';
import { groupNodes, nestedAt } from '../src/nodes.ts';

const iri = (name: string) => namedNode(`http://x.example/${name}`);
const p = iri('p');

function nested(quads: readonly Quad[], embed: readonly string[] = []): string[] {
  const nodes = groupNodes(quads, new Set(embed));
  return quads.filter((candidate) => nestedAt(nodes, candidate)).map(({ object }) => object.value);
}

test('a blank node that is referred to once is nested', () => {
  expect(nested([quad(iri('s'), p, blankNode('a')), quad(blankNode('a'), p, literal('x'))])).toEqual(['a']);
});

test.each<[why: string, more: Quad]>([
  ['referred to twice', quad(iri('t'), p, blankNode('a'))],
  ['a type', quad(iri('t'), namedNode(rdf.type), blankNode('a'))],
  ['the name of a graph', quad(iri('t'), p, iri('o'), blankNode('a'))],
  ['described in two graphs', quad(blankNode('a'), p, iri('o'), iri('g'))],
])('a blank node that is %s keeps its label', (_why, more) => {
  expect(nested([quad(iri('s'), p, blankNode('a')), quad(blankNode('a'), p, literal('x')), more])).toEqual([]);
});

test('a blank node described in another graph than the reference keeps its label', () => {
  expect(nested([quad(iri('s'), p, blankNode('a')), quad(blankNode('a'), p, literal('x'), iri('g'))])).toEqual([]);
});

test('a blank node of which nothing is said has nothing to nest', () => {
  expect(nested([quad(iri('s'), p, blankNode('a'))])).toEqual([]);
});

test('objects of the embed predicates are nested at their first reference', () => {
  const quads = [quad(iri('s'), p, iri('m')), quad(iri('t'), p, iri('m')), quad(iri('m'), iri('q'), iri('s'))];
  expect(nested(quads)).toEqual([]);
  expect(nested(quads, [p.value])).toEqual(['http://x.example/m']);
});

test.each([1, 2, 3, 10])('a cycle of %i blank nodes is cut once, so that one of them stands by itself', (size) => {
  const cycle = Array.from({ length: size }, (_, index) =>
    quad(blankNode(`c${index}`), p, blankNode(`c${(index + 1) % size}`)),
  );
  expect(nested(cycle)).toHaveLength(size - 1);
  expect(nested([quad(blankNode('tail'), p, iri('o')), ...cycle])).toHaveLength(size - 1);
});

test('a chain is cut where it would nest deeper than 32', () => {
  const chain = Array.from({ length: 100 }, (_, index) => quad(blankNode(`c${index}`), p, blankNode(`c${index + 1}`)));
  const cut = chain.map(({ object }) => object.value).filter((label) => !nested(chain).includes(label));
  // Of c100 nothing is said.
  expect(cut).toEqual(['c33', 'c66', 'c99', 'c100']);
  expect(nested([...chain].reverse())).toHaveLength(chain.length - 4);
});

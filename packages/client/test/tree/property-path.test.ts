import { blankNode, literal, namedNode, quad, rdf } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import { expect, test } from 'vitest';
import { PageIndex } from '../../src/tree/page-index.ts';
import { evaluatePath, MOST_PATH_NODES, type PropertyPath, readPath } from '../../src/tree/property-path.ts';
import { pathTerms } from '../../src/tree/tree-terms.ts';

const iri = (name: string) => namedNode(`http://example.org/${name}`);
const said = (subject: Term, property: string, object: Term) =>
  quad(subject as Quad['subject'], namedNode(property), object as Quad['object']);
const indexOf = (quads: readonly Quad[]) => new PageIndex(quads, 'http://example.org/page');

/** A list of terms at a blank node. */
function list(name: string, items: readonly Term[]): Quad[] {
  return items.flatMap((item, at) => [
    said(blankNode(`${name}${at}`), rdf.first, item),
    said(
      blankNode(`${name}${at}`),
      rdf.rest,
      at + 1 < items.length ? blankNode(`${name}${at + 1}`) : namedNode(rdf.nil),
    ),
  ]);
}

test.each([
  [MOST_PATH_NODES, true],
  [MOST_PATH_NODES + 1, false],
])('READ-6 a path of %i nodes: it is one is %s', (nodes, isPath) => {
  // The list itself is one.
  const steps = Array.from({ length: nodes - 1 }, (_, step) => iri(`p${step}`));
  expect(readPath(blankNode('l0'), indexOf(list('l', steps)))).toEqual(
    isPath ? { kind: 'sequence', paths: steps.map(({ value }) => ({ kind: 'predicate', iri: value })) } : undefined,
  );
});

test.each([
  [MOST_PATH_NODES, true],
  [MOST_PATH_NODES + 1, false],
])('READ-6 a path of %i operators in each other: it is one is %s', (nodes, isPath) => {
  const node = (at: number) => (at + 1 < nodes ? blankNode(`n${at}`) : iri('p'));
  const quads = Array.from({ length: nodes - 1 }, (_, at) => said(node(at), pathTerms.inversePath, node(at + 1)));
  expect(readPath(node(0), indexOf(quads)) !== undefined).toBe(isPath);
});

test.each([
  ['lists that hold themselves', list('a', [blankNode('a0'), blankNode('a0')])],
  ['a list without end', [...list('a', [iri('p')]), said(blankNode('a0'), rdf.rest, blankNode('a0'))].toReversed()],
  [
    'alternatives of themselves',
    [
      said(blankNode('a0'), pathTerms.alternativePath, blankNode('b0')),
      ...list('b', [blankNode('a0'), blankNode('a0')]),
    ],
  ],
  [
    'lists that hold the next twice',
    Array.from({ length: 60 }, (_, at) => at).flatMap((at) =>
      list(String.fromCharCode(97, 97 + (at >> 4), 97 + (at & 15)), [next(at), next(at)]),
    ),
  ],
])('READ-6 %s are no path, and are found out at once', (name, quads) => {
  const start = name.includes('the next') ? blankNode('aaa0') : blankNode('a0');
  expect(readPath(start, indexOf(quads))).toBeUndefined();
});

function next(at: number): Term {
  return blankNode(`${String.fromCharCode(97, 97 + ((at + 1) >> 4), 97 + ((at + 1) & 15))}0`);
}

const repeated = (path: PropertyPath): PropertyPath => ({ kind: 'repeated', path, least: 0, isOnce: false });
const step: PropertyPath = { kind: 'predicate', iri: iri('p').value };

test('a repetition reaches everything in a row, and in a circle', () => {
  const node = (at: number) => iri(`n${at % 5000}`);
  const quads = Array.from({ length: 5000 }, (_, at) => said(node(at), iri('p').value, node(at + 1)));
  expect(evaluatePath(repeated(step), [node(0)], indexOf(quads))).toHaveLength(5000);
});

test('READ-36 repetitions in repetitions that lead on and on are refused', () => {
  const steps = ['p', 'q'].map((name): PropertyPath => ({ kind: 'predicate', iri: iri(name).value }));
  // Each goes through what is in it again for whatever it reaches.
  const path = Array.from({ length: 30 }).reduce<PropertyPath>(
    (inner) => repeated({ kind: 'alternative', paths: [inner, ...steps] }),
    step,
  );
  const nodes = Array.from({ length: 30 }, (_, at) => iri(`n${at}`));
  const quads = nodes.flatMap((node) =>
    nodes.flatMap((other) => ['p', 'q'].map((name) => said(node, iri(name).value, other))),
  );
  expect(() => evaluatePath(path, [nodes[0] as Term], indexOf(quads))).toThrow(
    expect.objectContaining({ code: 'ERR_TREE_PAGE_TANGLED' }),
  );
});

test('a literal leads nowhere', () => {
  expect(evaluatePath(step, [literal('n0')], indexOf([]))).toEqual([]);
  expect(readPath(literal('n0'), indexOf([]))).toBeUndefined();
});

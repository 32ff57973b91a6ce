import { blankNode, literal, namedNode, quad } from '@ldes-live/rdf-stream';
import type { Quad_Object } from '@rdfjs/types';
import { expect, test } from 'vitest';
import { type BlankNodeScope, dataScope, sourceScopes } from '../../src/views/blank-node-scope.ts';
import { quadKey } from '../../src/views/quad-key.ts';

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

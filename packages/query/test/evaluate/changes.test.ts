import { literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { pendingChanges } from '../../src/evaluate/pending-changes.ts';
import { turnstile } from '../../src/evaluate/turnstile.ts';

const said = (value: string) => quad(namedNode('urn:s'), namedNode('urn:p'), literal(value));

test('QUERY-103 what came and went again, or went and came again, did neither', () => {
  const pending = pendingChanges();
  pending.clear();
  pending.add(said('a'));
  pending.remove(said('b'));
  expect(pending.quads?.map(({ object }) => object.value)).toEqual(['a', 'b']);
  pending.remove(said('a'));
  expect(pending.isEmpty).toBe(false);
  pending.add(said('b'));
  expect(pending.isEmpty).toBe(true);
  pending.add(said('b'));
  pending.remove(said('b'));
  pending.add(said('b'));
  expect(pending.quads).toHaveLength(1);
});

test('QUERY-103 more changes than are told apart are any', () => {
  const pending = pendingChanges(2);
  pending.clear();
  for (const value of ['a', 'b']) pending.add(said(value));
  expect(pending.quads).toHaveLength(2);
  pending.add(said('c'));
  expect([pending.isEmpty, pending.quads]).toEqual([false, undefined]);
  pending.remove(said('c'));
  expect(pending.isEmpty).toBe(false);
  pending.clear();
  expect(pending.isEmpty).toBe(true);
});

test('QUERY-102 work goes through one after the other, also after work that failed', async () => {
  const turn = turnstile();
  const steps: string[] = [];
  const work = (name: string) => async () => {
    steps.push(`${name} begins`);
    await new Promise(setImmediate);
    if (name === 'b') throw new Error(name);
    steps.push(`${name} ends`);
    return name;
  };
  const results = await Promise.allSettled(['a', 'b', 'c'].map((name) => turn(work(name))));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'c begins', 'c ends']);
});

import { literal, namedNode, quad } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import { expect, test } from 'vitest';
import type { EngineStore } from '../../src/engines/engine.ts';
import { turnstile } from '../../src/evaluate/evaluator.ts';
import { affectedRoots, rootNeighbourhood } from '../../src/evaluate/local-answers.ts';
import { termKey } from '../../src/evaluate/term-key.ts';
import type { LocalPattern, LocalPlan } from '../../src/prepare/prepared-query.ts';
import { pendingChanges } from '../../src/views/quads.ts';

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

/** A quad of short names; an object that begins with `"` is a literal, a name of a graph is optional. */
function q(text: string): Quad {
  const [s, p, o, g] = text.split(' ').map((name) => (name.startsWith('"') ? literal(name.slice(1)) : namedNode(name)));
  return quad(s as never, p as never, o as never, g as never);
}

/** A plan of patterns such as `r next x` (leads to ?x where another pattern begins there) or `r name *`. */
function plan(...patterns: readonly string[]): LocalPlan {
  const subjects = new Set(patterns.map((text) => text.split(' ')[0]));
  return {
    query: { text: '' },
    root: 'r',
    isDistinct: false,
    patterns: patterns.map((text): LocalPattern => {
      const [subject, predicate, object] = text.split(' ') as [string, string, string];
      return {
        subject,
        ...(predicate === '*' ? {} : { predicate }),
        ...(subjects.has(object) ? { leadsTo: object } : {}),
        fits: (fitted) => predicate === '*' || fitted.predicate.value === predicate,
      };
    }),
  };
}

/** The part of a store that is only looked into. */
function storeOf(quads: readonly Quad[]): EngineStore {
  const fits = (asked: Term | undefined, term: Term) => asked === undefined || asked.equals(term);
  const match: EngineStore['match'] = (s, p, o, g) =>
    quads.filter(
      (said) => fits(s, said.subject) && fits(p, said.predicate) && fits(o, said.object) && fits(g, said.graph),
    );
  return { size: quads.length, match } as Partial<EngineStore> as EngineStore;
}

const chain = plan('r type *', 'r next x', 'x next y', 'y name *');
const found = (used: typeof chain, quads: readonly string[], changed: readonly string[], limit = 100) => {
  const roots = affectedRoots(used, storeOf(quads.map(q)), changed.map(q), limit);
  return roots && [...roots.values()].map(({ value }) => value).sort();
};

test('QUERY-101 quads of named graphs affect nothing and lead nowhere', () => {
  expect(found(chain, [], ['a type T g'])).toEqual([]);
  expect(found(plan('r next x', 'x name *'), ['a next b g', 'c next b'], ['b name "n'])).toEqual(['c']);
});

test('QUERY-101 more nodes than are looked at are none, just above the limit and not at it', () => {
  const quads = Array.from({ length: 9 }, (_, n) => `a${n} next b`);
  const hub = plan('r next x', 'x name *');
  expect(found(hub, quads, ['b name "n'], 10)).toHaveLength(9);
  expect(found(hub, quads, ['b name "n'], 9)).toBeUndefined();
  const many = Array.from({ length: 10 }, (_, n) => `a${n} next b`);
  expect(found(hub, [], many, 10)).toHaveLength(10);
  expect(found(hub, [], many, 9)).toBeUndefined();
});

test('QUERY-101 a neighbourhood of more quads than may be is none, just above the limit and not at it', () => {
  const root = namedNode('a');
  const near = storeOf(['a type T', 'a next b', 'b next d'].map(q));
  const within = (limit: number) => rootNeighbourhood(chain, near, new Map([[termKey(root), root]]), limit);
  expect(within(3)).toHaveLength(3);
  expect(within(2)).toBeUndefined();
});

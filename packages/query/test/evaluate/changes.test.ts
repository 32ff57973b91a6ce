import { literal, namedNode, quad } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import { expect, test } from 'vitest';
import type { EngineStore } from '../../src/engines/engine.ts';
import { affectedRoots, rootNeighbourhood } from '../../src/evaluate/local-answers.ts';
import type { LocalPattern, LocalPlan } from '../../src/prepare/local-plan.ts';
import { termKey } from '../../src/views/quads.ts';

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

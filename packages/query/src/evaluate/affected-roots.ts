import { namedNode } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import type { EngineStore } from '../engines/engine.ts';
import type { LocalPattern, LocalPlan } from '../prepared-query.ts';
import { defaultGraph } from './default-graph.ts';
import { termKey } from './term-key.ts';

/** The subjects that a plan's solutions belong to, by their keys. */
export type Roots = ReadonlyMap<string, Term>;

/**
 * The subjects whose solutions can follow from quads that came or went: those that a changed quad is said of, and those
 * that the patterns lead from to it.
 *
 * The way is looked for in the store after the change. That is enough: of the changed quads on the way from a root, the
 * first one is reached by quads that were there before and after.
 *
 * @param limitNodes - how many nodes are looked at
 * @returns `undefined` where there are more
 * @see specs/query.md QUERY-101
 */
export function affectedRoots(
  plan: LocalPlan,
  store: EngineStore,
  changed: readonly Quad[],
  limitNodes: number,
): Roots | undefined {
  const leadingTo = (variable: string) => plan.patterns.filter(({ leadsTo }) => leadsTo === variable);
  const seen = new Map<string, Map<string, Term>>();
  const waiting: { readonly variable: string; readonly node: Term }[] = [];
  let nodes = 0;
  const visit = ({ subject: variable }: LocalPattern, node: Term) => {
    const known = seen.get(variable) ?? new Map<string, Term>();
    seen.set(variable, known);
    const key = termKey(node);
    if (known.has(key)) return;
    known.set(key, node);
    nodes += 1;
    if (variable !== plan.root) waiting.push({ variable, node });
  };
  for (const quad of changed) {
    if (quad.graph.termType !== 'DefaultGraph') continue;
    for (const pattern of plan.patterns) if (pattern.fits(quad)) visit(pattern, quad.subject);
    if (nodes > limitNodes) return undefined;
  }
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const pattern of leadingTo(next.variable)) {
      for (const quad of quadsTo(store, pattern, next.node)) {
        if (pattern.fits(quad)) visit(pattern, quad.subject);
        if (nodes > limitNodes) return undefined;
      }
    }
  }
  return seen.get(plan.root) ?? new Map();
}

function quadsTo(store: EngineStore, { predicate }: LocalPattern, node: Term): Iterable<Quad> {
  return store.match(undefined, predicate === undefined ? undefined : namedNode(predicate), node, defaultGraph);
}

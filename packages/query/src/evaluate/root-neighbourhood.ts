import type { Quad, Term } from '@rdfjs/types';
import type { EngineStore } from '../engines/engine.ts';
import type { LocalPlan } from '../prepared-query.ts';
import type { Roots } from './affected-roots.ts';
import { defaultGraph } from './default-graph.ts';
import { termKey } from './term-key.ts';

/**
 * All quads that the solutions of these roots can follow from: what is said of them and of what the patterns lead to from
 * there. A quad may come twice.
 *
 * @param limitQuads - how many there may be
 * @returns `undefined` where there are more
 * @see specs/query.md QUERY-101
 */
export function rootNeighbourhood(
  plan: LocalPlan,
  store: EngineStore,
  roots: Roots,
  limitQuads: number,
): readonly Quad[] | undefined {
  const quads: Quad[] = [];
  const seen = new Set<string>();
  const waiting: { readonly variable: string; readonly node: Term }[] = [];
  const visit = (variable: string, node: Term) => {
    const key = `${variable} ${termKey(node)}`;
    if (node.termType === 'Literal' || seen.has(key)) return;
    seen.add(key);
    waiting.push({ variable, node });
  };
  for (const root of roots.values()) visit(plan.root, root);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { variable, node } = next;
    const patterns = plan.patterns.filter(({ subject }) => subject === variable);
    for (const quad of store.match(node, undefined, undefined, defaultGraph)) {
      const fitting = patterns.filter((pattern) => pattern.fits(quad));
      if (fitting.length > 0) quads.push(quad);
      if (quads.length > limitQuads) return undefined;
      for (const { leadsTo } of fitting) if (leadsTo !== undefined) visit(leadsTo, quad.object);
    }
  }
  return quads;
}

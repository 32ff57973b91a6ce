/* From changed quads to changed rows, for a query whose solutions have a root (prepare/local-plan.ts).
 *
 * changed quads --walk back to ?v--> affected roots --walk forth--> neighbourhood --> small store --> engine --> rows of those roots
 * What is held of them is in rows.ts, by root:   { "<urn:v1": [ { "key": "7 \" 31", "row": { "speed": "31" } } ] }
 * Past the bounds (2,000 nodes, a quarter of the store) the whole is asked again, which is no slower then.
 */

import { isStreamError, namedNode } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import type { EngineStore, EvaluationLimits } from '../engines/engine.ts';
import type { LocalPlan } from '../prepare/local-plan.ts';
import { defaultGraph, termKey } from '../views/quads.ts';
import type { AnswerFinder, FinderOptions } from './answers.ts';
import { HeldRows, type KeyedRow, rowKey } from './rows.ts';

export interface LocalBounds {
  /** Nodes to search for the affected roots. */
  readonly limitNodes: number;
  /** Quads that their solutions can follow from, given how many there are in the store. */
  limitQuads(size: number): number;
  /** Changed quads to remember; where there are more, anything may have changed. */
  readonly limitChanges: number;
}

export const defaultLocalBounds: LocalBounds = {
  limitNodes: 2_000,
  limitQuads: (size) => Math.max(1_000, size / 4),
  limitChanges: 100_000,
};

/**
 * Finds the solutions of the affected roots again, in a small store that holds all they can follow from; those of other roots
 * stay.
 *
 * @param variables - those of a solution; the root need not be among them
 * @see specs/query.md QUERY-101
 */
export function localRows(
  { engine, store, bounds, limits: { limitQuads } }: FinderOptions,
  plan: LocalPlan,
  variables: readonly string[],
): AnswerFinder {
  const held = new HeldRows(plan.isDistinct);

  /** Solutions by the keys of their roots. */
  const ask = async (from: EngineStore, limits: EvaluationLimits): Promise<Map<string, readonly KeyedRow[]>> => {
    // Those of all roots may be more than those of the answer, where equal ones count once.
    const limitRows = Math.max(limits.limitRows, limitQuads);
    const limitsOfAll = plan.isDistinct ? { ...limits, limitRows, limitAnswerBytes: undefined } : limits;
    const groups = new Map<string, KeyedRow[]>();
    const isShown = variables.includes(plan.root);
    for (const row of await from.select(plan.query, limitsOfAll)) {
      const { [plan.root]: root, ...others } = row;
      if (root === undefined) throw new TypeError(`A solution has no ?${plan.root}, the variable that it belongs to`);
      const keyed = { key: rowKey(row, variables), row: isShown ? row : others };
      const group = groups.get(termKey(root));
      if (group) group.push(keyed);
      else groups.set(termKey(root), [keyed]);
    }
    return groups;
  };

  const askWhole = async (limits: EvaluationLimits) => {
    const found = await ask(store, limits);
    for (const root of held.roots()) if (!found.has(root)) found.set(root, []);
    return found;
  };

  /** `undefined` past the bounds. */
  const askNear = async (changed: readonly Quad[] | undefined, limits: EvaluationLimits) => {
    const roots = changed && affectedRoots(plan, store, changed, bounds.limitNodes);
    const quads = roots && rootNeighbourhood(plan, store, roots, bounds.limitQuads(store.size));
    if (!roots || !quads) return undefined;
    if (roots.length === 0) return new Map<string, readonly KeyedRow[]>();
    const near = await engine.open();
    try {
      for (const quad of quads) near.add(quad);
      const found = await ask(near, limits);
      return new Map(roots.map(termKey).map((root) => [root, found.get(root) ?? []]));
    } catch (error) {
      // Nodes on the way can have solutions here that they do not have in the whole, and that do not count.
      if (isStreamError(error, 'ERR_ANSWER_TOO_LARGE')) return undefined;
      throw error;
    } finally {
      near.close();
    }
  };

  return {
    find: async (changed, limits) => {
      const near = await askNear(changed, limits);
      const exchanged = held.exchange(near ?? (await askWhole(limits)), limits);
      return { strategy: near ? 'local' : 'full', ...exchanged, isReordered: false };
    },
    answer: () => held.rows(),
  };
}

/** Nodes by the variables that they stand for, each once. The iteration includes those that are added meanwhile. */
class Nodes {
  readonly #nodes = new Map<string, { readonly variable: string; readonly node: Term }>();

  get size(): number {
    return this.#nodes.size;
  }

  add(variable: string, node: Term): void {
    this.#nodes.set(`${variable} ${termKey(node)}`, { variable, node });
  }

  [Symbol.iterator]() {
    return this.#nodes.values();
  }
}

/**
 * The roots whose solutions can follow from quads that came or went: the subjects of these, and those from which the patterns
 * lead to them.
 *
 * The way back is searched in the store after the change. That is enough: of the changed quads on the way from a root, the
 * first one is reached by quads that were there before and after.
 *
 * @returns `undefined` where more than `limitNodes` would be searched
 * @see specs/query.md QUERY-101
 */
function affectedRoots(
  { root, patterns }: LocalPlan,
  store: EngineStore,
  changed: readonly Quad[],
  limitNodes: number,
): Term[] | undefined {
  const nodes = new Nodes();
  for (const quad of changed) {
    for (const pattern of patterns) if (pattern.fits(quad)) nodes.add(pattern.subject, quad.subject);
    if (nodes.size > limitNodes) return undefined;
  }
  const roots: Term[] = [];
  for (const { variable, node } of nodes) {
    if (variable === root) {
      roots.push(node);
      continue;
    }
    for (const { subject, predicate, leadsTo } of patterns) {
      if (leadsTo !== variable) continue;
      const by = predicate === undefined ? undefined : namedNode(predicate);
      for (const quad of store.match(undefined, by, node, defaultGraph)) {
        nodes.add(subject, quad.subject);
        if (nodes.size > limitNodes) return undefined;
      }
    }
  }
  return roots;
}

/**
 * All quads that the solutions of these roots can follow from: those of the roots, and of the nodes to which the patterns lead
 * from there. A quad may come twice.
 *
 * @returns `undefined` where there are more than `limitQuads`
 * @see specs/query.md QUERY-101
 */
function rootNeighbourhood(
  plan: LocalPlan,
  store: EngineStore,
  roots: readonly Term[],
  limitQuads: number,
): readonly Quad[] | undefined {
  const quads: Quad[] = [];
  const nodes = new Nodes();
  for (const root of roots) nodes.add(plan.root, root);
  for (const { variable, node } of nodes) {
    const patterns = plan.patterns.filter(({ subject }) => subject === variable);
    for (const quad of store.match(node, undefined, undefined, defaultGraph)) {
      const fitting = patterns.filter((pattern) => pattern.fits(quad));
      if (fitting.length > 0) quads.push(quad);
      if (quads.length > limitQuads) return undefined;
      if (quad.object.termType === 'Literal') continue;
      for (const { leadsTo } of fitting) if (leadsTo !== undefined) nodes.add(leadsTo, quad.object);
    }
  }
  return quads;
}

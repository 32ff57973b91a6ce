/* From changed quads to changed rows, for a query whose solutions have a root (prepare/local-plan.ts).
 *
 * changed quads --walk back to ?v--> affected roots --walk forth--> neighbourhood --> small store --> engine --> rows of those roots
 * The rows held are by root, with how often each counts: `exchange` tells the difference, `keep` makes it so.
 *   { "<urn:v1": [ { "key": "7 \" 31", "row": { "speed": "31" } } ] }
 * Past the bounds (2,000 nodes, a quarter of the store) the whole is asked again, which is no slower then.
 */

import { isStreamError, namedNode } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import type { EngineStore, EvaluationLimits, QueryEngine } from '../engines/engine.ts';
import { errors } from '../errors.ts';
import type { LocalPattern, LocalPlan } from '../prepare/local-plan.ts';
import type { Row } from '../result.ts';
import { defaultGraph, termKey } from '../views/quads.ts';
import type { RowFinder } from './answers.ts';
import { type KeyedRow, type RowBag, type RowChange, rowKey, rowsOfBag } from './rows.ts';

/** Up to where solutions are found from what changed; beyond, the whole is asked again, which is no slower then. */
export interface LocalBounds {
  /** Nodes that are looked at to find the affected roots. */
  readonly limitNodes: number;
  /** Quads that their solutions can follow from, given how many there are in the store. */
  limitQuads(size: number): number;
  /** Changed quads that are told apart; where there are more, anything may have changed. */
  readonly limitChanges: number;
}

/** The bounds that hold where none are given. */
export const defaultLocalBounds: LocalBounds = {
  limitNodes: 2_000,
  limitQuads: (size) => Math.max(1_000, size / 4),
  limitChanges: 100_000,
};

interface LocalRowsOptions {
  readonly engine: QueryEngine;
  readonly store: EngineStore;
  readonly plan: LocalPlan;
  /** The variables of a solution; the root need not be among them. */
  readonly variables: readonly string[];
  readonly bounds: LocalBounds;
  /** Solutions of all roots that may be held: more than those of the answer, where equal ones count once. */
  readonly limitHeldRows: number;
}

/**
 * Finds solutions from what changed: those of the affected roots are found again in a small store that holds all they can
 * follow from; those of other roots stay.
 *
 * @see specs/query.md QUERY-101
 */
export function localRows(options: LocalRowsOptions): RowFinder {
  const { engine, store, plan, variables, bounds } = options;
  const held = new RootedRows(plan.isDistinct);
  let size = 0;

  const ask = async (from: EngineStore, limits: EvaluationLimits) => {
    const limitRows = plan.isDistinct ? Math.max(limits.limitRows, options.limitHeldRows) : limits.limitRows;
    return groupByRoot(await from.select(plan.query, { ...limits, limitRows }), plan.root, variables);
  };

  const askWhole = async (limits: EvaluationLimits): Promise<RowsByRoot> => {
    const found = await ask(store, limits);
    for (const root of held.roots()) if (!found.has(root)) found.set(root, []);
    return found;
  };

  const askNear = async (
    changed: readonly Quad[] | undefined,
    limits: EvaluationLimits,
  ): Promise<RowsByRoot | undefined> => {
    const roots = changed && affectedRoots(plan, store, changed, bounds.limitNodes);
    const quads = roots && rootNeighbourhood(plan, store, roots, bounds.limitQuads(store.size));
    if (!roots || !quads) return undefined;
    if (roots.size === 0) return new Map();
    const near = await engine.open();
    try {
      for (const quad of quads) near.add(quad);
      const found = await ask(near, limits);
      return new Map([...roots.keys()].map((root) => [root, found.get(root) ?? []]));
    } catch (error) {
      // What is only passed through can have solutions here that it does not have in the whole: those do not count.
      if (isStreamError(error, 'ERR_ANSWER_TOO_LARGE')) return undefined;
      throw error;
    } finally {
      near.close();
    }
  };

  return {
    find: async (changed, limits) => {
      const near = await askNear(changed, limits);
      const { changes, keep } = held.exchange(near ?? (await askWhole(limits)));
      const sizeAfter = changes.reduce((sum, { before, after }) => sum + after - before, size);
      if (sizeAfter > limits.limitRows) throw errors.ERR_ANSWER_TOO_LARGE({ limitRows: limits.limitRows });
      return {
        strategy: near ? 'local' : 'full',
        changes,
        isReordered: false,
        keep: () => {
          keep();
          size = sizeAfter;
        },
      };
    },
    rows: () => held.rows(),
  };
}

/** The subjects that a plan's solutions belong to, by their keys. */
type Roots = ReadonlyMap<string, Term>;

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
function affectedRoots(
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

/**
 * All quads that the solutions of these roots can follow from: what is said of them and of what the patterns lead to from
 * there. A quad may come twice.
 *
 * @param limitQuads - how many there may be
 * @returns `undefined` where there are more
 * @see specs/query.md QUERY-101
 */
function rootNeighbourhood(
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

/** Solutions by the key of the root that they belong to. */
type RowsByRoot = ReadonlyMap<string, readonly KeyedRow[]>;

/** Solutions by their roots; the root's variable is taken out of them unless it is one of `variables`. */
function groupByRoot(
  rows: readonly Row[],
  root: string,
  variables: readonly string[],
): Map<string, readonly KeyedRow[]> {
  const groups = new Map<string, KeyedRow[]>();
  const isShown = variables.includes(root);
  for (const row of rows) {
    const { [root]: term, ...others } = row;
    if (term === undefined) throw new TypeError(`A solution has no ?${root}, which it was to belong to`);
    const key = termKey(term);
    const group = groups.get(key);
    const keyed = { key: rowKey(row, variables), row: isShown ? row : others };
    if (group) group.push(keyed);
    else groups.set(key, [keyed]);
  }
  return groups;
}

/** Solutions, each of a root, of which those of some roots are exchanged at a time. */
class RootedRows {
  readonly #byRoot = new Map<string, readonly KeyedRow[]>();
  readonly #bag: RowBag = new Map();
  readonly #isDistinct: boolean;

  /** @param isDistinct - whether equal solutions of different roots count once */
  constructor(isDistinct: boolean) {
    this.#isDistinct = isDistinct;
  }

  /** Keys of the roots that have solutions. */
  roots(): Iterable<string> {
    return this.#byRoot.keys();
  }

  /** What exchanging the solutions of these roots comes to; it is done by `keep`. */
  exchange(found: RowsByRoot): { readonly changes: readonly RowChange[]; keep(): void } {
    const seen = (count: number) => (this.#isDistinct ? Math.min(count, 1) : count);
    const counts = this.#differences(found);
    return {
      changes: counts
        .map((count) => ({ ...count, before: seen(count.before), after: seen(count.after) }))
        .filter(({ before, after }) => before !== after),
      keep: () => {
        for (const { key, row, after } of counts) {
          if (after === 0) this.#bag.delete(key);
          else this.#bag.set(key, { row, count: after });
        }
        for (const [root, rows] of found) {
          if (rows.length === 0) this.#byRoot.delete(root);
          else this.#byRoot.set(root, rows);
        }
      },
    };
  }

  /** Every solution as often as it counts. */
  rows(): Row[] {
    return this.#isDistinct ? [...this.#bag.values()].map(({ row }) => row) : rowsOfBag(this.#bag);
  }

  #differences(found: RowsByRoot): RowChange[] {
    const changed = new Map<string, { readonly row: Row; by: number }>();
    const note = ({ key, row }: KeyedRow, by: number) => {
      const known = changed.get(key);
      if (known) known.by += by;
      else changed.set(key, { row, by });
    };
    for (const [root, rows] of found) {
      for (const gone of this.#byRoot.get(root) ?? []) note(gone, -1);
      for (const come of rows) note(come, 1);
    }
    return [...changed].map(([key, { row, by }]) => {
      const known = this.#bag.get(key);
      const before = known?.count ?? 0;
      return { key, row: known?.row ?? row, before, after: before + by };
    });
  }
}

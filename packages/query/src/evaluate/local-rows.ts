import { isStreamError } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import type { EngineStore, EvaluationLimits, QueryEngine } from '../engines/engine.ts';
import { errors } from '../errors.ts';
import type { LocalPlan } from '../prepared-query.ts';
import { affectedRoots, type Roots } from './affected-roots.ts';
import type { FoundRows, RowFinder } from './answer-finder.ts';
import type { LocalBounds } from './local-bounds.ts';
import { rootNeighbourhood } from './root-neighbourhood.ts';
import { groupByRoot, type RowsByRoot, rootedRows } from './rooted-rows.ts';

/** What to find from what changed, and where. */
export interface LocalRowsOptions {
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
  const held = rootedRows(plan.isDistinct);
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
    roots: Roots,
    quads: readonly Quad[],
    limits: EvaluationLimits,
  ): Promise<RowsByRoot | undefined> => {
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

  const findNear = async (
    changed: readonly Quad[] | undefined,
    limits: EvaluationLimits,
  ): Promise<RowsByRoot | undefined> => {
    const roots = changed && affectedRoots(plan, store, changed, bounds.limitNodes);
    if (roots === undefined) return undefined;
    if (roots.size === 0) return new Map();
    const quads = rootNeighbourhood(plan, store, roots, bounds.limitQuads(store.size));
    return quads && askNear(roots, quads, limits);
  };

  return {
    find: async (changed, limits): Promise<FoundRows> => {
      const near = await findNear(changed, limits);
      const found = near ?? (await askWhole(limits));
      const { changes, keep } = held.exchange(found);
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

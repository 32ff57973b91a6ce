import type { EngineQuery, EngineStore } from '../engines/engine.ts';
import type { Row } from '../live-result.ts';
import type { RowFinder } from './answer-finder.ts';
import { countRows, type KeyedRow, keyRows, type RowBag, rowChanges } from './row-bag.ts';

/** What to ask again, and of what. */
export interface FullRowsOptions {
  readonly store: EngineStore;
  /** A SELECT query. */
  readonly query: EngineQuery;
  readonly variables: readonly string[];
  /** Whether the order of the solutions counts. */
  readonly isOrdered: boolean;
}

/** Finds solutions by asking the query again. */
export function fullRows({ store, query, variables, isOrdered }: FullRowsOptions): RowFinder {
  let kept: readonly Row[] = [];
  let keptBag: RowBag = new Map();
  let keptOrder: readonly string[] = [];
  return {
    find: async (_changed, limits) => {
      const keyed = keyRows(await store.select(query, limits), variables);
      const bag = countRows(keyed);
      const order = isOrdered ? keyed.map(({ key }) => key) : [];
      return {
        strategy: 'full',
        changes: rowChanges(keptBag, bag),
        isReordered: order.some((key, index) => key !== keptOrder[index]),
        keep: () => {
          kept = keyed.map(({ row }: KeyedRow) => row);
          keptBag = bag;
          keptOrder = order;
        },
      };
    },
    rows: () => kept,
  };
}

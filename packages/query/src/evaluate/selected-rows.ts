import type { AnswerFinder, RowFinder } from './answer-finder.ts';
import { rowsOfChanges } from './row-bag.ts';

/** Finds the answer of a SELECT query: its solutions themselves. */
export function selectedRows(rows: RowFinder): AnswerFinder {
  return {
    find: async (changed, limits) => {
      const { changes, isReordered, strategy, keep } = await rows.find(changed, limits);
      return { strategy, keep, ...rowsOfChanges(changes), isChanged: changes.length > 0 || isReordered };
    },
    answer: () => rows.rows(),
  };
}

import type { Row } from '../live-result.ts';
import { type KeyedRow, type RowBag, type RowChange, rowsOfBag } from './row-bag.ts';
import { rowKey } from './row-key.ts';
import { termKey } from './term-key.ts';

/** Solutions by the key of the root that they belong to. */
export type RowsByRoot = ReadonlyMap<string, readonly KeyedRow[]>;

/** Solutions, each of a root, of which those of some roots are exchanged at a time. */
export interface RootedRows {
  /** Keys of the roots that have solutions. */
  roots(): Iterable<string>;
  /** What exchanging the solutions of these roots comes to; it is done by `keep`. */
  exchange(found: RowsByRoot): { readonly changes: readonly RowChange[]; keep(): void };
  /** Every solution as often as it counts. */
  rows(): Row[];
}

/**
 * Solutions that come with their root, by roots.
 *
 * @param root - name of the root's variable; it is taken out of solutions unless it is one of `variables`
 */
export function groupByRoot(
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

/**
 * Holds solutions by roots.
 *
 * @param isDistinct - whether equal solutions of different roots count once
 */
export function rootedRows(isDistinct: boolean): RootedRows {
  const byRoot = new Map<string, readonly KeyedRow[]>();
  const bag: RowBag = new Map();
  const seen = (count: number) => (isDistinct ? Math.min(count, 1) : count);

  const differences = (found: RowsByRoot) => {
    const changed = new Map<string, { readonly row: Row; by: number }>();
    const note = ({ key, row }: KeyedRow, by: number) => {
      const known = changed.get(key);
      if (known) known.by += by;
      else changed.set(key, { row, by });
    };
    for (const [root, rows] of found) {
      for (const gone of byRoot.get(root) ?? []) note(gone, -1);
      for (const come of rows) note(come, 1);
    }
    return changed;
  };

  return {
    roots: () => byRoot.keys(),
    exchange: (found) => {
      const counts = [...differences(found)].map(([key, { row, by }]) => {
        const known = bag.get(key);
        const before = known?.count ?? 0;
        return { key, row: known?.row ?? row, before, after: before + by };
      });
      return {
        changes: counts
          .map((count) => ({ ...count, before: seen(count.before), after: seen(count.after) }))
          .filter(({ before, after }) => before !== after),
        keep: () => {
          for (const { key, row, after } of counts) {
            if (after === 0) bag.delete(key);
            else bag.set(key, { row, count: after });
          }
          for (const [root, rows] of found) {
            if (rows.length === 0) byRoot.delete(root);
            else byRoot.set(root, rows);
          }
        },
      };
    },
    rows: () => (isDistinct ? [...bag.values()].map(({ row }) => row) : rowsOfBag(bag)),
  };
}

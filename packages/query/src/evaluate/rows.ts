/* Solutions as they are compared and held: by a key that equal ones share, and by the root that they belong to.
 *
 * found rows -> exchange() -> what is there more or less often than before -> keep() makes it so
 *   { "key": "7 \" 31", "row": { "speed": "31" }, "before": 0, "after": 1 }
 */

import type { Row } from '../result.ts';
import { termKey } from '../views/quads.ts';

/** A solution under its key. */
export interface KeyedRow {
  readonly key: string;
  readonly row: Row;
}

/** A solution that the answer holds more or less often than before. */
export interface RowChange extends KeyedRow {
  readonly before: number;
  readonly after: number;
}

/**
 * A text of a solution that equal solutions share and no others.
 *
 * @param variables - names of the variables that count, always in the same order
 * @see specs/query.md QUERY-100
 */
export function rowKey(row: Row, variables: readonly string[]): string {
  let key = '';
  for (const variable of variables) {
    const term = row[variable];
    const part = term && termKey(term);
    key += part === undefined ? '!' : `${part.length} ${part}`;
  }
  return key;
}

/** Solutions, each of a root, of which those of some roots are exchanged at a time. */
export class HeldRows {
  readonly #byRoot = new Map<string, readonly KeyedRow[]>();
  /** How often each is there, by its key: 1 or more. */
  readonly #counts = new Map<string, number>();
  readonly #isDistinct: boolean;

  /** @param isDistinct - whether equal solutions of different roots count once */
  constructor(isDistinct: boolean) {
    this.#isDistinct = isDistinct;
  }

  /** Keys of the roots that have solutions. */
  roots(): Iterable<string> {
    return this.#byRoot.keys();
  }

  /** The solutions of a root, in the order in which they were found. */
  ofRoot(root: string): readonly KeyedRow[] {
    return this.#byRoot.get(root) ?? [];
  }

  /** What exchanging the solutions of these roots comes to; it is done by `keep`. */
  exchange(found: ReadonlyMap<string, readonly KeyedRow[]>): {
    readonly changes: readonly RowChange[];
    keep(): void;
  } {
    const counts = this.#differences(found);
    const seen = (count: number) => (this.#isDistinct ? Math.min(count, 1) : count);
    return {
      changes: counts
        .map((count) => ({ ...count, before: seen(count.before), after: seen(count.after) }))
        .filter(({ before, after }) => before !== after),
      keep: () => {
        for (const { key, after } of counts) {
          if (after === 0) this.#counts.delete(key);
          else this.#counts.set(key, after);
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
    const held = [...this.#byRoot.values()].flat();
    const counted = this.#isDistinct ? new Map(held.map((each) => [each.key, each])).values() : held;
    return Array.from(counted, ({ row }) => row);
  }

  #differences(found: ReadonlyMap<string, readonly KeyedRow[]>): RowChange[] {
    const changed = new Map<string, { readonly row: Row; by: number }>();
    const note = ({ key, row }: KeyedRow, by: number) => {
      const known = changed.get(key);
      if (known) known.by += by;
      else changed.set(key, { row, by });
    };
    for (const [root, rows] of found) {
      for (const gone of this.ofRoot(root)) note(gone, -1);
      for (const come of rows) note(come, 1);
    }
    const differences: RowChange[] = [];
    for (const [key, { row, by }] of changed) {
      const before = this.#counts.get(key) ?? 0;
      if (by !== 0) differences.push({ key, row, before, after: before + by });
    }
    return differences;
  }
}

/** Solutions that came, each as often as it came, and those that went. */
export function rowsOfChanges(changes: readonly RowChange[]): { added: Row[]; removed: Row[] } {
  const times = ({ row }: RowChange, count: number) => Array<Row>(Math.max(count, 0)).fill(row);
  return {
    added: changes.flatMap((change) => times(change, change.after - change.before)),
    removed: changes.flatMap((change) => times(change, change.before - change.after)),
  };
}

/* Solutions, and quads made of them, as they are compared and held: by a key that equal ones share, and by the root that they
 * belong to. That of a solution is the subject that it follows from, that of a quad of CONSTRUCT a solution.
 *
 * found rows -> exchange() -> what is there more or less often than before -> keep() makes it so
 *   { "key": "7 \" 31", "row": { "speed": "31" }, "before": 0, "after": 1 }
 */

import type { EvaluationLimits } from '../engines/engine.ts';
import { errors } from '../errors.ts';
import type { Row } from '../result.ts';
import { termKey } from '../views/quads.ts';

export interface KeyedRow<Item = Row> {
  readonly key: string;
  readonly row: Item;
}

/** What the answer holds more or less often than before. */
export interface RowChange<Item = Row> extends KeyedRow<Item> {
  readonly before: number;
  readonly after: number;
}

/**
 * A text of a solution that equal solutions share and no others.
 *
 * @param variables - names of the variables that count, always in the same order
 * @see specs/query.md QUERY-101
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

type RowsByRoot<Item> = ReadonlyMap<string, readonly KeyedRow<Item>[]>;

/** Solutions or quads by their roots; those of some roots are exchanged at a time. */
export class HeldRows<Item = Row> {
  readonly #byRoot = new Map<string, readonly KeyedRow<Item>[]>();
  /** By key: 1 or more. */
  readonly #counts = new Map<string, number>();
  readonly #isDistinct: boolean;
  /** Of the answer: equal ones count once where it is distinct. */
  #size = 0;
  /** Characters of the keys of the answer, which are no more than it takes as text. */
  #chars = 0;

  /** @param isDistinct - whether equal ones of different roots count once */
  constructor(isDistinct: boolean) {
    this.#isDistinct = isDistinct;
  }

  roots(): Iterable<string> {
    return this.#byRoot.keys();
  }

  /** In the order in which they were found. */
  ofRoot(root: string): readonly KeyedRow<Item>[] {
    return this.#byRoot.get(root) ?? [];
  }

  /**
   * What changes by exchanging the rows of these roots; `keep` does it.
   *
   * @throws {@link StreamError} `ERR_ANSWER_TOO_LARGE` - there would be more than `limitRows` or `limitAnswerBytes`
   */
  exchange(
    found: RowsByRoot<Item>,
    { limitRows, limitAnswerBytes = Number.POSITIVE_INFINITY }: EvaluationLimits,
  ): { readonly changes: readonly RowChange<Item>[]; keep(): void } {
    const counts = this.#differences(found);
    const seen = (count: number) => (this.#isDistinct ? Math.min(count, 1) : count);
    const changes = counts
      .map((count) => ({ ...count, before: seen(count.before), after: seen(count.after) }))
      .filter(({ before, after }) => before !== after);
    let [size, chars] = [this.#size, this.#chars];
    for (const { key, before, after } of changes) {
      size += after - before;
      chars += (after - before) * key.length;
    }
    if (size > limitRows) throw errors.ERR_ANSWER_TOO_LARGE({ limitRows });
    if (chars > limitAnswerBytes) throw errors.ERR_ANSWER_TOO_LARGE({ limitAnswerBytes });
    const keep = () => {
      this.#size = size;
      this.#chars = chars;
      for (const { key, after } of counts) {
        if (after === 0) this.#counts.delete(key);
        else this.#counts.set(key, after);
      }
      for (const [root, rows] of found) {
        if (rows.length === 0) this.#byRoot.delete(root);
        else this.#byRoot.set(root, rows);
      }
    };
    return { changes, keep };
  }

  /** Each as often as it counts. */
  rows(): Item[] {
    const held = [...this.#byRoot.values()].flat();
    const counted = this.#isDistinct ? new Map(held.map((each) => [each.key, each])).values() : held;
    return Array.from(counted, ({ row }) => row);
  }

  #differences(found: RowsByRoot<Item>): RowChange<Item>[] {
    const changed = new Map<string, { readonly row: Item; by: number }>();
    const note = ({ key, row }: KeyedRow<Item>, by: number) => {
      const known = changed.get(key);
      if (known) known.by += by;
      else changed.set(key, { row, by });
    };
    for (const [root, rows] of found) {
      for (const gone of this.ofRoot(root)) note(gone, -1);
      for (const come of rows) note(come, 1);
    }
    const differences: RowChange<Item>[] = [];
    for (const [key, { row, by }] of changed) {
      const before = this.#counts.get(key) ?? 0;
      if (by !== 0) differences.push({ key, row, before, after: before + by });
    }
    return differences;
  }
}

/** Items in no order, each as often as it was added. */
export class ItemCounts<Item> {
  readonly #keyOf: (item: Item) => string;
  readonly #held = new Map<string, { readonly item: Item; count: number }>();
  #list: readonly Item[] | undefined = [];

  constructor(keyOf: (item: Item) => string) {
    this.#keyOf = keyOf;
  }

  change(added: readonly Item[], removed: readonly Item[]): void {
    if (added.length + removed.length > 0) this.#list = undefined;
    for (const item of removed) this.#add(item, -1);
    for (const item of added) this.#add(item, 1);
  }

  list(): readonly Item[] {
    this.#list ??= [...this.#held.values()].flatMap(({ item, count }) =>
      count === 1 ? item : Array<Item>(count).fill(item),
    );
    return this.#list;
  }

  #add(item: Item, times: number): void {
    const key = this.#keyOf(item);
    const held = this.#held.get(key);
    const count = (held?.count ?? 0) + times;
    if (count <= 0) this.#held.delete(key);
    else if (held) held.count = count;
    else this.#held.set(key, { item, count });
  }
}

/** What came, each as often as it came, and what went. */
export function rowsOfChanges<Item>(changes: readonly RowChange<Item>[]): { added: Item[]; removed: Item[] } {
  const times = ({ row }: RowChange<Item>, count: number) => Array<Item>(Math.max(count, 0)).fill(row);
  return {
    added: changes.flatMap((change) => times(change, change.after - change.before)),
    removed: changes.flatMap((change) => times(change, change.before - change.after)),
  };
}

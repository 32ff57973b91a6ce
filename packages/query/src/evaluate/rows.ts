import type { Row } from '../result.ts';
import { termKey } from '../views/quads.ts';

/** A solution under its key. */
export interface KeyedRow {
  readonly key: string;
  readonly row: Row;
}

/** Solutions by their keys, each with how often it is there: 1 or more. */
export type RowBag = Map<string, { readonly row: Row; readonly count: number }>;

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

/** Solutions, counted. */
export function countRows(rows: readonly KeyedRow[]): RowBag {
  const bag: RowBag = new Map();
  for (const { key, row } of rows) bag.set(key, { row, count: (bag.get(key)?.count ?? 0) + 1 });
  return bag;
}

/** What is there more often, or less often, than before. */
export function rowChanges(before: RowBag, after: RowBag): RowChange[] {
  const changes: RowChange[] = [];
  for (const [key, { row, count }] of before) {
    const now = after.get(key)?.count ?? 0;
    if (now !== count) changes.push({ key, row, before: count, after: now });
  }
  for (const [key, { row, count }] of after) {
    if (!before.has(key)) changes.push({ key, row, before: 0, after: count });
  }
  return changes;
}

/** Solutions that came, each as often as it came, and those that went. */
export function rowsOfChanges(changes: readonly RowChange[]): { added: Row[]; removed: Row[] } {
  const added: Row[] = [];
  const removed: Row[] = [];
  for (const { row, before, after } of changes) {
    put(added, row, after - before);
    put(removed, row, before - after);
  }
  return { added, removed };
}

/** Every solution as often as it is there. */
export function rowsOfBag(bag: RowBag): Row[] {
  const rows: Row[] = [];
  for (const { row, count } of bag.values()) put(rows, row, count);
  return rows;
}

function put(rows: Row[], row: Row, times: number): void {
  for (let copy = 0; copy < times; copy += 1) rows.push(row);
}

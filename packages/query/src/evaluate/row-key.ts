import type { Row } from '../live-result.ts';
import { termKey } from './term-key.ts';

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
    key += term === undefined ? '!|' : `${termKey(term)}|`;
  }
  return key;
}

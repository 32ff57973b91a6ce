import type { Term } from '@rdfjs/types';
import { comparisons } from '../terms.ts';
import { compareTerms } from './time-value.ts';
import { type CheckedMember, type CheckedNode, objectsOf } from './tree-node.ts';

/** What a relation says of all members below it. */
export interface Bound {
  readonly operator: '>' | '>=' | '<' | '<=' | '=';
  /** A single predicate. */
  readonly path: string;
  readonly value: Term;
}

/** The bounds of the relations that lead to a node, from the root on. */
export function boundsOf(node: CheckedNode): Bound[] {
  const { from } = node;
  if (from === undefined) return [];
  const own = from.relations.flatMap(({ types, paths: [path], values: [value] }) => {
    const operator = types.map((type) => comparisons.get(type)).find((known) => known !== undefined);
    // Other paths than single predicates are not evaluated.
    if (operator === undefined || path?.termType !== 'NamedNode' || value === undefined) return [];
    return [{ operator, path: path.value, value }];
  });
  return [...boundsOf(from.node), ...own];
}

/** Whether a member keeps to a bound; what has no value, or none that can be compared, does. */
export function isWithin({ star }: CheckedMember, { operator, path, value }: Bound): boolean {
  return objectsOf(star, path).every((object) => {
    const order = compareTerms(object, value);
    if (order === undefined) return true;
    if (order === 0) return operator.includes('=');
    return order < 0 ? operator.startsWith('<') : operator.startsWith('>');
  });
}

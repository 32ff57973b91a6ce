import type { AlgebraNode, Expression, Operation } from './algebra.ts';
import { nodesOf, variablesOf } from './walk-algebra.ts';

/** How often the patterns of a part of a query name each variable. */
export type Occurrences = ReadonlyMap<string, number>;

/** Counts the variables of the patterns, VALUES and BIND in a part of a query. */
export function occurrencesIn(node: AlgebraNode): Occurrences {
  const counts = new Map<string, number>();
  for (const part of nodesOf(node)) for (const name of namedBy(part)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function namedBy(part: AlgebraNode): string[] {
  switch (part.type) {
    case 'pattern':
      return variablesOf([part.subject, part.predicate, part.object]);
    case 'path':
      return variablesOf([part.subject, part.object]);
    case 'values':
      return variablesOf(part.variables);
    case 'extend':
      return [part.variable.value];
    default:
      return [];
  }
}

/** Names of the variables in an expression, EXISTS left out. */
export function variablesInExpression(expression: Expression): string[] {
  const names: string[] = [];
  for (const node of nodesOf(expression, (part) => !('subType' in part && part.subType === 'existence'))) {
    if (node.type === 'expression' && node.subType === 'term') names.push(...variablesOf([node.term]));
  }
  return names;
}

/**
 * A variable of an optional or subtracted part, or of a filter, that patterns beside the operation name too, without that
 * the operation's left side binds it. Whether an engine hands such a value down into the operation, which changes what it
 * does, can hang on how much data there is: what holds over a part of the data is then not what holds over the whole.
 *
 * @param inside - what the operation names
 * @param whole - what the query names
 */
export function correlated(
  names: Iterable<string>,
  inside: Operation,
  whole: Occurrences,
  bound: ReadonlySet<string>,
): string | undefined {
  const own = occurrencesIn(inside);
  for (const name of names) if (!bound.has(name) && (whole.get(name) ?? 0) > (own.get(name) ?? 0)) return name;
  return undefined;
}

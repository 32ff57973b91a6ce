import type { AlgebraNode, Operation } from './algebra.ts';
import { nodesOf } from './walk-algebra.ts';

const volatile: ReadonlySet<string> = new Set(['now', 'rand', 'uuid', 'struuid']);

/** Whether a query's answer may change without the data: it asks for the time or for chance. */
export function isVolatile(algebra: Operation): boolean {
  for (const node of nodesOf(algebra)) if (volatile.has(operatorOf(node) ?? '')) return true;
  return false;
}

/** Whether a query makes blank nodes of its own by BNODE. */
export function makesBlankNodes(algebra: Operation): boolean {
  for (const node of nodesOf(algebra)) if (operatorOf(node) === 'bnode') return true;
  return false;
}

function operatorOf(node: AlgebraNode): string | undefined {
  return node.type === 'expression' && node.subType === 'operator' ? node.operator.toLowerCase() : undefined;
}

/** Whom a query asks by SERVICE, in words; `undefined` where it asks nobody. */
export function serviceIn(algebra: Operation): string | undefined {
  for (const node of nodesOf(algebra)) {
    if (node.type === 'service')
      return node.name.termType === 'NamedNode' ? node.name.value : 'wherever a variable says';
  }
  return undefined;
}

/** Whether a query chooses its data itself, by FROM. */
export function hasDataset(algebra: Operation): boolean {
  for (const node of nodesOf(algebra)) if (node.type === 'from') return true;
  return false;
}

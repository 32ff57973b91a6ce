import type { Variable } from '@rdfjs/types';
import type { Operation, Pattern } from './algebra.ts';

/** What a query asks for, its outermost modifiers taken off. */
export interface QueryForm {
  readonly form: 'select' | 'construct' | 'describe' | 'ask';
  /** Names of what SELECT tells, in order. */
  readonly variables: readonly string[];
  /** ORDER BY, LIMIT or OFFSET outside subqueries. */
  readonly isOrdered: boolean;
  /** DISTINCT or REDUCED. */
  readonly isDistinct: boolean;
  /** The pattern: what stands below SELECT's variables or CONSTRUCT's template. */
  readonly pattern: Operation;
  /** What CONSTRUCT makes of a solution. */
  readonly template: readonly Pattern[];
}

/** Takes the form of a query off its algebra. `undefined` when it has none, as an update. */
export function queryForm(algebra: Operation): QueryForm | undefined {
  let isOrdered = false;
  let isDistinct = false;
  let node = algebra;
  while (node.type === 'slice' || node.type === 'distinct' || node.type === 'reduced' || node.type === 'from') {
    isOrdered ||= node.type === 'slice';
    isDistinct ||= node.type === 'distinct' || node.type === 'reduced';
    node = node.input;
  }
  const form = formOf(node);
  if (!form || !('input' in node)) return undefined;
  const pattern = node.input as Operation;
  isOrdered ||= pattern.type === 'orderby';
  return {
    form,
    variables: node.type === 'project' ? names(node.variables) : [],
    isOrdered: isOrdered && form !== 'ask',
    isDistinct,
    pattern: pattern.type === 'orderby' ? pattern.input : pattern,
    template: node.type === 'construct' ? node.template : [],
  };
}

function formOf(node: Operation): QueryForm['form'] | undefined {
  if (node.type === 'project') return 'select';
  return node.type === 'construct' || node.type === 'describe' || node.type === 'ask' ? node.type : undefined;
}

function names(variables: readonly Variable[]): string[] {
  return variables.map(({ value }) => value);
}

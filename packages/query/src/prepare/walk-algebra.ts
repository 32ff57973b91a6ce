import type { Term } from '@rdfjs/types';
import type { AlgebraNode } from './algebra.ts';

/** The parts right below a part of an algebra, wherever it holds them: operations, expressions, patterns and paths. */
export function partsOf(node: object): AlgebraNode[] {
  const parts: AlgebraNode[] = [];
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) for (const item of value) keepPart(item, parts);
    else keepPart(value, parts);
  }
  return parts;
}

function keepPart(value: unknown, parts: AlgebraNode[]): void {
  if (typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string') {
    parts.push(value as AlgebraNode);
  }
}

/** An algebra and all its parts, those in subqueries and EXISTS included. What a template or SERVICE holds is left out on demand. */
export function* nodesOf(
  node: AlgebraNode,
  isEntered: (node: AlgebraNode) => boolean = () => true,
): Generator<AlgebraNode> {
  const stack = [node];
  for (let next = stack.pop(); next; next = stack.pop()) {
    yield next;
    // A part that is put off comes later: the order of a text is kept by taking the last first.
    if (isEntered(next)) stack.push(...partsOf(next).reverse());
  }
}

/** Names of the variables among terms, those within triple terms included. */
export function variablesOf(terms: Iterable<Term>): string[] {
  const names = new Set<string>();
  for (const term of terms) {
    if (term.termType === 'Variable') names.add(term.value);
    else if (term.termType === 'Quad')
      for (const name of variablesOf([term.subject, term.predicate, term.object])) names.add(name);
  }
  return [...names];
}

import type { Term, Variable } from '@rdfjs/types';
import type { Operation, PathPattern, PathSymbol } from './algebra.ts';

/**
 * An algebra with each path of bounded length as the triple patterns that it stands for: a sequence as a join by variables
 * of its own, an alternative as a union. They have the same solutions, those variables left out.
 */
export function expandPaths(algebra: Operation): Operation {
  return expandIn(algebra, { count: 0 });
}

interface Made {
  count: number;
}

function expandIn<Node extends object>(node: Node, made: Made): Node {
  if ('type' in node && node.type === 'path') {
    const { subject, predicate, object } = node as unknown as PathPattern;
    return (expand(subject, predicate, object, made) ?? node) as Node;
  }
  const entries = Object.entries(node).map(([key, value]) => [
    key,
    Array.isArray(value) ? value.map((item) => expandPart(item, made)) : expandPart(value, made),
  ]);
  return Object.fromEntries(entries);
}

function expandPart(value: unknown, made: Made): unknown {
  const isPart = typeof value === 'object' && value !== null && 'type' in value && value.type !== 'pattern';
  return isPart ? expandIn(value, made) : value;
}

function expand(subject: Term, path: PathSymbol, object: Term, made: Made): Operation | undefined {
  switch (path.type) {
    case 'link':
      return { type: 'pattern', subject, predicate: path.iri, object };
    case 'nps':
      return { type: 'pattern', subject, predicate: ownVariable(made), object };
    case 'inv':
      return expand(object, path.path, subject, made);
    case 'alt': {
      const input = path.input.map((part) => expand(subject, part, object, made));
      return isWhole(input) ? { type: 'union', input } : undefined;
    }
    case 'seq': {
      const ends = path.input.slice(1).map(() => ownVariable(made));
      const input = path.input.map((part, at) => expand(ends[at - 1] ?? subject, part, ends[at] ?? object, made));
      return isWhole(input) ? { type: 'join', input } : undefined;
    }
    default:
      return undefined;
  }
}

function isWhole(parts: readonly (Operation | undefined)[]): parts is Operation[] {
  return parts.every((part) => part !== undefined);
}

/** A variable that no query can name. */
function ownVariable(made: Made): Variable {
  const value = `path ${made.count++}`;
  return { termType: 'Variable', value, equals: (other) => other?.termType === 'Variable' && other.value === value };
}

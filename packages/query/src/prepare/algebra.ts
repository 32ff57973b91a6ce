/* The algebra of SPARQL as far as it is read here, and ways to go over it.
 *
 *   ?tram ex:at/ex:zone ?zone   { "type": "path", "subject": "?tram", "predicate": { "type": "seq", ... }, "object": "?zone" }
 * expandPaths makes that a join of the patterns ?tram ex:at ?path0 and ?path0 ex:zone ?zone.
 */

import type { Literal, NamedNode, Term, Variable } from '@rdfjs/types';

/** What of the SPARQL algebra is read here; the whole of it is of `@traqula/algebra-transformations-1-2`. */
export type Operation =
  | Pattern
  | { readonly type: 'bgp'; readonly patterns: readonly Pattern[] }
  | PathPattern
  | { readonly type: 'join' | 'union'; readonly input: readonly Operation[] }
  | { readonly type: 'leftjoin'; readonly input: readonly [Operation, Operation]; readonly expression?: Expression }
  | { readonly type: 'minus'; readonly input: readonly [Operation, Operation] }
  | { readonly type: 'filter'; readonly input: Operation; readonly expression: Expression }
  | Extend
  | Values
  | { readonly type: 'graph'; readonly input: Operation; readonly name: NamedNode | Variable }
  | { readonly type: 'service'; readonly input: Operation; readonly name: NamedNode | Variable }
  | Group
  | { readonly type: 'project'; readonly input: Operation; readonly variables: readonly Variable[] }
  | {
      readonly type: 'distinct' | 'reduced' | 'slice' | 'orderby' | 'ask' | 'describe' | 'from';
      readonly input: Operation;
    }
  | { readonly type: 'construct'; readonly input: Operation; readonly template: readonly Pattern[] }
  | { readonly type: 'nop' };

export interface Pattern {
  readonly type: 'pattern';
  readonly subject: Term;
  readonly predicate: Term;
  readonly object: Term;
}

export interface PathPattern {
  readonly type: 'path';
  readonly subject: Term;
  readonly predicate: PathSymbol;
  readonly object: Term;
}

interface Extend {
  readonly type: 'extend';
  readonly input: Operation;
  readonly variable: Variable;
  readonly expression: Expression;
}

/** VALUES: rows of constants. */
export interface Values {
  readonly type: 'values';
  readonly variables: readonly Variable[];
  readonly bindings: readonly Readonly<Record<string, Literal | NamedNode>>[];
}

/** GROUP BY, or aggregates without it. */
export interface Group {
  readonly type: 'group';
  readonly input: Operation;
  readonly variables: readonly Variable[];
  readonly aggregates: readonly (Expression & { readonly subType: 'aggregate' })[];
}

export type Expression = { readonly type: 'expression' } & (
  | { readonly subType: 'operator'; readonly operator: string; readonly args: readonly Expression[] }
  | { readonly subType: 'named'; readonly args: readonly Expression[] }
  | { readonly subType: 'existence'; readonly input: Operation }
  | { readonly subType: 'aggregate'; readonly aggregator: string; readonly expression: Expression }
  | { readonly subType: 'term'; readonly term: Term }
  | { readonly subType: 'wildcard' }
);

export type PathSymbol =
  | { readonly type: 'link'; readonly iri: NamedNode }
  | { readonly type: 'inv'; readonly path: PathSymbol }
  | { readonly type: 'alt' | 'seq'; readonly input: readonly PathSymbol[] }
  | { readonly type: 'nps'; readonly iris: readonly NamedNode[] }
  | { readonly type: 'OneOrMorePath' | 'ZeroOrMorePath' | 'ZeroOrOnePath'; readonly path: PathSymbol };

/** Any part of an algebra. */
export type AlgebraNode = Operation | Expression | PathSymbol;

/** The operations, expressions, patterns and paths right below a part of an algebra. */
export function partsOf(node: object): AlgebraNode[] {
  return Object.values(node).flat().filter(isPart);
}

function isPart(value: unknown): value is AlgebraNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** An algebra and all its parts, those in subqueries and EXISTS included; nothing below a part that `isEntered` refuses. */
export function* nodesOf(
  node: AlgebraNode,
  isEntered: (node: AlgebraNode) => boolean = () => true,
): Generator<AlgebraNode> {
  const stack = [node];
  for (let next = stack.pop(); next; next = stack.pop()) {
    yield next;
    // Reversed, since the last is taken first: so they come in the order of the text.
    if (isEntered(next)) stack.push(...partsOf(next).reverse());
  }
}

/** Names of the variables among terms, also within triple terms. */
export function variablesOf(terms: Iterable<Term>): string[] {
  const names = new Set<string>();
  for (const term of terms) {
    if (term.termType === 'Variable') names.add(term.value);
    else if (term.termType === 'Quad')
      for (const name of variablesOf([term.subject, term.predicate, term.object])) names.add(name);
  }
  return [...names];
}

/** How often the patterns of a part of a query name each variable. */
export type Occurrences = ReadonlyMap<string, number>;

// Each part is counted once, though all the parts that contain it ask.
const counted = new WeakMap<AlgebraNode, Occurrences>();

/** Counts the variables of the patterns, VALUES and BIND in a part of a query. */
export function occurrencesIn(node: AlgebraNode): Occurrences {
  const known = counted.get(node);
  if (known) return known;
  const counts = new Map<string, number>();
  for (const part of nodesOf(node)) for (const name of namedBy(part)) counts.set(name, (counts.get(name) ?? 0) + 1);
  counted.set(node, counts);
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

/** Names of the variables in an expression, without EXISTS. */
export function variablesInExpression(expression: Expression): string[] {
  const names: string[] = [];
  for (const node of nodesOf(expression, (part) => !('subType' in part && part.subType === 'existence'))) {
    if (node.type === 'expression' && node.subType === 'term') names.push(...variablesOf([node.term]));
  }
  return names;
}

/** Whether a query calls one of these functions, named in lower case. */
export function callsFunction(algebra: Operation, ...names: readonly string[]): boolean {
  for (const node of nodesOf(algebra)) {
    if (node.type === 'expression' && node.subType === 'operator' && names.includes(node.operator.toLowerCase()))
      return true;
  }
  return false;
}

/**
 * An algebra with each path of bounded length as triple patterns: a sequence as a join by variables of its own, an alternative
 * as a union. It has the same solutions, but for those variables.
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
  return isPart(value) && value.type !== 'pattern' ? expandIn(value, made) : value;
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

/** No query can name it. */
function ownVariable(made: Made): Variable {
  const value = `path ${made.count++}`;
  return { termType: 'Variable', value, equals: (other) => other?.termType === 'Variable' && other.value === value };
}

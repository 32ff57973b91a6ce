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

/** A triple pattern. */
export interface Pattern {
  readonly type: 'pattern';
  readonly subject: Term;
  readonly predicate: Term;
  readonly object: Term;
}

/** A property path between two terms. */
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

/** An expression of FILTER, BIND and others. */
export type Expression = { readonly type: 'expression' } & (
  | { readonly subType: 'operator'; readonly operator: string; readonly args: readonly Expression[] }
  | { readonly subType: 'named'; readonly args: readonly Expression[] }
  | { readonly subType: 'existence'; readonly input: Operation }
  | { readonly subType: 'aggregate'; readonly aggregator: string; readonly expression: Expression }
  | { readonly subType: 'term'; readonly term: Term }
  | { readonly subType: 'wildcard' }
);

/** A property path. */
export type PathSymbol =
  | { readonly type: 'link'; readonly iri: NamedNode }
  | { readonly type: 'inv'; readonly path: PathSymbol }
  | { readonly type: 'alt' | 'seq'; readonly input: readonly PathSymbol[] }
  | { readonly type: 'nps'; readonly iris: readonly NamedNode[] }
  | { readonly type: 'OneOrMorePath' | 'ZeroOrMorePath' | 'ZeroOrOnePath'; readonly path: PathSymbol };

/** Any part of an algebra. */
export type AlgebraNode = Operation | Expression | PathSymbol;

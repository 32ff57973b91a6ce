import type { Quad } from '@rdfjs/types';
import type { EngineQuery } from './engines/engine.ts';
import type { ResultOperator, TimeWindowOptions } from './view-options.ts';

/** A query read, checked and taken apart: all that is known of it before there is data. */
export interface PreparedQuery {
  readonly form: 'select' | 'construct' | 'describe' | 'ask';
  /** As the engine is asked: SPARQL, what RSP-QL adds translated. */
  readonly query: EngineQuery;
  /** Of a SELECT query, the names of its variables in order, without `?`. */
  readonly variables: readonly string[];
  /** Whether the order of the solutions counts, or which of them there are follows from it: ORDER BY, LIMIT or OFFSET outside subqueries. */
  readonly isOrdered: boolean;
  /** Whether the answer may change without the data: NOW, RAND, UUID, STRUUID. */
  readonly isVolatile: boolean;
  /** Of RSP-QL; empty otherwise. */
  readonly windows: readonly NamedWindow[];
  /** `REGISTER RSTREAM ...` of RSP-QL. */
  readonly operator?: ResultOperator;
  /** Whether a quad that comes or goes can change the answer. Never false where it can; true where that is not known. */
  matters(quad: Quad): boolean;
  /** Why the answer can follow from any quad; absent where `matters` tells quads apart. */
  readonly mattersReason?: string;
  /** How it is answered from what changed; where it cannot be, why. */
  readonly local: LocalPlan | { readonly reason: string };
  /** Of a CONSTRUCT query: the query of its pattern, and its template for each solution. */
  readonly template?: ConstructTemplate;
}

/** A window that a query names by `FROM NAMED WINDOW`. */
export interface NamedWindow {
  /** IRI of the window: of the graph that holds its members. */
  readonly iri: string;
  /** IRI of the stream after `ON`. */
  readonly stream: string;
  readonly window: TimeWindowOptions;
}

/**
 * How a query is answered from the changed entities alone: each of its solutions belongs to one subject, its root, and
 * follows from what is said of it and of what its patterns lead to from there.
 */
export interface LocalPlan {
  /** The query with the root among its variables. */
  readonly query: EngineQuery;
  /** Name of the root's variable in it. */
  readonly root: string;
  /** Whether equal solutions of different roots count once. */
  readonly isDistinct: boolean;
  /** Every triple pattern of the query; those with `from` are reached by the patterns there, others are of the root. */
  readonly patterns: readonly LocalPattern[];
}

/** A triple pattern of a {@link LocalPlan}. */
export interface LocalPattern {
  /** The variable of its subject. */
  readonly subject: string;
  /** IRI of the predicate; absent where it is a variable. */
  readonly predicate?: string;
  /** The variable of its object, where another pattern goes on from it. */
  readonly leadsTo?: string;
  /** Whether a quad of the default graph fits its constants. */
  fits(quad: Quad): boolean;
}

/** What CONSTRUCT makes of a solution. */
export interface ConstructTemplate {
  /** A SELECT query of the pattern, with the variables that the template uses. */
  readonly query: EngineQuery;
  readonly variables: readonly string[];
  /** The template's quads, of terms and variables as in RDF/JS; its blank nodes are new ones for each solution. */
  readonly quads: readonly Quad[];
}

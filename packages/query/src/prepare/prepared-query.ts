import { quad } from '@ldes-live/rdf-stream';
import type { NamedNode, Quad, Quad_Object, Quad_Subject, Variable } from '@rdfjs/types';
import type { EngineQuery } from '../engines/engine.ts';
import { errors } from '../errors.ts';
import type { ResultOperator } from '../options.ts';
import { hasDataset, isVolatile, type Operation, type Pattern, serviceIn, variablesOf } from './algebra.ts';
import { findRoot, type LocalPlan } from './local-plan.ts';
import { relevantQuads } from './relevance.ts';
import { type NamedWindow, translateRspQl } from './rsp-ql.ts';
import {
  formIndex,
  isWord,
  loadSparqlLibrary,
  type ParsedQuery,
  parseSparql,
  type SparqlLibrary,
  type Token,
  tokensOf,
} from './sparql.ts';

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

/** What CONSTRUCT makes of a solution. */
export interface ConstructTemplate {
  /** A SELECT query of the pattern, with the variables that the template uses. */
  readonly query: EngineQuery;
  readonly variables: readonly string[];
  /** The template's quads, of terms and variables as in RDF/JS; its blank nodes are new ones for each solution. */
  readonly quads: readonly Quad[];
}

/** Options of {@link prepareQuery}. */
interface PrepareOptions {
  /** Characters of the query's text, at most. */
  readonly limitQueryChars: number;
}

/**
 * Reads a query of SPARQL or RSP-QL, checks it and takes it apart. SERVICE is refused, whatever it asks.
 *
 * @throws {@link StreamError} `ERR_QUERY_TOO_LONG`, `ERR_QUERY_SYNTAX`, `ERR_QUERY_UPDATE`, `ERR_SERVICE_REFUSED`,
 *   `ERR_QUERY_UNSUPPORTED` - it names its data itself, by FROM
 * @see specs/query.md QUERY-10
 */
export async function prepareQuery(sparql: string, options: PrepareOptions): Promise<PreparedQuery> {
  const { limitQueryChars } = options;
  if (sparql.length > limitQueryChars) throw errors.ERR_QUERY_TOO_LONG({ chars: sparql.length, limitQueryChars });
  const library = await loadSparqlLibrary();
  try {
    return prepare(library, sparql);
  } catch (error) {
    // What can be parsed may still be too deep to be taken apart.
    if (!(error instanceof RangeError)) throw error;
    throw errors.ERR_QUERY_SYNTAX({ problem: 'it is nested too deeply' }, error);
  }
}

function prepare(library: SparqlLibrary, sparql: string): PreparedQuery {
  const { text: asked, windows, operator } = translateRspQl(library, sparql);
  const given = parseSparql(library, asked);
  // Each time, engines would otherwise tell a solution as often as they like: it would come and go for no reason.
  const text = withoutReduced(asked);
  const parsed = text === asked ? given : parseSparql(library, text);
  const service = serviceIn(parsed.algebra);
  if (service !== undefined) throw errors.ERR_SERVICE_REFUSED({ service });
  if (hasDataset(parsed.algebra)) {
    throw errors.ERR_QUERY_UNSUPPORTED({
      what: 'FROM or FROM NAMED',
      remedy: 'leave it out and ask the streams themselves; in a program, give other data by the option data',
    });
  }
  const form = queryForm(parsed.algebra);
  if (!form) throw errors.ERR_QUERY_UPDATE(undefined);
  const template = form.form === 'construct' ? templateOf(library, text, form) : undefined;
  const { matters, reason } = relevantQuads(parsed.algebra);
  return {
    form: form.form,
    query: parsed.query,
    variables: form.variables,
    isOrdered: form.isOrdered,
    isVolatile: isVolatile(parsed.algebra),
    windows,
    ...(operator && { operator }),
    matters,
    ...(reason && { mattersReason: reason }),
    local: localPlan(library, parsed, form, template),
    ...(template && { template }),
  };
}

function templateOf(library: SparqlLibrary, text: string, { template }: QueryForm): ConstructTemplate {
  const variables = variablesOf(template.flatMap(({ subject, predicate, object }) => [subject, predicate, object]));
  return {
    query: readOwn(library, asSelect(text, variables)).query,
    variables,
    quads: template.map(({ subject, predicate, object }: Pattern) =>
      quad(subject as Quad_Subject, predicate as NamedNode, object as Quad_Object),
    ),
  };
}

function localPlan(
  library: SparqlLibrary,
  { query, algebra }: ParsedQuery,
  form: QueryForm,
  template: ConstructTemplate | undefined,
): LocalPlan | { readonly reason: string } {
  if (isVolatile(algebra)) return { reason: 'its answer changes with time or by chance (NOW, RAND, UUID, STRUUID)' };
  const found = findRoot(form, variablesIn(query.text));
  if ('reason' in found) return found;
  const { root, patterns } = found;
  // DISTINCT stays where it is: with the root among the variables, it makes each root count an equal row once.
  const shared = { root, patterns, isDistinct: form.isDistinct };
  if (template) {
    const variables = [root, ...template.variables.filter((name) => name !== root)];
    return { query: readOwn(library, asSelect(query.text, variables)).query, ...shared };
  }
  if (form.variables.includes(root)) return { query, ...shared };
  return { query: readOwn(library, withVariable(query.text, root)).query, ...shared };
}

/** Reads a query that was made from the one given. */
function readOwn(library: SparqlLibrary, text: string): ParsedQuery {
  try {
    return parseSparql(library, text);
  } catch (error) {
    throw errors.ERR_QUERY_UNSUPPORTED(
      {
        what: 'variables that its pattern does not give',
        remedy: 'use those of GROUP BY only, or aggregate in a subquery',
      },
      error,
    );
  }
}

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
function queryForm(algebra: Operation): QueryForm | undefined {
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

/** The text of a SELECT query that tells one more variable. */
function withVariable(text: string, name: string): string {
  const tokens = tokensOf(text);
  const at = formIndex(tokens);
  const last = isWord(tokens[at + 1], 'DISTINCT', 'REDUCED') ? tokens[at + 1] : tokens[at];
  const end = endOf(last);
  return `${text.slice(0, end)} ?${name} ${text.slice(end)}`;
}

/** The text of a query with DISTINCT for each REDUCED, which leaves to the engine how often it tells a solution. */
function withoutReduced(text: string): string {
  const tokens = tokensOf(text);
  const reduced = tokens.filter((token, at) => isWord(token, 'REDUCED') && isWord(tokens[at - 1], 'SELECT'));
  return reduced.reduceRight(
    (rest, token) => `${rest.slice(0, token.offset)}DISTINCT${rest.slice(endOf(token))}`,
    text,
  );
}

/** The text of a SELECT query of the pattern of a CONSTRUCT query. */
function asSelect(text: string, variables: readonly string[]): string {
  const tokens = tokensOf(text);
  const at = formIndex(tokens);
  const told = variables.length > 0 ? variables.map((name) => `?${name}`).join(' ') : `(1 AS ?${unused(tokens)})`;
  // The short form, CONSTRUCT WHERE { ... }, has no template to pass over.
  const rest = tokens[at + 1]?.text === '{' ? endOf(closing(tokens, at + 1)) : endOf(tokens[at]);
  return `${text.slice(0, tokens[at]?.offset)}SELECT ${told} ${text.slice(rest)}`;
}

/** The names of the variables in a text. */
function variablesIn(text: string): Set<string> {
  return new Set(
    tokensOf(text)
      .filter(({ kind }) => kind === 'variable')
      .map((token) => token.text.slice(1)),
  );
}

function endOf(token: Token | undefined): number {
  return token ? token.offset + token.text.length : 0;
}

/** The brace that closes one. */
function closing(tokens: readonly Token[], open: number): Token | undefined {
  let depth = 0;
  return tokens.find(({ text }, index) => {
    if (index < open) return false;
    if (text === '{') depth += 1;
    if (text === '}') depth -= 1;
    return depth === 0;
  });
}

function unused(tokens: readonly Token[]): string {
  let name = 'one';
  while (tokens.some(({ text }) => text === `?${name}` || text === `$${name}`)) name += '_';
  return name;
}

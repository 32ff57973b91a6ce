/* All that is known of a query before there is data, for SPARQL and RSP-QL.
 *
 * text -> rsp-ql.ts (windows, operator) -> sparql.ts (algebra) -> relevance.ts (which quads matter) -> local-plan.ts (its root)
 *   { "form": "select", "variables": [ "speed" ], "isOrdered": false, "isVolatile": false, "windows": [],
 *     "local": { "root": "tram", "isDistinct": false, "patterns": [ { "subject": "tram", "predicate": "urn:speed" } ] } }
 * Where another query is needed than the one given (the root among its variables, the pattern of CONSTRUCT), its text is
 * edited and read again: engines then answer what was asked, and not an algebra that was made here.
 */

import { quad } from '@ldes-live/rdf-stream';
import type { NamedNode, Quad, Quad_Object, Quad_Subject } from '@rdfjs/types';
import type { EngineQuery } from '../engines/engine.ts';
import { errors } from '../errors.ts';
import type { QueryLimits, ResultOperator } from '../options.ts';
import { callsFunction, nodesOf, type Operation, type Pattern, variablesOf } from './algebra.ts';
import { findRoot, type LocalPlan } from './local-plan.ts';
import { relevantQuads } from './relevance.ts';
import { type NamedWindow, translateRspQl } from './rsp-ql.ts';
import { edited, endOf, formIndex, isWord, type ParsedQuery, parseSparql, type Token, tokensOf } from './sparql.ts';

/** All that is known of a query before there is data. */
export interface PreparedQuery extends Pick<QueryForm, 'form' | 'variables' | 'isOrdered'> {
  /** As the engine is asked: SPARQL, what RSP-QL adds translated. */
  readonly query: EngineQuery;
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

export interface ConstructTemplate {
  /** A SELECT query of the pattern, with the variables that the template uses. */
  readonly query: EngineQuery;
  readonly variables: readonly string[];
  /** The template's quads, of terms and variables as in RDF/JS; its blank nodes are new ones for each solution. */
  readonly quads: readonly Quad[];
}

/**
 * @throws {@link StreamError} `ERR_QUERY_TOO_LONG`, `ERR_QUERY_SYNTAX`, `ERR_QUERY_UPDATE`, `ERR_SERVICE_REFUSED`,
 *   `ERR_QUERY_UNSUPPORTED` - it names its data itself, by FROM
 * @see specs/query.md QUERY-10
 */
export async function prepareQuery(
  sparql: string,
  { limitQueryChars }: Pick<QueryLimits, 'limitQueryChars'>,
): Promise<PreparedQuery> {
  if (sparql.length > limitQueryChars) throw errors.ERR_QUERY_TOO_LONG({ chars: sparql.length, limitQueryChars });
  try {
    return prepare(sparql);
  } catch (error) {
    // What can be parsed may still be too deep to be taken apart.
    if (!(error instanceof RangeError)) throw error;
    throw errors.ERR_QUERY_SYNTAX({ problem: 'it is nested too deeply' }, error);
  }
}

function prepare(sparql: string): PreparedQuery {
  const { text: asked, windows, operator } = translateRspQl(sparql);
  const given = parseSparql(asked);
  // With REDUCED, engines may repeat a solution as often as they like, each time: it would come and go for no reason.
  const text = withoutReduced(asked);
  const parsed = text === asked ? given : parseSparql(text);
  refuseOtherData(parsed.algebra);
  const form = queryForm(parsed.algebra);
  if (!form) throw errors.ERR_QUERY_UPDATE(undefined);
  const template = form.form === 'construct' ? templateOf(text, form) : undefined;
  const isVolatile = callsFunction(parsed.algebra, 'now', 'rand', 'uuid', 'struuid');
  const { matters, reason } = relevantQuads(parsed.algebra);
  return {
    form: form.form,
    query: parsed.query,
    variables: form.variables,
    isOrdered: form.isOrdered,
    isVolatile,
    windows,
    ...(operator && { operator }),
    matters,
    ...(reason && { mattersReason: reason }),
    local: isVolatile
      ? { reason: 'its answer changes with time or by chance (NOW, RAND, UUID, STRUUID)' }
      : localPlan(parsed, form, template),
    ...(template && { template }),
  };
}

function refuseOtherData(algebra: Operation): void {
  let hasDataset = false;
  for (const node of nodesOf(algebra)) {
    if (node.type === 'service') {
      const service = node.name.termType === 'NamedNode' ? node.name.value : 'the service of a variable';
      throw errors.ERR_SERVICE_REFUSED({ service });
    }
    hasDataset ||= node.type === 'from';
  }
  if (!hasDataset) return;
  throw errors.ERR_QUERY_UNSUPPORTED({
    what: 'FROM or FROM NAMED',
    remedy: 'omit it and query the streams themselves. In a program, give other data in the option data',
  });
}

function templateOf(text: string, { template }: QueryForm): ConstructTemplate {
  const variables = variablesOf(template.flatMap(({ subject, predicate, object }) => [subject, predicate, object]));
  return {
    query: readOwn(asSelect(text, variables)).query,
    variables,
    quads: template.map(({ subject, predicate, object }: Pattern) =>
      quad(subject as Quad_Subject, predicate as NamedNode, object as Quad_Object),
    ),
  };
}

function localPlan(
  { query }: ParsedQuery,
  form: QueryForm,
  template: ConstructTemplate | undefined,
): LocalPlan | { readonly reason: string } {
  const found = findRoot(form, variablesIn(query.text));
  if ('reason' in found) return found;
  const { root, patterns } = found;
  // DISTINCT stays where it is: with the root among the variables, it makes each root count an equal row once.
  const shared = { root, patterns, isDistinct: form.isDistinct };
  if (template) {
    const variables = [root, ...template.variables.filter((name) => name !== root)];
    return { query: readOwn(asSelect(query.text, variables)).query, ...shared };
  }
  if (form.variables.includes(root)) return { query, ...shared };
  return { query: readOwn(withVariable(query.text, root)).query, ...shared };
}

/** Reads a query that was made from the given one. */
function readOwn(text: string): ParsedQuery {
  try {
    return parseSparql(text);
  } catch (error) {
    throw errors.ERR_QUERY_UNSUPPORTED(
      {
        what: 'variables that its pattern does not bind',
        remedy: 'use only variables of GROUP BY, or aggregate in a subquery',
      },
      error,
    );
  }
}

/** What a query asks for, without its outermost modifiers. */
export interface QueryForm {
  readonly form: 'select' | 'construct' | 'describe' | 'ask';
  /** Of a SELECT query, the names of its variables in order, without `?`; empty for other forms. */
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

/** `undefined` for an update. */
function queryForm(algebra: Operation): QueryForm | undefined {
  let isOrdered = false;
  let isDistinct = false;
  let node = algebra;
  while (node.type === 'slice' || node.type === 'distinct' || node.type === 'reduced' || node.type === 'from') {
    isOrdered ||= node.type === 'slice';
    isDistinct ||= node.type === 'distinct' || node.type === 'reduced';
    node = node.input;
  }
  const form = node.type === 'project' ? 'select' : node.type;
  if (form !== 'select' && form !== 'construct' && form !== 'describe' && form !== 'ask') return undefined;
  const { input: pattern } = node as Operation & { readonly input: Operation };
  isOrdered ||= pattern.type === 'orderby';
  return {
    form,
    variables: node.type === 'project' ? node.variables.map(({ value }) => value) : [],
    isOrdered: isOrdered && form !== 'ask',
    isDistinct,
    pattern: pattern.type === 'orderby' ? pattern.input : pattern,
    template: node.type === 'construct' ? node.template : [],
  };
}

/** The text of a SELECT query with one more variable. */
function withVariable(text: string, name: string): string {
  const tokens = tokensOf(text);
  const at = formIndex(tokens);
  const end = endOf(isWord(tokens[at + 1], 'DISTINCT', 'REDUCED') ? tokens[at + 1] : tokens[at]);
  return edited(text, [{ from: end, to: end, by: ` ?${name} ` }]);
}

/** The text of a query with DISTINCT for each REDUCED. */
function withoutReduced(text: string): string {
  const tokens = tokensOf(text);
  const reduced = tokens.filter((token, at) => isWord(token, 'REDUCED') && isWord(tokens[at - 1], 'SELECT'));
  return edited(
    text,
    reduced.map((token) => ({ from: token.offset, to: endOf(token), by: 'DISTINCT' })),
  );
}

/** The text of a SELECT query of the pattern of a CONSTRUCT query. */
function asSelect(text: string, variables: readonly string[]): string {
  const tokens = tokensOf(text);
  const at = formIndex(tokens);
  let unused = 'one';
  while (text.includes(unused)) unused += '_';
  const shown = variables.length > 0 ? variables.map((name) => `?${name}`).join(' ') : `(1 AS ?${unused})`;
  // The short form, CONSTRUCT WHERE { ... }, has no template.
  const last = tokens[at + 1]?.text === '{' ? closing(tokens, at + 1) : tokens[at];
  return edited(text, [{ from: tokens[at]?.offset ?? 0, to: endOf(last), by: `SELECT ${shown} ` }]);
}

function variablesIn(text: string): Set<string> {
  return new Set(tokensOf(text).flatMap(({ kind, text: name }) => (kind === 'variable' ? [name.slice(1)] : [])));
}

function closing(tokens: readonly Token[], open: number): Token | undefined {
  let depth = 0;
  return tokens.find(({ text }, index) => {
    if (index < open) return false;
    if (text === '{') depth += 1;
    if (text === '}') depth -= 1;
    return depth === 0;
  });
}

import type { StreamError } from '@ldes-live/rdf-stream';
import type { EngineQuery } from '../engines/engine.ts';
import { errors } from '../errors.ts';
import type { Operation } from './algebra.ts';
import { ParseProblem, type SparqlLibrary } from './sparql-library.ts';
import { tokensOf } from './sparql-tokens.ts';
import { syntaxError } from './syntax-error.ts';
import { ungroupedVariable } from './ungrouped-variable.ts';

/** A query read. */
export interface ParsedQuery {
  readonly query: EngineQuery;
  /** Its algebra with GRAPH as an operation, blank nodes as variables. */
  readonly algebra: Operation;
}

/**
 * Reads a query of SPARQL.
 *
 * @throws {@link StreamError} `ERR_QUERY_SYNTAX` - it is none; `ERR_QUERY_UPDATE` - it is an update
 * @see specs/query.md QUERY-10
 */
export function parseSparql(library: SparqlLibrary, text: string): ParsedQuery {
  try {
    const tree = library.parse(text);
    if (tree.type === 'update') throw isEmpty(text) ? empty(text) : errors.ERR_QUERY_UPDATE(undefined);
    const hasBase = tree.context?.some(({ subType }) => subType === 'base') ?? false;
    const operation = library.algebraOf(tree, true);
    // An engine that is handed an algebra knows no base, by which IRI() may have to resolve: it reads the text instead.
    return { query: hasBase ? { text } : { text, operation }, algebra: library.algebraOf(tree, false) };
  } catch (error) {
    throw asSyntaxError(text, error);
  }
}

function asSyntaxError(text: string, error: unknown): unknown {
  if (error instanceof ParseProblem) return stumbled(text, error);
  if (error instanceof RangeError) return errors.ERR_QUERY_SYNTAX({ problem: 'it is nested too deeply' }, error);
  if (!(error instanceof Error) || 'code' in error) return error;
  const { message } = error;
  const character = /^unexpected character: .* at offset: (\d+)/s.exec(message);
  if (character) return unreadable(text, Number(character[1]), error);
  const prefix = /^Unknown prefix: (.*)$/s.exec(message)?.[1];
  if (prefix !== undefined) return unknownPrefix(text, prefix, error);
  const used = /^Use of ungrouped variable in projection .*\((\?.*)\)$/s.exec(message)?.[1];
  if (used !== undefined) return errors.ERR_QUERY_SYNTAX({ problem: ungrouped(used) }, error);
  if (message === 'Variable not allowed in projection') return toldUngrouped(text, error);
  return errors.ERR_QUERY_SYNTAX({ problem: message.split('\n', 1)[0]?.slice(0, 200) ?? '' }, error);
}

function stumbled(text: string, problem: ParseProblem): StreamError {
  const expected = /^Expecting(?: token of type)? --> (\S+) <--/.exec(problem.message)?.[1];
  const wanted = expected ? `, where ${expected} is expected` : '';
  if (problem.offset === undefined) return syntaxError(text, text.length, `it ends too early${wanted}`, problem);
  return syntaxError(
    text,
    problem.offset,
    `${JSON.stringify(shortened(problem.found))} cannot stand here${wanted}`,
    problem,
  );
}

function unreadable(text: string, offset: number, cause: Error): StreamError {
  const from = String.fromCodePoint(text.codePointAt(offset) ?? 0);
  const why =
    from === '"' || from === "'"
      ? `the string that begins here is not closed`
      : `${JSON.stringify(from)} cannot be read`;
  return syntaxError(text, offset, why, cause);
}

function unknownPrefix(text: string, prefix: string, cause: Error): StreamError {
  const name = tokensOf(text).find((token) => token.kind === 'name' && token.text.startsWith(`${prefix}:`));
  return syntaxError(
    text,
    name?.offset ?? 0,
    `the prefix ${prefix}: is not declared; add PREFIX ${prefix}: <...>`,
    cause,
  );
}

function toldUngrouped(text: string, cause: Error): StreamError {
  const variable = ungroupedVariable(text);
  if (!variable) return errors.ERR_QUERY_SYNTAX({ problem: ungrouped('a variable') }, cause);
  return syntaxError(text, variable.offset, ungrouped(variable.text), cause);
}

function ungrouped(name: string): string {
  return `${name} stands beside aggregates, but not in GROUP BY; add it there, or aggregate it`;
}

function isEmpty(text: string): boolean {
  return !tokensOf(text).some(({ kind, text: word }) => kind === 'word' && !/^(base|prefix|version)$/i.test(word));
}

function empty(text: string): StreamError {
  return syntaxError(text, text.length, 'there is no query');
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}

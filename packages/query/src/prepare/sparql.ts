import type { StreamError } from '@ldes-live/rdf-stream';
import type { EngineQuery } from '../engines/engine.ts';
import { errors } from '../errors.ts';
import type { Operation } from './algebra.ts';

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

/** An `ERR_QUERY_SYNTAX` that names the line and the column of a place in a query's text, both from 1. */
export function syntaxError(text: string, offset: number, problem: string, cause?: unknown): StreamError {
  const before = text.slice(0, offset).split('\n');
  const line = before.length;
  const column = (before.at(-1) ?? '').length + 1;
  return errors.ERR_QUERY_SYNTAX({ problem: `line ${line}, column ${column}: ${problem}`, line, column }, cause);
}

/** A token of SPARQL or RSP-QL. Comments and white space are none. */
export interface Token {
  readonly kind: 'iri' | 'string' | 'variable' | 'language' | 'blank' | 'name' | 'word' | 'number' | 'other';
  readonly text: string;
  /** Where it begins, in UTF-16 units from 0. */
  readonly offset: number;
}

const LETTER = '\\p{L}_';
const VARIABLE = '\\p{L}\\p{N}\\p{M}_\\u00B7';
const PART = `${VARIABLE}\\-`;
const ESCAPED = '%[0-9A-Fa-f]{2}|\\\\.';

// What stands first wins, as in SPARQL's grammar: `<` begins an IRI wherever one can be read.
const forms: readonly (readonly [Token['kind'] | 'gap', string])[] = [
  ['gap', '\\s+|#[^\\n\\r]*'],
  ['iri', '<(?:[^<>"{}|^`\\\\\\u0000-\\u0020]|\\\\u[0-9A-Fa-f]{4}|\\\\U[0-9A-Fa-f]{8})*>'],
  ['string', '"""(?:"{0,2}(?:[^"\\\\]|\\\\[^]))*"""|\'\'\'(?:\'{0,2}(?:[^\'\\\\]|\\\\[^]))*\'\'\''],
  ['string', '"(?:[^"\\\\\\n\\r]|\\\\[^])*"|\'(?:[^\'\\\\\\n\\r]|\\\\[^])*\''],
  ['variable', `[?$][${VARIABLE}]+`],
  ['language', '@[A-Za-z]+(?:-[A-Za-z0-9]+)*'],
  ['blank', `_:[${PART}.]*`],
  ['name', `(?:[${LETTER}][${PART}.]*)?:(?:[${PART}:]|${ESCAPED}|\\.+(?=[${PART}:%\\\\]))*`],
  ['word', `[${LETTER}][\\p{L}\\p{N}_]*`],
  ['number', '[0-9]+'],
  ['other', '[^]'],
];
const pattern = new RegExp(forms.map(([, form]) => `(${form})`).join('|'), 'uy');

/**
 * The tokens of a query, as far as it takes to tell words from IRIs, strings, names and comments.
 *
 * Text of any kind is taken apart without an error: whether it is a query is the parser's to say.
 */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  pattern.lastIndex = 0;
  for (let offset = 0; offset < text.length; offset = pattern.lastIndex) {
    const match = pattern.exec(text);
    // A half of a surrogate pair at the end is all that no form takes.
    if (!match) break;
    const kind = forms[match.findIndex((group, index) => index > 0 && group !== undefined) - 1]?.[0];
    if (kind && kind !== 'gap') tokens.push({ kind, text: match[0], offset });
  }
  return tokens;
}

/** Whether a token is this keyword, in whatever case. */
export function isWord(token: Token | undefined, ...words: readonly string[]): token is Token {
  return token?.kind === 'word' && words.includes(token.text.toUpperCase());
}

/** The word that says what a query asks for, after its prologue: SELECT, CONSTRUCT, DESCRIBE or ASK. */
export function formIndex(tokens: readonly Token[]): number {
  return tokens.findIndex((token) => isWord(token, 'SELECT', 'CONSTRUCT', 'DESCRIBE', 'ASK'));
}

/** What reads SPARQL, as Comunica does. */
export interface SparqlLibrary {
  /** @throws {@link ParseProblem} or an Error without a place, RangeError when it is nested too deeply */
  parse(text: string): SyntaxTree;
  /** The algebra of a query: `quads` puts the graph into each pattern, as Comunica wants it; otherwise GRAPH is an operation. */
  algebraOf(tree: SyntaxTree, quads: boolean): Operation;
}

/** A syntax tree, opaque but for this. */
interface SyntaxTree {
  readonly type: 'query' | 'update';
  /** Declarations of the prologue. */
  readonly context?: readonly { readonly subType: string }[];
}

/** Where a parser stumbled. */
class ParseProblem extends Error {
  /** The token that cannot stand there; empty at the end of the text. */
  readonly found: string;
  /** Where it begins; `undefined` at the end of the text. */
  readonly offset: number | undefined;

  constructor(message: string, found: string, offset: number | undefined) {
    super(message);
    this.found = found;
    this.offset = offset;
  }
}

interface Recognition {
  readonly message: string;
  readonly token: { readonly image: string; readonly startOffset: number };
}

let library: Promise<SparqlLibrary> | undefined;

/** Loads the parser, once: it is too large to come along with those who never ask. */
export function loadSparqlLibrary(): Promise<SparqlLibrary> {
  library ??= load().catch((error: unknown) => {
    library = undefined;
    throw error;
  });
  return library;
}

async function load(): Promise<SparqlLibrary> {
  const [{ Parser }, { toAlgebra }] = await Promise.all([
    import('@traqula/parser-sparql-1-2'),
    import('@traqula/algebra-sparql-1-2'),
  ]);
  const options = {
    lexerConfig: { positionTracking: 'full' as const },
    errorHandler: ([first]: readonly Recognition[]): void => {
      if (!first) return;
      const { image, startOffset } = first.token;
      throw new ParseProblem(first.message, image, Number.isNaN(startOffset) ? undefined : startOffset);
    },
  };
  const parser = new Parser(options);
  return {
    parse: (text) => parser.parse(text) as SyntaxTree,
    algebraOf: (tree, quads) =>
      toAlgebra(tree as Parameters<typeof toAlgebra>[0], { quads, blankToVariable: true }) as unknown as Operation,
  };
}

/**
 * The first variable that a SELECT query tells by itself, though it groups or counts, and does not group by it.
 *
 * The parser refuses it without its name: so it is looked for in the text, once that is known to be the mistake. In
 * subqueries the parser lets it pass.
 */
function ungroupedVariable(text: string): Token | undefined {
  const tokens = tokensOf(text);
  const at = formIndex(tokens);
  const begin = tokens.findIndex(({ text: sign }, index) => index > at && sign === '{');
  if (!isWord(tokens[at], 'SELECT') || begin < 0) return undefined;
  const keys = groupedBy(tokens, endOfBlock(tokens, begin) + 1);
  return plainVariables(tokens.slice(at + 1, begin)).find(({ text: name }) => !keys.has(name.slice(1)));
}

/** Names of the variables after GROUP BY, those in expressions that have a name of their own left out. */
function groupedBy(tokens: readonly Token[], from: number): ReadonlySet<string> {
  if (!isWord(tokens[from], 'GROUP')) return new Set();
  const length = tokens.slice(from).findIndex((each) => each.text === '}' || isWord(each, ...AFTER_GROUP));
  const clause = tokens.slice(from, length < 0 ? undefined : from + length);
  const named = clause.filter((_, index) => isWord(clause[index - 1], 'AS'));
  return new Set([...plainVariables(clause), ...named].map(({ text: name }) => name.slice(1)));
}

const AFTER_GROUP = ['HAVING', 'ORDER', 'LIMIT', 'OFFSET', 'VALUES'];

/** Variables outside parentheses. */
function plainVariables(tokens: readonly Token[]): Token[] {
  let depth = 0;
  return tokens.filter(({ kind, text }) => {
    if (text === '(') depth += 1;
    if (text === ')') depth -= 1;
    return depth === 0 && kind === 'variable';
  });
}

function endOfBlock(tokens: readonly Token[], begin: number): number {
  let depth = 0;
  for (let at = begin; at < tokens.length; at += 1) {
    if (tokens[at]?.text === '{') depth += 1;
    if (tokens[at]?.text === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return tokens.length;
}

/* Reads SPARQL: the parser that Comunica uses, tokens where the text itself is changed, and errors with line and column.
 *
 *   parseSparql('ASK { ?s a <urn:T> }')   { "query": { "text": ..., "operation": ... }, "algebra": { "type": "ask", ... } }
 *   tokensOf('ASK {}')   [ { "kind": "word", "text": "ASK", "offset": 0 }, { "kind": "other", "text": "{", "offset": 4 }, ... ]
 *
 * Tokens are found in linear time, whatever the text is. The parser's time may grow with its square: that is what the limit on
 * the length of a query is for. The parser is large, so whoever imports this does it when there is a query.
 */

import type { StreamError } from '@ldes-live/rdf-stream';
import { toAlgebra, toAlgebra12Builder } from '@traqula/algebra-sparql-1-2';
import { Parser } from '@traqula/parser-sparql-1-2';
import type { EngineQuery } from '../engines/engine.ts';
import { errors } from '../errors.ts';
import type { Operation } from './algebra.ts';

/** What the parser reports of a text that it cannot read. */
interface Recognition extends Error {
  /** The token that cannot stand there; at the end of the text, its offset is `NaN`. */
  readonly token: { readonly image: string; readonly startOffset: number };
}

const options = {
  lexerConfig: { positionTracking: 'full' as const },
  errorHandler: ([first]: readonly Recognition[]): void => {
    if (first) throw first;
  },
};
const parser = new Parser(options);

export interface ParsedQuery {
  readonly query: EngineQuery;
  /** Its algebra with GRAPH as an operation, blank nodes as variables. */
  readonly algebra: Operation;
}

/**
 * @throws {@link StreamError} `ERR_QUERY_SYNTAX` - it is none; `ERR_QUERY_UPDATE` - it is an update
 * @see specs/query.md QUERY-10
 */
export function parseSparql(text: string): ParsedQuery {
  try {
    const tree = parser.parse(text);
    if (tree.type === 'update') {
      throw isEmpty(text) ? syntaxError(text, text.length, 'the query is empty') : errors.ERR_QUERY_UPDATE(undefined);
    }
    const hasBase = tree.context.some(({ subType }) => subType === 'base');
    // As Comunica wants it, with the graph in each pattern.
    const operation = toAlgebra(tree, { quads: true, blankToVariable: true });
    const algebra = toAlgebra(tree, { quads: false, blankToVariable: true }) as unknown as Operation;
    // An engine that is handed an algebra knows no base, by which IRI() may have to resolve: it reads the text instead.
    return { query: hasBase ? { text } : { text, operation }, algebra };
  } catch (error) {
    throw asSyntaxError(text, error);
  }
}

function asSyntaxError(text: string, error: unknown): unknown {
  const problem = (what: string) => errors.ERR_QUERY_SYNTAX({ problem: what }, error);
  if (error instanceof RangeError) return problem('it is nested too deeply');
  if (!(error instanceof Error) || 'code' in error) return error;
  if ('token' in error) return unexpectedToken(text, error as Recognition);
  const { message } = error;
  const character = /^unexpected character: .* at offset: (\d+)/s.exec(message);
  if (character) return unreadable(text, Number(character[1]), error);
  const prefix = /^Unknown prefix: (.*)$/s.exec(message)?.[1];
  if (prefix !== undefined) {
    const name = tokensOf(text).find((token) => token.kind === 'name' && token.text.startsWith(`${prefix}:`));
    const remedy = `add PREFIX ${prefix}: <...>`;
    return syntaxError(text, name?.offset ?? 0, `the prefix ${prefix}: is not declared; ${remedy}`, error);
  }
  const used = /^Use of ungrouped variable in projection [^(]*\((\?.*)\)$/s.exec(message)?.[1];
  if (used !== undefined || message === 'Variable not allowed in projection') {
    const what = `${used ?? 'a variable'} is used with aggregates, but is not in GROUP BY`;
    return problem(`${what}; add it there, or aggregate it`);
  }
  return problem(message.split('\n', 1)[0]?.slice(0, 200) ?? '');
}

function unexpectedToken(text: string, error: Recognition): StreamError {
  const { image, startOffset } = error.token;
  const expected = /^Expecting(?: token of type)? --> (\S+) <--/.exec(error.message)?.[1];
  const wanted = expected ? `, where ${expected} is expected` : '';
  if (Number.isNaN(startOffset)) return syntaxError(text, text.length, `it ends too early${wanted}`, error);
  const found = image.length > 40 ? `${image.slice(0, 40)}...` : image;
  return syntaxError(text, startOffset, `${JSON.stringify(found)} is not allowed here${wanted}`, error);
}

function unreadable(text: string, offset: number, cause: Error): StreamError {
  const from = String.fromCodePoint(text.codePointAt(offset) ?? 0);
  const isString = from === '"' || from === "'";
  const why = isString ? 'the string that starts here is not closed' : `${JSON.stringify(from)} cannot be read`;
  return syntaxError(text, offset, why, cause);
}

function isEmpty(text: string): boolean {
  return !tokensOf(text).some(({ kind, text: word }) => kind === 'word' && !/^(base|prefix|version)$/i.test(word));
}

/** An `ERR_QUERY_SYNTAX` that names the line and the column of a place in the text, both from 1. */
export function syntaxError(text: string, offset: number, problem: string, cause?: unknown): StreamError {
  const before = text.slice(0, offset).split('\n');
  const line = before.length;
  const column = (before.at(-1) ?? '').length + 1;
  return errors.ERR_QUERY_SYNTAX({ problem: `line ${line}, column ${column}: ${problem}`, line, column }, cause);
}

/** Comments and white space are not tokens. */
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

// What stands first wins, as in SPARQL's grammar: `<` begins an IRI wherever one can be read. A string that is not closed
// goes on to the end of the line or of the text, so that no other is looked for in it.
const forms: readonly (readonly [Token['kind'] | 'gap', string])[] = [
  ['gap', '\\s+|#[^\\n\\r]*'],
  ['iri', '<(?:[^<>"{}|^`\\\\\\u0000-\\u0020]|\\\\u[0-9A-Fa-f]{4}|\\\\U[0-9A-Fa-f]{8})*>'],
  [
    'string',
    '"""(?:"{0,2}(?:[^"\\\\]|\\\\[^]?))*(?:"""|"{0,2}$)|\'\'\'(?:\'{0,2}(?:[^\'\\\\]|\\\\[^]?))*(?:\'\'\'|\'{0,2}$)',
  ],
  ['string', '"(?:[^"\\\\\\n\\r]|\\\\[^]?)*(?:"|(?=[\\n\\r]|$))|\'(?:[^\'\\\\\\n\\r]|\\\\[^]?)*(?:\'|(?=[\\n\\r]|$))'],
  ['variable', `[?$][${VARIABLE}]+`],
  ['language', '@[A-Za-z]+(?:-[A-Za-z0-9]+)*'],
  ['blank', `_:[${PART}.]*`],
  ['name', `(?:[${LETTER}][${PART}.]*)?:(?:[${PART}:]|${ESCAPED}|\\.+(?=[${PART}:%\\\\]))*`],
  ['word', `[${LETTER}][\\p{L}\\p{N}_]*`],
  ['number', '[0-9]+'],
  ['other', '[^]'],
];
const patternOf = (used: typeof forms) => new RegExp(used.map(([, form]) => `(${form})`).join('|'), 'uy');
const pattern = patternOf(forms);
// The same, but that no name begins here.
const withoutNames = patternOf(forms.map((form) => (form[0] === 'name' ? ['name', '(?!)'] : form)));
const run = new RegExp(`[${PART}.]*`, 'uy');

/** The tokens of any text, without an error: whether it is a query, the parser finds out. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  // No name begins with a letter before it: a word without a colon is not searched again from each of its letters.
  let unnamedTo = 0;
  for (let offset = 0; offset < text.length; ) {
    const form = offset < unnamedTo ? withoutNames : pattern;
    form.lastIndex = offset;
    const match = form.exec(text);
    // Only half of a surrogate pair at the end fits no form.
    if (!match) break;
    const kind = forms[match.findIndex((group, index) => index > 0 && group !== undefined) - 1]?.[0];
    if (kind && kind !== 'gap') tokens.push({ kind, text: match[0], offset });
    offset += match[0].length;
    if (kind !== 'word' || offset < unnamedTo) continue;
    run.lastIndex = offset;
    unnamedTo = offset + (run.exec(text)?.[0].length ?? 0);
  }
  return tokens;
}

/** Whether a token is one of these keywords, in whatever case. */
export function isWord(token: Token | undefined, ...words: readonly string[]): token is Token {
  return token?.kind === 'word' && words.includes(token.text.toUpperCase());
}

/** The index of SELECT, CONSTRUCT, DESCRIBE or ASK after the prologue. */
export function formIndex(tokens: readonly Token[]): number {
  return tokens.findIndex((token) => isWord(token, 'SELECT', 'CONSTRUCT', 'DESCRIBE', 'ASK'));
}

/** Where a token ends; 0 where there is none. */
export function endOf(token: Token | undefined): number {
  return token ? token.offset + token.text.length : 0;
}

export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly by: string;
}

/** The text after edits, which do not overlap and come in the order of the text. */
export function edited(text: string, edits: readonly Edit[]): string {
  const kept = edits.map(({ from, by }, index) => text.slice(edits[index - 1]?.to ?? 0, from) + by);
  return kept.join('') + text.slice(edits.at(-1)?.to ?? 0);
}

/** The names that stand in a query or were made so far, while it becomes algebra. */
interface Names {
  variables: Set<string>;
}

interface NameRule {
  readonly name: 'findAllVariables';
  readonly fun: (...rules: never[]) => (names: Names, tree: object) => void;
}

const withNamesKept = new WeakSet<object>();

/**
 * At a subquery, Traqula (1.3.1) forgets which variables it has made for the steps of paths, so that two paths share them:
 * `{ ?a :p/:q ?b { SELECT ?b { ?b :r ?c } } { ?b :p/:q ?d } }` finds too little. This adds them again.
 *
 * @param builder - `toAlgebra12Builder`, of which there may be several copies; changed once each
 */
export function keepNames(builder: object): void {
  if (withNamesKept.has(builder)) return;
  withNamesKept.add(builder);
  const { rules } = builder as { readonly rules: { findAllVariables: NameRule } };
  const known = new WeakMap<Names, Set<string>>();
  const { name, fun } = rules.findAllVariables;
  rules.findAllVariables = {
    name,
    fun: (...given) => {
      const find = fun(...given);
      return (names, tree) => {
        find(names, tree);
        for (const variable of known.get(names) ?? []) names.variables.add(variable);
        known.set(names, names.variables);
      };
    },
  };
}

keepNames(toAlgebra12Builder);

/* RSP-QL as SPARQL of the same length, so that places in it are those of the text given.
 *
 *   REGISTER RSTREAM <out> AS SELECT * FROM NAMED WINDOW <w> ON <s> [RANGE PT10S STEP PT5S] { WINDOW <w> { ?s ?p ?o } }
 *                             SELECT *                                                      { GRAPH  <w> { ?s ?p ?o } }
 *   { "operator": "rstream", "windows": [ { "iri": "w", "stream": "s", "window": { "type": "time", "range": 10, "step": 5 } } ] }
 *
 * Tokens tell words from IRIs, strings and comments; what is read off them becomes blanks, and the parser reads the rest.
 */

import type { NamedNode } from '@rdfjs/types';
import type { ResultOperator, TimeWindowOptions } from '../options.ts';
import type { Operation } from './algebra.ts';
import {
  type Edit,
  edited,
  endOf,
  formIndex,
  isWord,
  parseSparql,
  type SparqlLibrary,
  syntaxError,
  type Token,
  tokensOf,
} from './sparql.ts';

/** A window that a query names by `FROM NAMED WINDOW`. */
export interface NamedWindow {
  /** IRI of the window: of the graph that holds its members. */
  readonly iri: string;
  /** IRI of the stream after `ON`. */
  readonly stream: string;
  readonly window: TimeWindowOptions;
}

interface TranslatedQuery {
  readonly text: string;
  readonly windows: readonly NamedWindow[];
  readonly operator?: ResultOperator;
}

/**
 * Translates what RSP-QL adds to SPARQL: `REGISTER RSTREAM <out> AS` and `FROM NAMED WINDOW <w> ON <s> [RANGE PT10S STEP PT5S]`
 * are taken out, `WINDOW <w> { ... }` becomes `GRAPH <w> { ... }`. A text without them is left as it is.
 *
 * @throws {@link StreamError} `ERR_QUERY_SYNTAX`
 * @see specs/query.md QUERY-50
 */
export function translateRspQl(library: SparqlLibrary, text: string): TranslatedQuery {
  const tokens = tokensOf(text);
  if (!tokens.some((token) => isWord(token, 'REGISTER', 'WINDOW'))) return { text, windows: [] };
  const edits: Edit[] = [];
  const replace = (from: number, to: number, by: string) => {
    edits.push({ from, to, by: by + text.slice(from + by.length, to).replace(/[^\n\r]/g, ' ') });
  };
  let operator: ResultOperator | undefined;
  const declared: Declared[] = [];
  const used: Token[] = [];
  for (const [at, token] of tokens.entries()) {
    const reader = new RspQlReader(text, tokens, at + 1);
    if (isWord(token, 'REGISTER') && !operator) {
      operator = readOperator(reader);
      replace(token.offset, reader.end, '');
    } else if (isWord(token, 'WINDOW') && isWord(tokens[at - 1], 'NAMED') && isWord(tokens[at - 2], 'FROM')) {
      declared.push(readWindow(text, reader));
      replace(tokens[at - 2]?.offset ?? 0, reader.end, '');
    } else if (isWord(token, 'WINDOW')) {
      used.push(reader.iri('a window'));
      replace(token.offset, endOf(token), 'GRAPH');
    }
  }
  const translated = edited(text, edits);
  const windows = resolve(library, translated, declared, used);
  return { text: translated, windows, ...(operator && { operator }) };
}

interface Declared {
  readonly name: Token;
  readonly stream: Token;
  readonly range: number;
  readonly step: number;
}

function readOperator(reader: RspQlReader): ResultOperator {
  const operator = reader.word('RSTREAM', 'ISTREAM', 'DSTREAM').toLowerCase() as ResultOperator;
  if (!isWord(reader.next, 'AS')) reader.iri('the stream that is made');
  reader.word('AS');
  return operator;
}

function readWindow(text: string, reader: RspQlReader): Declared {
  const name = reader.iri('a window');
  reader.word('ON');
  if (isWord(reader.next, 'STREAM')) reader.take();
  const stream = reader.iri('a stream');
  reader.sign('[');
  reader.word('RANGE');
  const range = readLength(text, reader, 'RANGE');
  let step = range;
  if (isWord(reader.next, 'STEP')) {
    reader.take();
    step = readLength(text, reader, 'STEP');
  }
  reader.sign(']');
  return { name, stream, range, step };
}

function readLength(text: string, reader: RspQlReader, what: string): number {
  const written = reader.joined(`a duration such as PT10S after ${what}`);
  const seconds = windowSeconds(written.text);
  const shown = `${what} ${written.text.slice(0, 40)}`;
  if (seconds === undefined) {
    throw syntaxError(text, written.offset, `${shown} is no duration such as PT10S or 10s, without years and months`);
  }
  // What is below a millisecond is no time that members have.
  if (!(seconds >= 0.001 && Number.isSafeInteger(Math.round(seconds * 1_000)))) {
    throw syntaxError(text, written.offset, `${shown} must be a millisecond or more, and countable`);
  }
  return seconds;
}

const ISO = /^P(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
const SHORT = /^(\d+)(ms|s|m|h|d)$/;
const shortUnits: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400 };

/**
 * Seconds of a length as RSP-QL writes it: a duration of XML Schema (`PT10S`) without years and months, which have no
 * fixed length, or a number with its unit (`10s`, `500ms`, `5m`, `1h`, `1d`).
 */
function windowSeconds(text: string): number | undefined {
  const short = SHORT.exec(text);
  if (short) return (Number(short[1]) * 1_000 * (shortUnits[short[2] ?? ''] ?? Number.NaN)) / 1_000;
  const iso = text === 'P' ? null : ISO.exec(text);
  if (!iso) return undefined;
  return [86_400, 3_600, 60, 1].reduce((sum, unit, at) => sum + unit * Number(iso[at + 1] ?? 0), 0);
}

function resolve(
  library: SparqlLibrary,
  text: string,
  declared: readonly Declared[],
  used: readonly Token[],
): NamedWindow[] {
  const tokens = tokensOf(text);
  const prologue = text.slice(0, tokens[formIndex(tokens)]?.offset ?? text.length);
  // Alone first: what is wrong with the prologue is told by its own place.
  parseSparql(library, `${prologue}ASK {}`);
  // By name: each is read with the whole prologue before it.
  const known = new Map<string, string>();
  const iriOf = ({ text: name, offset }: Token): string => {
    try {
      const iri = known.get(name) ?? graphOf(parseSparql(library, `${prologue}ASK { GRAPH ${name} { } }`).algebra);
      known.set(name, iri);
      return iri;
    } catch (error) {
      throw syntaxError(text, offset, `${name} is no IRI; is its prefix declared?`, error);
    }
  };
  const windows = new Map<string, NamedWindow>();
  for (const { name, stream, range, step } of declared) {
    const iri = iriOf(name);
    if (windows.has(iri)) throw syntaxError(text, name.offset, `the window ${iri} is declared twice`);
    windows.set(iri, { iri, stream: iriOf(stream), window: { type: 'time', range, step } });
  }
  for (const name of used) {
    const iri = iriOf(name);
    if (windows.has(iri)) continue;
    const remedy = `add FROM NAMED WINDOW ${name.text} ON ...`;
    throw syntaxError(text, name.offset, `the window ${iri} is not declared; ${remedy}`);
  }
  return [...windows.values()];
}

function graphOf(algebra: Operation): string {
  const { input } = algebra as Operation & { readonly type: 'ask' };
  return (input as { readonly name: NamedNode }).name.value;
}

/** Reads what RSP-QL adds off the tokens of a query, one after the other. */
class RspQlReader {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #at: number;

  constructor(text: string, tokens: readonly Token[], at: number) {
    this.#text = text;
    this.#tokens = tokens;
    this.#at = at;
  }

  /** The token that comes next. */
  get next(): Token | undefined {
    return this.#tokens[this.#at];
  }

  /** Where the token that was taken last ends. */
  get end(): number {
    return endOf(this.#tokens[this.#at - 1]);
  }

  /** Takes one of these words, whatever its case. @throws {@link StreamError} `ERR_QUERY_SYNTAX` - it is another */
  word(...words: readonly string[]): string {
    if (!isWord(this.next, ...words)) throw this.#unexpected(words.join(' or '));
    return this.take().text.toUpperCase();
  }

  /** Takes a sign. */
  sign(sign: string): void {
    if (this.next?.text !== sign) throw this.#unexpected(sign);
    this.take();
  }

  /** Takes an IRI or a prefixed name. */
  iri(what: string): Token {
    if (this.next?.kind !== 'iri' && this.next?.kind !== 'name') throw this.#unexpected(`the IRI of ${what}`);
    return this.take();
  }

  /** Takes what stands together without a gap, as `PT0.5S` does, which SPARQL has no token for. */
  joined(what: string): Pick<Token, 'text' | 'offset'> {
    if (!this.next || this.next.text === ']') throw this.#unexpected(what);
    const { offset } = this.next;
    do this.take();
    while (this.next?.offset === this.end && this.next.text !== ']');
    return { text: this.#text.slice(offset, this.end), offset };
  }

  /** Takes the token that comes next, which is there. */
  take(): Token {
    return this.#tokens[this.#at++] as Token;
  }

  #unexpected(expected: string): Error {
    const offset = this.next?.offset ?? this.#text.length;
    return syntaxError(this.#text, offset, `${expected} is expected${this.next ? '' : ', but it ends'}`);
  }
}

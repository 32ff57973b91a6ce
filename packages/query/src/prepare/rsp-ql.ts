/* RSP-QL as SPARQL of the same length, so that places in it are those of the text given.
 *
 *   REGISTER RSTREAM <out> AS SELECT * FROM NAMED WINDOW <w> ON <s> [RANGE PT10S STEP PT5S] { WINDOW <w> { ?s ?p ?o } }
 *                             SELECT *                                                      { GRAPH  <w> { ?s ?p ?o } }
 *   { "operator": "rstream", "windows": [ { "iri": "w", "stream": "s", "window": { "type": "time", "range": 10, "step": 5 } } ] }
 *
 * Tokens tell words from IRIs, strings and comments. What is read from them is replaced by blanks, and the parser reads the rest.
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
export function translateRspQl(text: string): TranslatedQuery {
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
      declared.push(readWindow(reader));
      replace(tokens[at - 2]?.offset ?? 0, reader.end, '');
    } else if (isWord(token, 'WINDOW')) {
      used.push(reader.iri('a window'));
      replace(token.offset, endOf(token), 'GRAPH');
    }
  }
  const translated = edited(text, edits);
  const windows = resolve(translated, declared, used);
  return { text: translated, windows, ...(operator && { operator }) };
}

interface Declared {
  readonly name: Token;
  readonly stream: Token;
  readonly range: number;
  readonly step: number;
}

function readOperator(reader: RspQlReader): ResultOperator {
  const operator = reader.expect('RSTREAM', 'ISTREAM', 'DSTREAM').toLowerCase() as ResultOperator;
  if (!isWord(reader.next, 'AS')) reader.iri('the output stream');
  reader.expect('AS');
  return operator;
}

function readWindow(reader: RspQlReader): Declared {
  const name = reader.iri('a window');
  reader.expect('ON');
  if (isWord(reader.next, 'STREAM')) reader.expect('STREAM');
  const stream = reader.iri('a stream');
  reader.expect('[');
  const range = reader.length('RANGE');
  const step = isWord(reader.next, 'STEP') ? reader.length('STEP') : range;
  reader.expect(']');
  return { name, stream, range, step };
}

const ISO = /^P(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
const SHORT = /^(\d+)(ms|s|m|h|d)$/;
const shortUnits: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400 };

/** Seconds of a duration of XML Schema (`PT10S`) without years and months, which vary, or of a number with its unit (`10s`). */
function windowSeconds(text: string): number | undefined {
  const short = SHORT.exec(text);
  if (short) return (Number(short[1]) * 1_000 * (shortUnits[short[2] ?? ''] ?? Number.NaN)) / 1_000;
  const iso = text === 'P' ? null : ISO.exec(text);
  if (!iso) return undefined;
  return [86_400, 3_600, 60, 1].reduce((sum, unit, at) => sum + unit * Number(iso[at + 1] ?? 0), 0);
}

function resolve(text: string, declared: readonly Declared[], used: readonly Token[]): NamedWindow[] {
  const tokens = tokensOf(text);
  const prologue = text.slice(0, tokens[formIndex(tokens)]?.offset ?? text.length);
  // Alone first, so that an error of the prologue names its own place.
  parseSparql(`${prologue}ASK {}`);
  // By name, since each is read with the whole prologue before it.
  const known = new Map<string, string>();
  const iriOf = ({ text: name, offset }: Token): string => {
    try {
      const iri = known.get(name) ?? graphOf(parseSparql(`${prologue}ASK { GRAPH ${name} { } }`).algebra);
      known.set(name, iri);
      return iri;
    } catch (error) {
      throw syntaxError(text, offset, `${name} is not an IRI. Check that its prefix is declared`, error);
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

class RspQlReader {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #at: number;

  constructor(text: string, tokens: readonly Token[], at: number) {
    this.#text = text;
    this.#tokens = tokens;
    this.#at = at;
  }

  get next(): Token | undefined {
    return this.#tokens[this.#at];
  }

  /** Where the last token that was taken ends. */
  get end(): number {
    return endOf(this.#tokens[this.#at - 1]);
  }

  /** Takes one of these words or signs, whatever its case. @throws {@link StreamError} `ERR_QUERY_SYNTAX` - it is another */
  expect(...expected: readonly string[]): string {
    const found = this.next?.text.toUpperCase();
    if (found === undefined || !expected.includes(found)) throw this.#unexpected(expected.join(' or '));
    this.#at += 1;
    return found;
  }

  /** Takes an IRI or a prefixed name. */
  iri(what: string): Token {
    if (this.next?.kind !== 'iri' && this.next?.kind !== 'name') throw this.#unexpected(`the IRI of ${what}`);
    return this.#tokens[this.#at++] as Token;
  }

  /** Takes a word and the seconds after it: all that stands together, as `PT0.5S`, which is several tokens. */
  length(what: 'RANGE' | 'STEP'): number {
    this.expect(what);
    if (!this.next || this.next.text === ']') throw this.#unexpected(`a duration such as PT10S after ${what}`);
    const { offset } = this.next;
    do this.#at += 1;
    while (this.next?.offset === this.end && this.next.text !== ']');
    const written = this.#text.slice(offset, this.end);
    const seconds = windowSeconds(written);
    const shown = `${what} ${written.slice(0, 40)}`;
    if (seconds === undefined) {
      const problem = `${shown} is not a duration such as PT10S or 10s, without years and months`;
      throw syntaxError(this.#text, offset, problem);
    }
    // Members have times to the millisecond.
    if (!(seconds >= 0.001 && Number.isSafeInteger(Math.round(seconds * 1_000)))) {
      throw syntaxError(this.#text, offset, `${shown} must be at least a millisecond, and not too large to count`);
    }
    return seconds;
  }

  #unexpected(expected: string): Error {
    const offset = this.next?.offset ?? this.#text.length;
    return syntaxError(this.#text, offset, `${expected} is expected${this.next ? '' : ', but it ends'}`);
  }
}

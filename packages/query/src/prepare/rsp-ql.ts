import type { StreamError } from '@ldes-live/rdf-stream';
import type { NamedNode } from '@rdfjs/types';
import type { ResultOperator, TimeWindowOptions } from '../options.ts';
import type { Operation } from './algebra.ts';
import { formIndex, isWord, parseSparql, type SparqlLibrary, syntaxError, type Token, tokensOf } from './sparql.ts';

/** A window that a query names by `FROM NAMED WINDOW`. */
export interface NamedWindow {
  /** IRI of the window: of the graph that holds its members. */
  readonly iri: string;
  /** IRI of the stream after `ON`. */
  readonly stream: string;
  readonly window: TimeWindowOptions;
}

/** A query of RSP-QL as SPARQL. */
interface TranslatedQuery {
  /** SPARQL that is as long, line by line, so that places in it are those of the text given. */
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
  const gaps: Gap[] = [];
  const operator = readRegister(text, tokens, gaps);
  const declared: Declared[] = [];
  const used: Token[] = [];
  for (const [at, token] of tokens.entries()) {
    if (!isWord(token, 'WINDOW')) continue;
    if (isWord(tokens[at - 1], 'NAMED') && isWord(tokens[at - 2], 'FROM')) {
      const from = tokens[at - 2]?.offset ?? 0;
      const reader = new RspQlReader(text, tokens, at + 1);
      declared.push(readWindow(text, reader));
      gaps.push({ from, to: reader.end, by: '' });
    } else {
      used.push(new RspQlReader(text, tokens, at + 1).iri('a window'));
      gaps.push({ from: token.offset, to: token.offset + token.text.length, by: 'GRAPH' });
    }
  }
  const translated = fill(text, gaps);
  const windows = resolve(library, translated, declared, used);
  return { text: translated, windows, ...(operator && { operator }) };
}

interface Gap {
  readonly from: number;
  readonly to: number;
  readonly by: string;
}

interface Declared {
  readonly name: Token;
  readonly stream: Token;
  readonly range: number;
  readonly step: number;
}

function readRegister(text: string, tokens: readonly Token[], gaps: Gap[]): ResultOperator | undefined {
  const at = tokens.findIndex((token) => isWord(token, 'REGISTER'));
  if (at < 0) return undefined;
  const reader = new RspQlReader(text, tokens, at + 1);
  const operator = reader.word('RSTREAM', 'ISTREAM', 'DSTREAM').toLowerCase() as ResultOperator;
  if (!isWord(reader.next, 'AS')) reader.iri('the stream that is made');
  reader.word('AS');
  gaps.push({ from: tokens[at]?.offset ?? 0, to: reader.end, by: '' });
  return operator;
}

function readWindow(text: string, reader: RspQlReader): Declared {
  const name = reader.iri('a window');
  reader.word('ON');
  reader.skip('STREAM');
  const stream = reader.iri('a stream');
  reader.sign('[');
  reader.word('RANGE');
  const range = readLength(text, reader, 'RANGE');
  const step = reader.skip('STEP') ? readLength(text, reader, 'STEP') : range;
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

function fill(text: string, gaps: readonly Gap[]): string {
  let filled = text;
  for (const { from, to, by } of gaps) {
    const blank = filled.slice(from, to).replace(/[^\n\r]/g, ' ');
    filled = filled.slice(0, from) + by + blank.slice(by.length) + filled.slice(to);
  }
  return filled;
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
  const iriOf = (name: Token): string => {
    const probe = `${prologue}ASK { GRAPH ${name.text} { } }`;
    try {
      return graphOf(parseSparql(library, probe).algebra);
    } catch (error) {
      throw syntaxError(text, name.offset, `${name.text} is no IRI; is its prefix declared?`, error);
    }
  };
  const windows: NamedWindow[] = [];
  for (const { name, stream, range, step } of declared) {
    const iri = iriOf(name);
    if (windows.some((window) => window.iri === iri))
      throw syntaxError(text, name.offset, `the window ${iri} is declared twice`);
    windows.push({ iri, stream: iriOf(stream), window: { type: 'time', range, step } });
  }
  for (const name of used) {
    const iri = iriOf(name);
    if (windows.some((window) => window.iri === iri)) continue;
    throw syntaxError(
      text,
      name.offset,
      `the window ${iri} is not declared; add FROM NAMED WINDOW ${name.text} ON ...`,
    );
  }
  return windows;
}

function graphOf(algebra: Operation): string {
  const { input } = algebra as Operation & { readonly type: 'ask' };
  return (input as { readonly name: NamedNode }).name.value;
}

/** Reads what RSP-QL adds to SPARQL off a query's tokens, one after the other. */
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
    const last = this.#tokens[this.#at - 1];
    return last ? last.offset + last.text.length : 0;
  }

  /** Takes one of these words, whatever its case. @throws {@link StreamError} `ERR_QUERY_SYNTAX` - it is another */
  word(...words: readonly string[]): string {
    if (!isWord(this.next, ...words)) throw this.unexpected(words.join(' or '));
    return this.take().text.toUpperCase();
  }

  /** Takes a word if it is there. */
  skip(word: string): boolean {
    if (!isWord(this.next, word)) return false;
    this.#at += 1;
    return true;
  }

  /** Takes a sign. */
  sign(sign: string): void {
    if (this.next?.text !== sign) throw this.unexpected(sign);
    this.#at += 1;
  }

  /** Takes an IRI or a prefixed name. */
  iri(what: string): Token {
    if (this.next?.kind !== 'iri' && this.next?.kind !== 'name') throw this.unexpected(`the IRI of ${what}`);
    return this.take();
  }

  /** Takes what stands together without a gap, as `PT0.5S` does, which SPARQL has no token for. */
  joined(what: string): { readonly text: string; readonly offset: number } {
    const offset = this.next?.offset ?? this.#text.length;
    if (!this.next || this.next.text === ']') throw this.unexpected(what);
    let text = this.take().text;
    while (this.next?.offset === this.end && this.next.text !== ']') text += this.take().text;
    return { text, offset };
  }

  /** The error that something else should stand here. */
  unexpected(expected: string): StreamError {
    const offset = this.next?.offset ?? this.#text.length;
    return syntaxError(this.#text, offset, `${expected} is expected${this.next ? '' : ', but it ends'}`);
  }

  private take(): Token {
    const token = this.next;
    if (!token) throw this.unexpected('more');
    this.#at += 1;
    return token;
  }
}

const ISO = /^P(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
const SHORT = /^(\d+)(ms|s|m|h|d)$/;
const seconds: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400 };

/**
 * The length of a window as RSP-QL writes it: a duration of XML Schema (`PT10S`) without years and months, which have no
 * fixed length, or a number with its unit (`10s`, `500ms`, `5m`, `1h`, `1d`).
 *
 * @returns seconds; `undefined` when it is none
 */
function windowSeconds(text: string): number | undefined {
  const short = SHORT.exec(text);
  if (short) return (Number(short[1]) * 1_000 * (seconds[short[2] ?? ''] ?? Number.NaN)) / 1_000;
  const iso = text === 'P' ? null : ISO.exec(text);
  if (!iso) return undefined;
  const [days, hours, minutes, rest] = iso.slice(1).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
  ];
  return days * 86_400 + hours * 3_600 + minutes * 60 + rest;
}

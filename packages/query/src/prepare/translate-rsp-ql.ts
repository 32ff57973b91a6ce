import type { NamedNode } from '@rdfjs/types';
import type { NamedWindow } from '../prepared-query.ts';
import type { ResultOperator } from '../view-options.ts';
import type { Operation } from './algebra.ts';
import { parseSparql } from './parse-sparql.ts';
import { RspQlReader } from './rsp-ql-reader.ts';
import type { SparqlLibrary } from './sparql-library.ts';
import { formIndex, isWord, type Token, tokensOf } from './sparql-tokens.ts';
import { syntaxError } from './syntax-error.ts';
import { windowSeconds } from './window-duration.ts';

/** A query of RSP-QL as SPARQL. */
export interface TranslatedQuery {
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

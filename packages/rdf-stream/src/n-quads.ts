// N-Quads and N-Triples: a fast reader of what nearly everybody writes, and the canonical writer.
//
//   [quad(<http://e/s>, <http://e/p>, "a\nb")] --lineText--> <http://e/s> <http://e/p> "a\\nb" .
//   fastLines(text, true) -> the quads, or undefined: then a parser of the whole grammar has to read it
//
// Why there is a reader of our own beside N3.js, and what it gains: specs/dependencies.md.

import type { BlankNode, Literal, NamedNode, Quad, Quad_Object, Quad_Subject, Term } from '@rdfjs/types';
import { blankNode, isDatatypeOfLanguage, languageLiteral, literal, namedNode, quad } from './terms.ts';
import { xsd } from './vocabulary.ts';

/** Writes checked quads as N-Triples or N-Quads: one canonical line each, in the order given. */
export function lineText(quads: readonly Quad[]): string {
  const lines = quads.map(({ subject, predicate, object, graph }) => {
    const name = graph.termType === 'DefaultGraph' ? '' : ` ${termText(graph)}`;
    return `${termText(subject)} ${termText(predicate)} ${termText(object)}${name} .\n`;
  });
  // In one piece: what is put together by `+` keeps all its parts until somebody reads it.
  return lines.join('');
}

/** Writes a checked IRI, blank node or literal as N-Triples does; IRIs by `writeIri`. */
export function termText(term: Term, writeIri: (iri: string) => string = angleBrackets): string {
  if (term.termType === 'BlankNode') return `_:${term.value}`;
  if (term.termType !== 'Literal') return writeIri(term.value);
  const text = `"${term.value.replace(TO_ESCAPE, escapeOf)}"`;
  if (term.language !== '') return `${text}@${term.language}`;
  return term.datatype.value === xsd.string ? text : `${text}^^${writeIri(term.datatype.value)}`;
}

/** Writes an IRI in full. */
export function angleBrackets(iri: string): string {
  return `<${iri}>`;
}

// As canonical N-Triples asks for, so that equal quads are equal bytes.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what has to be escaped.
const TO_ESCAPE = /[\x00-\x1f"\\\x7f\ufffe\uffff]/g;

function escapeOf(character: string): string {
  // Short escapes are those of JSON.
  const short = JSON.stringify(character).slice(1, -1);
  return short.length === 2 ? short : `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * Reads N-Quads or N-Triples as nearly everybody writes them, one statement a line, several times as fast as a parser
 * of the whole grammar; `undefined` for a text with anything else in it, well-formed or not, or with a longer IRI.
 *
 * @param hasGraphs - whether statements may name a graph: N-Quads
 */
export function fastLines(text: string, hasGraphs: boolean, limitIriCharacters = Infinity): Quad[] | undefined {
  const reader = new LineReader(text, limitIriCharacters);
  const quads: Quad[] = [];
  while (reader.skipBlank()) {
    const subject = reader.subject();
    const predicate = subject && reader.iri();
    const object = predicate && reader.object();
    if (!object) return undefined;
    const graph = hasGraphs && !reader.sees('.') ? reader.node() : null;
    if (graph === undefined || !reader.take(END)) return undefined;
    quads.push(quad(subject, predicate, object, graph ?? undefined));
  }
  return quads;
}

// Sticky, so that they look at one place only. An IRI has a scheme, so that nothing is left to resolve.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what an IRI may not have.
const IRI = /<[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|^`\\\x7f-\x9f]*>[ \t]*/y;
const LABEL = /_:[A-Za-z0-9_][A-Za-z0-9_-]*(?![A-Za-z0-9_.:\u00b7-\uffff-])[ \t]*/y;
const PLAIN = /"[^"\\\n\r]*"/y;
// Repeated by escapes and not by characters: of some ten million repetitions the stack overflows.
const ESCAPED = /"[^"\\\n\r]*(?:\\(?:[tbnrf"'\\]|u(?![Dd][89A-Fa-f])[0-9A-Fa-f]{4})[^"\\\n\r]*)*"/y;
const LANGUAGE = /@[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*(?![A-Za-z0-9-])[ \t]*/y;
const END = /\.[ \t]*(?:\r?\n|$)/y;
const BLANK = /[ \t\r\n]+|#[^\r\n]*/y;
const SPACE = /[ \t]*/y;
const ESCAPE = /\\(?:u.{4}|.)/g;

// The most IRIs that are kept for their next use, which is nearly always soon.
const LIMIT_KEPT = 4096;

class LineReader {
  readonly #text: string;
  readonly #limitIriCharacters: number;
  #at = 0;
  #kept = new Map<string, NamedNode>();
  #lastText = '';
  #last: Quad_Subject | undefined;

  constructor(text: string, limitIriCharacters: number) {
    this.#text = text;
    this.#limitIriCharacters = limitIriCharacters;
  }

  take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  sees(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  // Goes to the next statement; false when there is none.
  skipBlank(): boolean {
    if (!this.sees('<')) while (this.take(BLANK));
    return this.#at < this.#text.length;
  }

  subject(): Quad_Subject | undefined {
    // Most documents say what they say of a subject in one go.
    if (this.#last && this.sees(this.#lastText)) {
      this.#at += this.#lastText.length;
      return this.#last;
    }
    const from = this.#at;
    this.#last = this.node();
    this.#lastText = this.#text.slice(from, this.#at);
    return this.#last;
  }

  object(): Quad_Object | undefined {
    return this.sees('"') ? this.#literal() : this.node();
  }

  node(): NamedNode | BlankNode | undefined {
    if (this.sees('<')) return this.iri();
    const from = this.#at;
    return this.take(LABEL) ? blankNode(this.#text.slice(from + 2, this.#at).trimEnd()) : undefined;
  }

  iri(): NamedNode | undefined {
    const from = this.#at;
    if (!this.take(IRI)) return undefined;
    const value = this.#text.slice(from + 1, this.#text.indexOf('>', from));
    let node = this.#kept.get(value);
    if (!node) {
      if (value.length > this.#limitIriCharacters) return undefined;
      node = namedNode(value);
      if (this.#kept.size >= LIMIT_KEPT) this.#kept.clear();
      this.#kept.set(value, node);
    }
    return node;
  }

  #literal(): Literal | undefined {
    const from = this.#at;
    const isPlain = this.take(PLAIN);
    if (!isPlain && !this.take(ESCAPED)) return undefined;
    const inner = this.#text.slice(from + 1, this.#at - 1);
    const value = isPlain ? inner : inner.replace(ESCAPE, characterOf);
    if (this.sees('^^')) {
      this.#at += 2;
      const datatype = this.iri();
      return !datatype || isDatatypeOfLanguage(datatype.value) ? undefined : literal(value, datatype.value);
    }
    const tag = this.#at;
    if (this.take(LANGUAGE)) return languageLiteral(value, this.#text.slice(tag + 1, this.#at).trimEnd());
    // Whatever else follows ends no statement.
    this.take(SPACE);
    return literal(value);
  }
}

function characterOf(escaped: string): string {
  // The only escape that JSON does not have.
  return escaped === "\\'" ? "'" : (JSON.parse(`"${escaped}"`) as string);
}

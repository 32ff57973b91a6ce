// N-Quads and N-Triples: a fast reader of what nearly everybody writes, and the canonical writer.
//
//   [quad(<http://e/s>, <http://e/p>, "a\nb")] --lineText--> <http://e/s> <http://e/p> "a\\nb" .
//   fastLines(text, true) -> the quads, or undefined: then a parser of the whole grammar has to read it
//
// Why there is a reader of our own beside N3.js, and what it gains: specs/dependencies.md.

import type { BlankNode, Literal, NamedNode, Quad, Quad_Graph, Quad_Object, Quad_Subject, Term } from '@rdfjs/types';
import { blankNode, languageLiteral, literal, namedNode, quad } from './terms.ts';
import { xsd } from './vocabulary.ts';

/** Writes checked quads as N-Triples or N-Quads: one canonical line each, in the order given. */
export function lineText(quads: readonly Quad[]): string {
  let text = '';
  for (const { subject, predicate, object, graph } of quads) {
    const name = graph.termType === 'DefaultGraph' ? '' : ` ${termText(graph)}`;
    text += `${termText(subject)} ${termText(predicate)} ${termText(object)}${name} .\n`;
  }
  return text;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
};

// As canonical N-Triples asks for, so that equal quads are equal bytes.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what has to be escaped.
const TO_ESCAPE = /[\x00-\x1f"\\\x7f\ufffe\uffff]/g;

/** Writes a checked IRI, blank node or literal as N-Triples does; IRIs by `writeIri`. */
export function termText(term: Term, writeIri: (iri: string) => string = angleBrackets): string {
  if (term.termType === 'BlankNode') return `_:${term.value}`;
  return term.termType === 'Literal' ? literalText(term, writeIri) : writeIri(term.value);
}

/** Writes an IRI in full. */
export function angleBrackets(iri: string): string {
  return `<${iri}>`;
}

function literalText({ value, language, datatype }: Literal, writeIri: (iri: string) => string): string {
  const text = `"${value.replace(TO_ESCAPE, escapeCharacter)}"`;
  if (language !== '') return `${text}@${language}`;
  return datatype.value === xsd.string ? text : `${text}^^${writeIri(datatype.value)}`;
}

function escapeCharacter(character: string): string {
  const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return ESCAPES[character] ?? `\\u${code}`;
}

/**
 * Reads N-Quads or N-Triples as nearly everybody writes them, one statement a line, several times as fast as a parser
 * of the whole grammar; `undefined` for a text with anything else in it, well-formed or not.
 *
 * @param hasGraphs - whether statements may name a graph: N-Quads
 */
export function fastLines(text: string, hasGraphs: boolean): Quad[] | undefined {
  const reader = new LineReader(text);
  const quads: Quad[] = [];
  while (reader.skipBlank()) {
    const subject = reader.subject();
    const predicate = subject && reader.iri();
    const object = predicate && reader.object();
    if (!object) return undefined;
    const graph = hasGraphs ? reader.subjectOrNothing() : null;
    if (graph === undefined || !reader.end()) return undefined;
    quads.push(graph === null ? quad(subject, predicate, object) : quad(subject, predicate, object, graph));
  }
  return reader.isAtEnd ? quads : undefined;
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
const BLANK = /(?:[ \t\r\n]+|#[^\r\n]*(?:[\r\n]|$))*/y;
const SPACE = /[ \t]*/y;

const ESCAPE = /\\(?:u([0-9A-Fa-f]{4})|(.))/g;
const CHARACTERS: Readonly<Record<string, string>> = { t: '\t', b: '\b', n: '\n', r: '\r', f: '\f' };

// The most IRIs that are kept for their next use, which is nearly always soon.
const LIMIT_KEPT = 4096;

class LineReader {
  readonly #text: string;
  #at = 0;
  #kept = new Map<string, NamedNode>();
  #lastText = '';
  #last: Quad_Subject | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  // Goes to the next statement; false when there is none.
  skipBlank(): boolean {
    const code = this.#text.charCodeAt(this.#at);
    if (code === LESS || code === UNDERSCORE) return true;
    this.#take(BLANK);
    return !this.isAtEnd;
  }

  subject(): Quad_Subject | undefined {
    // Most documents say what they say of a subject in one go.
    if (this.#last && this.#text.startsWith(this.#lastText, this.#at)) {
      this.#at += this.#lastText.length;
      return this.#last;
    }
    const from = this.#at;
    this.#last = this.#node();
    this.#lastText = this.#text.slice(from, this.#at);
    return this.#last;
  }

  // An IRI or a blank node; `null` where the statement ends instead.
  subjectOrNothing(): Quad_Graph | undefined | null {
    return this.#text.charCodeAt(this.#at) === DOT ? null : this.#node();
  }

  object(): Quad_Object | undefined {
    return this.#text.charCodeAt(this.#at) === QUOTE ? this.#literal() : this.#node();
  }

  iri(): NamedNode | undefined {
    const from = this.#at;
    if (!this.#take(IRI)) return undefined;
    const value = this.#text.slice(from + 1, this.#text.indexOf('>', from));
    let node = this.#kept.get(value);
    if (!node) {
      node = namedNode(value);
      if (this.#kept.size >= LIMIT_KEPT) this.#kept.clear();
      this.#kept.set(value, node);
    }
    return node;
  }

  end(): boolean {
    return this.#take(END);
  }

  #node(): NamedNode | BlankNode | undefined {
    if (this.#text.charCodeAt(this.#at) === LESS) return this.iri();
    const from = this.#at;
    return this.#take(LABEL) ? blankNode(this.#text.slice(from + 2, this.#at).trimEnd()) : undefined;
  }

  #literal(): Quad_Object | undefined {
    const from = this.#at;
    const isPlain = this.#take(PLAIN);
    if (!isPlain && !this.#take(ESCAPED)) return undefined;
    const inner = this.#text.slice(from + 1, this.#at - 1);
    const value = isPlain ? inner : unescaped(inner);
    const code = this.#text.charCodeAt(this.#at);
    if (code === CARET) {
      if (!this.#text.startsWith('^^', this.#at)) return undefined;
      this.#at += 2;
      const datatype = this.iri();
      // Of a text with a language, which would have to be stated.
      return !datatype || /angString$/.test(datatype.value) ? undefined : literal(value, datatype.value);
    }
    const tag = this.#at;
    if (code === AT) {
      return this.#take(LANGUAGE) ? languageLiteral(value, this.#text.slice(tag + 1, this.#at).trimEnd()) : undefined;
    }
    this.#take(SPACE);
    return literal(value);
  }

  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }
}

const [LESS, UNDERSCORE, DOT, QUOTE, CARET, AT] = [...'<_."^@'].map((character) => character.charCodeAt(0));

function unescaped(text: string): string {
  return text.replace(ESCAPE, (_, hex: string | undefined, letter: string) =>
    hex === undefined ? (CHARACTERS[letter] ?? letter) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

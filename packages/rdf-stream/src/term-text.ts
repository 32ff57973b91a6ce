import type { Literal, Term } from '@rdfjs/types';
import { xsd } from './vocabulary.ts';

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
const ESCAPED = /[\x00-\x1f"\\\x7f\ufffe\uffff]/g;

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
  const text = `"${value.replace(ESCAPED, escapeCharacter)}"`;
  if (language !== '') return `${text}@${language}`;
  return datatype.value === xsd.string ? text : `${text}^^${writeIri(datatype.value)}`;
}

function escapeCharacter(character: string): string {
  const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return ESCAPES[character] ?? `\\u${code}`;
}

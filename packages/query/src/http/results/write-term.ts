import type { Literal, Quad, Term } from '@rdfjs/types';

/** The datatype of literals that need not name one. */
const XSD_STRING = 'http://www.w3.org/2001/XMLSchema#string';

/** A literal, also one of RDF 1.2 that has a direction. */
type DirectedLiteral = Literal & { readonly direction?: string | null };

/** A term as N-Triples write it; a variable is not one of these. @see https://www.w3.org/TR/n-triples/#canonical-ntriples */
export function writeTerm(term: Term): string {
  switch (term.termType) {
    case 'NamedNode':
      return `<${escapeIri(term.value)}>`;
    case 'BlankNode':
      return `_:${term.value}`;
    case 'Literal':
      return `"${escapeText(term.value)}"${suffixOf(term)}`;
    case 'Quad':
      return `<<( ${writeTerm(term.subject)} ${writeTerm(term.predicate)} ${writeTerm(term.object)} )>>`;
    default:
      return '';
  }
}

/** A quad as a line of N-Quads, which is one of N-Triples where it is in the default graph. */
export function writeQuad({ subject, predicate, object, graph }: Quad): string {
  const named = graph.termType === 'DefaultGraph' ? '' : ` ${writeTerm(graph)}`;
  return `${writeTerm(subject)} ${writeTerm(predicate)} ${writeTerm(object)}${named} .\n`;
}

/** What a literal has of its own beside its text: a language and a direction, or a datatype that is not of plain text. */
export function literalKind(literal: Literal): { language?: string; direction?: string; datatype?: string } {
  const { language, direction, datatype } = literal as DirectedLiteral;
  if (language) return { language, ...(direction && { direction }) };
  return datatype.value === XSD_STRING ? {} : { datatype: datatype.value };
}

function suffixOf(literal: Literal): string {
  const { language, direction, datatype } = literalKind(literal);
  if (language !== undefined) return `@${language}${direction === undefined ? '' : `--${direction}`}`;
  return datatype === undefined ? '' : `^^<${escapeIri(datatype)}>`;
}

const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to be escaped.
  return text.replace(/["\\\u0000-\u001f\u007f]/g, (found) => ESCAPES[found] ?? escapeCode(found));
}

function escapeIri(iri: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to be escaped.
  return iri.replace(/[\u0000-\u0020<>"{}|^`\\]/g, escapeCode);
}

function escapeCode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

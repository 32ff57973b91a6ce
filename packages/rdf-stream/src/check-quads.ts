import type { Literal, Quad, Term } from '@rdfjs/types';
import { errors } from './errors.ts';
import { isIri } from './iri.ts';
import type { Format } from './protocol.ts';
import { rdf } from './vocabulary.ts';

const withoutGraphs: ReadonlySet<Format> = new Set(['turtle', 'ntriples']);

// BLANK_NODE_LABEL of Turtle, which every other format reads too: that of N-Quads, but for colons.
const LETTER =
  String.raw`A-Za-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C\u200D\u2070-\u218F
\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\u{10000}-\u{EFFFF}`.replace('\n', '');
const INNER = String.raw`${LETTER}0-9_\u00B7\u0300-\u036F\u203F\u2040-`;
const LABEL = new RegExp(`^[${LETTER}0-9_](?:[.${INNER}]*[${INNER}])?$`, 'u');
const LANGUAGE = /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/;

// Datatypes that a text has by its language alone. Written out, readers of Turtle and N-Quads refuse the whole document.
const OF_LANGUAGE: ReadonlySet<string> = new Set([rdf.langString, rdf.langString.replace('lang', 'dirLang')]);

/** Whether a datatype is one that literals have by their language alone: none may state it. */
export function isDatatypeOfLanguage(iri: string): boolean {
  return OF_LANGUAGE.has(iri);
}

/** Characters of a literal that an error shows. */
const SHOWN = 80;

/**
 * Checks that quads can be written in a format with nothing lost and nothing injected, and read back by others.
 *
 * @throws {@link StreamError} `ERR_GRAPH_UNSUPPORTED` - a named graph in Turtle or N-Triples
 * @throws {@link StreamError} `ERR_TERM_UNSUPPORTED` - a relative or ill-formed IRI, a blank node label or language
 * tag outside the grammar, `rdf:langString` without a language, half a character, a triple term, a literal with a
 * direction, a term where it cannot stand
 */
export function checkQuads(quads: readonly Quad[], format: Format): void {
  const seen = new Set<string>();
  const checkIri = (iri: string) => {
    if (seen.has(iri)) return;
    if (!isIri(iri)) throw errors.ERR_TERM_UNSUPPORTED({ term: `<${iri}>` });
    seen.add(iri);
  };
  const checkNode = (term: Term, place: string) => {
    if (term.termType === 'NamedNode') checkIri(term.value);
    else if (term.termType !== 'BlankNode')
      throw errors.ERR_TERM_UNSUPPORTED({ term: `A term of type ${term.termType} as ${place}` });
    else if (!LABEL.test(term.value)) throw errors.ERR_TERM_UNSUPPORTED({ term: `_:${term.value}` });
  };
  for (const { subject, predicate, object, graph } of quads) {
    checkNode(subject, 'subject');
    if (predicate.termType !== 'NamedNode')
      throw errors.ERR_TERM_UNSUPPORTED({ term: `A term of type ${predicate.termType} as predicate` });
    checkIri(predicate.value);
    if (object.termType === 'Literal') {
      const fault = faultyLiteral(object);
      if (fault !== undefined) throw errors.ERR_TERM_UNSUPPORTED({ term: fault });
      if (object.language === '') checkIri(object.datatype.value);
    } else checkNode(object, 'object');
    if (graph.termType === 'DefaultGraph') continue;
    if (withoutGraphs.has(format)) throw errors.ERR_GRAPH_UNSUPPORTED({ format, graph: graph.value });
    checkNode(graph, 'graph');
  }
}

/** The text of a literal that no RDF format can hold, whatever the IRI of its datatype; `undefined` for any other. */
export function faultyLiteral({ value, language, datatype, direction }: Literal): string | undefined {
  const hasSoundKind = language === '' ? !isDatatypeOfLanguage(datatype.value) : LANGUAGE.test(language);
  // UTF-8 has no half of a character: it would be read back as another one.
  if (hasSoundKind && !direction && value.isWellFormed()) return undefined;
  const kind = language === '' ? `^^<${datatype.value}>` : `@${language}${direction ? `--${direction}` : ''}`;
  return `${JSON.stringify(value.slice(0, SHOWN))}${kind}`;
}

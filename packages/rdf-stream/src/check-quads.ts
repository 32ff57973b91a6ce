import type { Quad, Term } from '@rdfjs/types';
import { errors } from './errors.ts';
import { isIri } from './iri.ts';
import type { Format } from './protocol.ts';

const withoutGraphs: ReadonlySet<Format> = new Set(['turtle', 'ntriples']);

// BLANK_NODE_LABEL of Turtle, which every other format reads too: that of N-Quads, but for colons.
const LETTER =
  String.raw`A-Za-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C\u200D\u2070-\u218F
\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\u{10000}-\u{EFFFF}`.replace('\n', '');
const INNER = String.raw`${LETTER}0-9_\u00B7\u0300-\u036F\u203F\u2040-`;
const LABEL = new RegExp(`^[${LETTER}0-9_](?:[.${INNER}]*[${INNER}])?$`, 'u');
const LANGUAGE = /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/;

/** Whether a text is a language tag that every RDF format can hold. */
export function isLanguageTag(text: string): boolean {
  return LANGUAGE.test(text);
}

/**
 * Checks that quads can be written in a format with nothing lost and nothing injected.
 *
 * @throws {@link StreamError} `ERR_GRAPH_UNSUPPORTED` - a named graph in Turtle or N-Triples
 * @throws {@link StreamError} `ERR_TERM_UNSUPPORTED` - a relative or ill-formed IRI, a blank node label or language
 * tag outside the grammar, a triple term, a literal with a direction
 */
export function checkQuads(quads: readonly Quad[], format: Format): void {
  const seen = new Set<string>();
  const checkIri = (iri: string) => {
    if (seen.has(iri)) return;
    if (!isIri(iri)) throw errors.ERR_TERM_UNSUPPORTED({ term: `<${iri}>` });
    seen.add(iri);
  };
  const checkTerm = (term: Term) => {
    if (term.termType === 'NamedNode') checkIri(term.value);
    else if (term.termType === 'Literal') checkLiteral(term, checkIri);
    else if (term.termType !== 'BlankNode')
      throw errors.ERR_TERM_UNSUPPORTED({ term: `A term of type ${term.termType}` });
    else if (!LABEL.test(term.value)) throw errors.ERR_TERM_UNSUPPORTED({ term: `_:${term.value}` });
  };
  for (const { subject, predicate, object, graph } of quads) {
    checkTerm(subject);
    checkTerm(predicate);
    checkTerm(object);
    if (graph.termType === 'DefaultGraph') continue;
    if (withoutGraphs.has(format)) throw errors.ERR_GRAPH_UNSUPPORTED({ format, graph: graph.value });
    checkTerm(graph);
  }
}

function checkLiteral(term: Term & { termType: 'Literal' }, checkIri: (iri: string) => void): void {
  if (term.direction || (term.language !== '' && !isLanguageTag(term.language))) {
    const direction = term.direction ? `--${term.direction}` : '';
    throw errors.ERR_TERM_UNSUPPORTED({ term: `${JSON.stringify(term.value)}@${term.language}${direction}` });
  }
  if (term.language === '') checkIri(term.datatype.value);
}

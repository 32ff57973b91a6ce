import type { Term } from '@rdfjs/types';
import type { Row } from '../../live-result.ts';
import { literalKind } from './write-term.ts';

const OPENING =
  '<?xml version="1.0" encoding="UTF-8"?>\n<sparql xmlns="http://www.w3.org/2005/sparql-results#" xmlns:its="http://www.w3.org/2005/11/its">';

/**
 * Solutions as SPARQL Results XML.
 *
 * @see https://www.w3.org/TR/rdf-sparql-XMLres/
 */
export function xmlResults(variables: readonly string[], rows: readonly Row[]): string {
  const head = variables.map((name) => `<variable name="${escapeXml(name)}"/>`).join('');
  const results = rows.map((row) => {
    const bindings = variables.flatMap((name) => {
      const term = row[name];
      return term === undefined ? [] : [`<binding name="${escapeXml(name)}">${xmlTerm(term)}</binding>`];
    });
    return `<result>${bindings.join('')}</result>\n`;
  });
  return `${OPENING}<head>${head}</head><results>\n${results.join('')}</results></sparql>\n`;
}

/** The answer of ASK as SPARQL Results XML. */
export function xmlBoolean(value: boolean): string {
  return `${OPENING}<head/><boolean>${value}</boolean></sparql>\n`;
}

function xmlTerm(term: Term): string {
  switch (term.termType) {
    case 'NamedNode':
      return `<uri>${escapeXml(term.value)}</uri>`;
    case 'BlankNode':
      return `<bnode>${escapeXml(term.value)}</bnode>`;
    case 'Quad': {
      const { subject, predicate, object } = term;
      const [s, p, o] = [xmlTerm(subject), xmlTerm(predicate), xmlTerm(object)];
      return `<triple><subject>${s}</subject><predicate>${p}</predicate><object>${o}</object></triple>`;
    }
    case 'Literal': {
      const { language, direction, datatype } = literalKind(term);
      const attributes = [
        ...(language === undefined ? [] : [` xml:lang="${escapeXml(language)}"`]),
        ...(direction === undefined ? [] : [` its:dir="${escapeXml(direction)}"`]),
        ...(datatype === undefined ? [] : [` datatype="${escapeXml(datatype)}"`]),
      ];
      return `<literal${attributes.join('')}>${escapeXml(term.value)}</literal>`;
    }
    default:
      return '';
  }
}

const ENTITIES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' };

// XML 1.0 has no way at all to say most control characters: they are replaced as what cannot be read is.
// biome-ignore lint/suspicious/noControlCharactersInRegex: see above.
const UNSPEAKABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

function escapeXml(text: string): string {
  return (
    text
      .replace(UNSPEAKABLE, '\ufffd')
      .replace(/[<>&"]/g, (found) => ENTITIES[found] as string)
      // A parser would make a line feed of it.
      .replaceAll('\r', '&#xD;')
  );
}

// Terms and quads of RDF/JS: how they are made, renamed, and checked before they are written.
//
//   relabelBlankNodes([_:x <http://e/p> _:y], 42) -> [_:m42b0 <http://e/p> _:m42b1]
//   checkQuads([<a> <http://e/p> "1"], 'nquads')  -> ERR_TERM_UNSUPPORTED, since <a> is relative

import type { BlankNode, Literal, NamedNode, Quad, Quad_Graph, Quad_Object, Quad_Subject, Term } from '@rdfjs/types';
import { DataFactory } from 'rdf-data-factory';
import { errors } from './errors.ts';
import { parsedUrl } from './link.ts';
import type { Format } from './protocol.ts';
import { rdf, xsd } from './vocabulary.ts';

const factory: DataFactory<Quad> = new DataFactory<Quad>();
const datatypes = new Map<string, NamedNode>();

/** An IRI as an RDF/JS term. */
export function namedNode(iri: string): NamedNode {
  return factory.namedNode(iri);
}

/** A blank node as an RDF/JS term; a fresh label when none is given. */
export function blankNode(label?: string): BlankNode {
  return factory.blankNode(label);
}

/** A literal as an RDF/JS term, its datatype given as it is or by its IRI. */
export function literal(value: string, datatype: string | NamedNode = xsd.string): Literal {
  if (typeof datatype !== 'string') return factory.literal(value, datatype);
  let node = datatypes.get(datatype);
  if (!node) {
    node = factory.namedNode(datatype);
    datatypes.set(datatype, node);
  }
  return factory.literal(value, node);
}

/** A language-tagged literal as an RDF/JS term; with a base direction if one is given. */
export function languageLiteral(value: string, language: string, direction?: 'ltr' | 'rtl'): Literal {
  return factory.literal(value, direction ? { language, direction } : language);
}

/** A quad of terms; in the default graph when none is given. */
export function quad(subject: Quad_Subject, predicate: NamedNode, object: Quad_Object, graph?: Quad_Graph): Quad {
  return factory.quad(subject, predicate, object, graph);
}

/** A term as a key: IRIs as they are, blank nodes by `_:` and their label, the default graph empty. */
export function termKey(term: Term): string {
  return term.termType === 'BlankNode' ? `_:${term.value}` : term.value;
}

/**
 * The quads of a member with blank nodes `m<sequence>b0` and so on, in order of appearance. So labels follow from the
 * member's place in the log, and no two members share any.
 *
 * @see specs/documents.md DOC-3
 */
export function relabelBlankNodes(quads: readonly Quad[], sequence: number): Quad[] {
  const labels = new Map<string, BlankNode>();
  const rename = <Kind extends Term>(term: Kind): Kind => {
    if (term.termType !== 'BlankNode') return term;
    let renamed = labels.get(term.value);
    if (!renamed) {
      renamed = blankNode(`m${sequence}b${labels.size}`);
      labels.set(term.value, renamed);
    }
    return renamed as Term as Kind;
  };
  const isBlank = ({ termType }: Term) => termType === 'BlankNode';
  return quads.map((said) => {
    const { subject, predicate, object, graph } = said;
    if (!isBlank(subject) && !isBlank(object) && !isBlank(graph)) return said;
    return quad(rename(subject), predicate as NamedNode, rename(object), rename(graph));
  });
}

// What IRIREF of Turtle and N-Quads forbids: a `>` would end the IRI and let it write statements of its own. Half of a
// character cannot be written in UTF-8.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const IRI = /^[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|^`\\\p{Surrogate}]*$/u;

// What an IRI may have beyond ASCII, and, in a query alone, characters of private use.
const UCSCHAR =
  '\\u00A0-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFEF' +
  Array.from({ length: 14 }, (_, plane) => {
    const at = (plane + 1).toString(16);
    return `\\u{${at}${plane === 13 ? '1' : '0'}000}-\\u{${at}FFFD}`;
  }).join('');
const PRIVATE = '\\uE000-\\uF8FF\\u{F0000}-\\u{FFFFD}\\u{100000}-\\u{10FFFD}';
const iriPart = (signs: string) => `(?:[A-Za-z0-9._~!$&'()*+,;=\\-${signs}${UCSCHAR}]|%[0-9A-Fa-f]{2})*`;

// The grammar of RFC 3987. No two parts that may repeat begin alike, but for a user before a host.
const STRICT_IRI = /* @__PURE__ */ new RegExp(
  `^[A-Za-z][A-Za-z0-9+.-]*:(?://(?:${iriPart(':')}@)?(?:\\[([0-9A-Fa-f:.]+)\\]|${iriPart('')})(?::[0-9]*)?(?=[/?#]|$)|(?!//))` +
    `${iriPart(':@/')}(?:\\?${iriPart(`:@/?${PRIVATE}`)})?(?:#${iriPart(':@/?')})?$`,
  'u',
);

// RFC 3987 has some white space beyond ASCII, and the JSON-LD reader of most programs takes such an IRI for a relative one.
const SPACE = /\s/;

/**
 * Whether a text is an IRI of RFC 3987 without white space: some readers refuse a document for any other. Stored ones may be
 * other ones.
 *
 * @see https://www.rfc-editor.org/rfc/rfc3987#section-2.2
 */
export function isStrictIri(text: string): boolean {
  const [match, address] = STRICT_IRI.exec(text) ?? [];
  if (match === undefined || SPACE.test(text)) return false;
  return address === undefined || parsedUrl(`http://[${address}]/`) !== undefined;
}

// Nearly all IRIs of a stream come again: some thousands of those that passed are remembered, and none that is long.
const passed = new Set<string>();
const LIMIT_PASSED = { iris: 8192, characters: 200 };

function checkIri(iri: string, isNew: boolean): void {
  if (passed.has(iri)) return;
  const isStrict = typeof iri === 'string' && isStrictIri(iri);
  if (!isStrict && (isNew || !isIri(iri))) throw errors.ERR_TERM_UNSUPPORTED({ term: `<${iri}>` });
  if (!isStrict || iri.length > LIMIT_PASSED.characters) return;
  if (passed.size >= LIMIT_PASSED.iris) passed.clear();
  passed.add(iri);
}

/** Whether a text is an absolute IRI that every RDF format can hold. */
export function isIri(text: string): boolean {
  return typeof text === 'string' && IRI.test(text);
}

// BLANK_NODE_LABEL of Turtle, which every other format reads too: that of N-Quads, but for colons.
const LABEL = /* @__PURE__ */ new RegExp(
  '^(?![-.\u00B7\u0300-\u036F\u203F\u2040])[-.\\w\u00B7\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u037D\u037F-\u1FFF\u200C\u200D' +
    '\u203F\u2040\u2070-\u218F\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\u{10000}-\u{EFFFF}]+(?<!\\.)$',
  'u',
);
const LANGUAGE = /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/;

// Language, script, region, variants, extensions and private use, each where it is; or one of the older tags.
const LANGUAGE_TAG =
  /^(?:(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-wy-z\d](?:-[a-z\d]{2,8})+)*(?:-x(?:-[a-z\d]{1,8})+)?|x(?:-[a-z\d]{1,8})+|i-(?:ami|bnn|default|enochian|hak|klingon|lux|mingo|navajo|pwn|tao|tay|tsu)|en-gb-oed|sgn-(?:be-fr|be-nl|ch-de))$/i;

/**
 * Whether a text is a well-formed language tag: some readers refuse a document for any other.
 *
 * @see https://www.rfc-editor.org/rfc/rfc5646#section-2.1
 */
export function isLanguageTag(text: string): boolean {
  return LANGUAGE_TAG.test(text);
}

// Written out, readers of Turtle and N-Quads refuse the whole document.
const OF_LANGUAGE: readonly string[] = [rdf.langString, rdf.langString.replace('lang', 'dirLang')];

/** Whether a datatype is one that literals have by their language alone: none may state it. */
export function isDatatypeOfLanguage(iri: string): boolean {
  return OF_LANGUAGE.includes(iri);
}

/**
 * Checks that quads can be written in a format with nothing lost and nothing injected, and read back by others.
 *
 * @param isNew - whether they are about to be published: then IRIs and language tags have to be those of their standards
 * @throws {@link StreamError} `ERR_GRAPH_UNSUPPORTED` - a named graph in Turtle or N-Triples
 * @throws {@link StreamError} `ERR_TERM_UNSUPPORTED` - a relative or ill-formed IRI, a blank node label or language
 * tag outside the grammar, `rdf:langString` without a language, half a character, a triple term, a literal with a
 * direction, a term where it cannot stand, what is not a term
 */
export function checkQuads(quads: readonly Quad[], format: Format, isNew = false): void {
  try {
    checkEach(quads, format, isNew);
  } catch (error) {
    // Of what plain JavaScript may give, something is not there.
    throw error instanceof TypeError ? errors.ERR_TERM_UNSUPPORTED({ term: 'What is not of RDF/JS' }, error) : error;
  }
}

function checkEach(quads: readonly Quad[], format: Format, isNew: boolean): void {
  const misplaced = ({ termType }: Term, place: string) =>
    errors.ERR_TERM_UNSUPPORTED({ term: `A term of type ${termType} as ${place}` });
  const checkNode = (term: Term, place: string) => {
    if (term.termType === 'NamedNode') checkIri(term.value, isNew);
    else if (term.termType !== 'BlankNode') throw misplaced(term, place);
    else if (!LABEL.test(term.value)) throw errors.ERR_TERM_UNSUPPORTED({ term: `_:${term.value}` });
  };
  let last: Term | undefined;
  for (const { subject, predicate, object, graph } of quads) {
    // Nearly always that of the quad before it.
    if (subject !== last) checkNode(subject, 'subject');
    last = subject;
    if (predicate.termType !== 'NamedNode') throw misplaced(predicate, 'predicate');
    checkIri(predicate.value, isNew);
    if (object.termType === 'Literal') {
      const fault = faultyLiteral(object);
      if (fault !== undefined) throw errors.ERR_TERM_UNSUPPORTED({ term: fault });
      if (isNew && object.language !== '' && !isLanguageTag(object.language))
        throw errors.ERR_TERM_UNSUPPORTED({ term: `The language tag ${object.language}` });
      if (object.language === '') checkIri(object.datatype.value, isNew);
    } else checkNode(object, 'object');
    if (graph.termType === 'DefaultGraph') continue;
    if (format === 'turtle' || format === 'ntriples')
      throw errors.ERR_GRAPH_UNSUPPORTED({ format, graph: graph.value });
    checkNode(graph, 'graph');
  }
}

/** The text of a literal that no RDF format can hold, whatever the IRI of its datatype; `undefined` for any other. */
export function faultyLiteral({ value, language, datatype, direction }: Literal): string | undefined {
  const isOfLanguage = isDatatypeOfLanguage(datatype.value);
  const hasSoundKind = language === '' ? !isOfLanguage : typeof language === 'string' && LANGUAGE.test(language);
  // UTF-8 has no half of a character: it would be read back as another one.
  if (hasSoundKind && !direction && value.isWellFormed()) return undefined;
  const kind = language === '' ? `^^<${datatype.value}>` : `@${language}${direction ? `--${direction}` : ''}`;
  return `${JSON.stringify(value.slice(0, 80))}${kind}`;
}

/*
 * What answers are written in: SPARQL Results JSON, XML, CSV and TSV, and quads as N-Triples, N-Quads (which are Turtle
 * too), JSON-LD and RDF/XML.
 *
 *   { form: 'bindings', variables: ['v'], rows: [{ v: <urn:x> }] } -> writeAnswer(answer, 'text/csv') -> 'v\r\nurn:x\r\n'
 *   a row alone -> jsonBinding -> { "v": { "type": "uri", "value": "urn:x" } }
 */
import { literal, rdf, termText, xsd } from '@ldes-live/rdf-stream';
import type { Literal, Quad, Term } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { Row } from '../result.ts';

export type WholeAnswer =
  | { readonly form: 'bindings'; readonly variables: readonly string[]; readonly rows: readonly Row[] }
  | { readonly form: 'boolean'; readonly value: boolean }
  | { readonly form: 'quads'; readonly quads: readonly Quad[] };

/** The media type for answers of each form; absent where none on offer is accepted. */
export type Accepted = { readonly [Form in WholeAnswer['form']]?: string };

/** Pieces, so that no more of an answer is written than it may have. */
type Writer<Answer> = (answer: Answer) => Iterable<string>;
type Writers = { readonly [Form in WholeAnswer['form']]: Readonly<Record<string, Writer<OfForm<Form>>>> };
type OfForm<Form> = Extract<WholeAnswer, { form: Form }>;

const lines = ({ quads }: OfForm<'quads'>) => pieces(quads, writeQuad);

function* pieces<Item>(items: Iterable<Item>, write: (item: Item) => string, separator = ''): Generator<string> {
  let before = '';
  for (const item of items) {
    yield before + write(item);
    before = separator;
  }
}

/** Not all formats can hold named graphs, but CONSTRUCT and DESCRIBE make no quads in one. */
const WRITERS: Writers = {
  bindings: {
    'application/sparql-results+json': jsonDocument,
    'application/sparql-results+xml': xmlResults,
    'text/csv': (answer) => table(answer, ',', '\r\n', csvText, csvValue),
    'text/tab-separated-values': (answer) => table(answer, '\t', '\n', (name) => `?${name}`, writeTerm),
  },
  boolean: {
    'application/sparql-results+json': ({ value }) => [JSON.stringify({ head: {}, boolean: value })],
    'application/sparql-results+xml': ({ value }) => [`${OPENING}<head/><boolean>${value}</boolean></sparql>\n`],
    // What the standard leaves out, as others do it.
    'text/csv': ({ value }) => [`${value}\r\n`],
    'text/tab-separated-values': ({ value }) => [`${value}\n`],
  },
  quads: {
    'text/turtle': lines,
    'application/ld+json': jsonLd,
    'application/n-quads': lines,
    'application/n-triples': lines,
    'application/rdf+xml': rdfXml,
  },
};

export const FORMS = ['bindings', 'boolean', 'quads'] as const satisfies readonly WholeAnswer['form'][];

export function offeredFor(form: WholeAnswer['form']): readonly string[] {
  return Object.keys(WRITERS[form]);
}

/**
 * @param mediaType - one of those offered for its form
 * @throws {@link StreamError} `ERR_ANSWER_TOO_LARGE` - it would have more bytes; those of the formats
 */
export function writeAnswer(
  answer: WholeAnswer,
  mediaType: string,
  limitAnswerBytes = Number.POSITIVE_INFINITY,
): string {
  const write = WRITERS[answer.form][mediaType] as Writer<WholeAnswer>;
  const written: string[] = [];
  let bytes = 0;
  for (const piece of write(answer)) {
    bytes += Buffer.byteLength(piece);
    if (bytes > limitAnswerBytes) throw errors.ERR_ANSWER_TOO_LARGE({ limitAnswerBytes });
    written.push(piece);
  }
  return written.join('');
}

/**
 * A solution as SPARQL Results JSON has it. Equal solutions give equal text.
 *
 * @param variables - in the order in which they are written
 * @see https://www.w3.org/TR/sparql11-results-json/#select-results
 */
export function jsonBinding(row: Row, variables: readonly string[]): string {
  const members = variables.flatMap((name) => {
    const term = row[name];
    return term === undefined ? [] : [`${JSON.stringify(name)}:${JSON.stringify(jsonTerm(term))}`];
  });
  return `{${members.join(',')}}`;
}

/** A document of SPARQL Results JSON without its braces. @param bindings - each as {@link jsonBinding} writes it */
export function jsonResults(variables: readonly string[], bindings: readonly string[]): string {
  return `"head":${JSON.stringify({ vars: variables })},"results":{"bindings":[${bindings.join(',')}]}`;
}

function* jsonDocument({ variables, rows }: OfForm<'bindings'>): Generator<string> {
  const ending = ']}';
  yield `{${jsonResults(variables, []).slice(0, -ending.length)}`;
  yield* pieces(rows, (row) => jsonBinding(row, variables), ',');
  yield `${ending}}`;
}

function jsonTerm(term: Term): object {
  const { value } = term;
  if (term.termType === 'NamedNode') return { type: 'uri', value };
  if (term.termType === 'BlankNode') return { type: 'bnode', value };
  if (term.termType === 'Quad') {
    const { subject, predicate, object } = term;
    const triple = { subject: jsonTerm(subject), predicate: jsonTerm(predicate), object: jsonTerm(object) };
    return { type: 'triple', value: triple };
  }
  return { type: 'literal', value, ...kindOf(term, RESULT_NAMES) };
}

const OPENING =
  '<?xml version="1.0" encoding="UTF-8"?>\n<sparql xmlns="http://www.w3.org/2005/sparql-results#" xmlns:its="http://www.w3.org/2005/11/its">';

/** @see https://www.w3.org/TR/rdf-sparql-XMLres/ */
function* xmlResults({ variables, rows }: OfForm<'bindings'>): Generator<string> {
  const head = variables.map((name) => `<variable name="${escapeXml(name)}"/>`).join('');
  yield `${OPENING}<head>${head}</head><results>\n`;
  yield* pieces(rows, (row) => {
    const bindings = variables.flatMap((name) => {
      const term = row[name];
      return term === undefined ? [] : [`<binding name="${escapeXml(name)}">${xmlTerm(term)}</binding>`];
    });
    return `<result>${bindings.join('')}</result>\n`;
  });
  yield '</results></sparql>\n';
}

function xmlTerm(term: Term): string {
  if (term.termType === 'NamedNode') return `<uri>${escapeXml(term.value)}</uri>`;
  if (term.termType === 'BlankNode') return `<bnode>${escapeXml(term.value)}</bnode>`;
  if (term.termType !== 'Quad') {
    return `<literal${xmlAttributes(term, RESULT_NAMES)}>${escapeXml(term.value)}</literal>`;
  }
  const [subject, predicate, object] = [term.subject, term.predicate, term.object].map(xmlTerm);
  return `<triple><subject>${subject}</subject><predicate>${predicate}</predicate><object>${object}</object></triple>`;
}

function xmlAttributes(literal: Term, names: KindNames): string {
  const kind = Object.entries(kindOf(literal, names));
  return kind.map(([name, value]) => ` ${name}="${escapeXml(value)}"`).join('');
}

/**
 * Some clients accept nothing else.
 *
 * @throws {@link StreamError} `ERR_QUERY_UNSUPPORTED` - a triple term, or a predicate that it has no name for
 * @see https://www.w3.org/TR/rdf12-xml/
 */
function* rdfXml({ quads }: OfForm<'quads'>): Generator<string> {
  const node = (term: Term, iri: string) => {
    const id = idOf(term, 'RDF/XML');
    // A label may begin with a digit, and a name of XML may not.
    return term.termType === 'BlankNode' ? `rdf:nodeID="b${escapeXml(term.value)}"` : `${iri}="${escapeXml(id)}"`;
  };
  const its = 'xmlns:its="http://www.w3.org/2005/11/its" its:version="2.0"';
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<rdf:RDF xmlns:rdf="${RDF}" ${its}>\n`;
  yield* pieces(quads, ({ subject, predicate, object }) => {
    const [namespace, name] = xmlName(predicate.value);
    const opening = `<p:${name} xmlns:p="${escapeXml(namespace)}"`;
    const property =
      object.termType === 'Literal'
        ? `${opening}${xmlAttributes(object, ['xml:lang', 'its:dir', 'rdf:datatype'])}>${escapeXml(object.value)}</p:${name}>`
        : `${opening} ${node(object, 'rdf:resource')}/>`;
    return `<rdf:Description ${node(subject, 'rdf:about')}>${property}</rdf:Description>\n`;
  });
  yield '</rdf:RDF>\n';
}

const RDF = rdf.type.slice(0, -'type'.length);

/** Names of RDF that are syntax in RDF/XML, not properties, or that are counted, as `rdf:li`. */
const SYNTAX = /^(?:li|RDF|Description|ID|about\w*|bagID|parseType|resource|nodeID|datatype|annotation\w*|version)$/;

/** An IRI in two, the second of which is a name in XML. */
function xmlName(iri: string): [string, string] {
  let start = iri.length;
  for (let at = iri.length - 1; /[\w.-]/.test(iri.charAt(at)); at -= 1)
    if (/[A-Za-z_]/.test(iri.charAt(at))) start = at;
  const isSyntax = iri.startsWith(RDF) && SYNTAX.test(iri.slice(RDF.length));
  if (start < iri.length && !isSyntax) return [iri.slice(0, start), iri.slice(start)];
  const what = `the predicate ${iri} in RDF/XML`;
  throw errors.ERR_QUERY_UNSUPPORTED({ what, remedy: 'ask for text/turtle' });
}

const ENTITIES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' };

// XML 1.0 cannot hold most control characters, not even escaped.
// biome-ignore lint/suspicious/noControlCharactersInRegex: see above.
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

function escapeXml(text: string): string {
  return (
    text
      .replace(NOT_XML, '\ufffd')
      .replace(/[<>&"]/g, (found) => ENTITIES[found] as string)
      // A parser would read a line feed.
      .replaceAll('\r', '&#xD;')
  );
}

/**
 * Solutions as CSV, the values alone, or as TSV, the terms as Turtle writes them.
 *
 * @see https://www.w3.org/TR/sparql11-results-csv-tsv/
 */
function table(
  { variables, rows }: OfForm<'bindings'>,
  separator: string,
  end: string,
  head: (variable: string) => string,
  cell: (term: Term) => string,
): Iterable<string> {
  const cells = (row: Row) => variables.map((name) => (row[name] ? cell(row[name]) : ''));
  const line = (row?: Row) => `${(row ? cells(row) : variables.map(head)).join(separator)}${end}`;
  return pieces([undefined, ...rows], line);
}

function csvValue(term: Term): string {
  if (term.termType === 'BlankNode') return `_:${term.value}`;
  return csvText(term.termType === 'Quad' ? writeTerm(term) : term.value);
}

function csvText(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const LANGUAGE = /^[A-Za-z]+(?:-[A-Za-z0-9]+)*$/;

/** A term as N-Triples write it; without a language that they cannot write. @see https://www.w3.org/TR/n-triples/#canonical-ntriples */
function writeTerm(term: Term): string {
  if (term.termType === 'Quad') {
    return `<<( ${writeTerm(term.subject)} ${writeTerm(term.predicate)} ${writeTerm(term.object)} )>>`;
  }
  if (term.termType !== 'Literal' || !term.language) return termText(term, writeIri);
  // The rest of what STRLANG took for a tag would be read as more than a literal.
  if (!LANGUAGE.test(term.language)) return termText(literal(term.value));
  return `${termText(term)}${term.direction ? `--${term.direction}` : ''}`;
}

/** A quad as a line of N-Quads; in the default graph, that is one of N-Triples. */
export function writeQuad({ subject, predicate, object, graph }: Quad): string {
  const named = graph.termType === 'DefaultGraph' ? '' : ` ${writeTerm(graph)}`;
  return `${writeTerm(subject)} ${writeTerm(predicate)} ${writeTerm(object)}${named} .\n`;
}

/** How a format names the language of a literal, its direction and its datatype. */
type KindNames = readonly [language: string, direction: string, datatype: string];

const RESULT_NAMES: KindNames = ['xml:lang', 'its:dir', 'datatype'];

/** The language and direction of a literal, or its datatype unless that is xsd:string, by the names of a format. */
function kindOf(literal: Term, names: KindNames): Readonly<Record<string, string>> {
  const { language, direction, datatype } = literal as Literal;
  if (language) return { [names[0]]: language, ...(direction && { [names[1]]: direction }) };
  return datatype.value === xsd.string ? {} : { [names[2]]: datatype.value };
}

/** An IRI that a query has made may contain any character. */
function writeIri(iri: string): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to be escaped.
  return `<${iri.replace(/[\u0000-\u0020<>"{}|^`\\]/g, escaped)}>`;
}

/**
 * JSON-LD 1.1 in expanded form, which needs no context; lists are given as their triples.
 *
 * @throws {@link StreamError} `ERR_QUERY_UNSUPPORTED` - a triple term, which JSON-LD 1.1 cannot say
 */
function* jsonLd({ quads }: OfForm<'quads'>): Generator<string> {
  const nodes = new Map<string, Record<string, unknown[]>>();
  for (const { subject, predicate, object } of quads) {
    const id = idOf(subject);
    const node = nodes.get(id) ?? {};
    nodes.set(id, node);
    const isType = predicate.value === rdf.type && object.termType !== 'Literal';
    const name = isType ? '@type' : predicate.value;
    const values = node[name] ?? [];
    node[name] = values;
    values.push(isType ? idOf(object) : objectOf(object));
  }
  yield '[';
  yield* pieces(nodes, ([id, node]) => JSON.stringify({ '@id': id, ...node }), ',');
  yield ']';
}

function idOf(term: Term, format = 'JSON-LD'): string {
  if (term.termType === 'Quad') {
    throw errors.ERR_QUERY_UNSUPPORTED({ what: `a triple term in ${format}`, remedy: 'ask for application/n-quads' });
  }
  return term.termType === 'BlankNode' ? `_:${term.value}` : term.value;
}

function objectOf(term: Term): object {
  if (term.termType !== 'Literal') return { '@id': idOf(term) };
  return { '@value': term.value, ...kindOf(term, ['@language', '@direction', '@type']) };
}

/* What answers are written in, as readers of others read it: each kind of term, graphs, and the files of the W3C. */
import { Readable } from 'node:stream';
import { blankNode, languageLiteral, literal, type Member, namedNode, quad } from '@ldes-live/rdf-stream';
import { canonical } from '@ldes-live/test-support/rdf';
import { deviations, type SuiteCase, suiteCases } from '@ldes-live/test-support/suites';
import type { Literal, Quad, Term } from '@rdfjs/types';
import { parse as parseCsv } from 'csv-parse/sync';
import jsonld from 'jsonld';
import { Parser } from 'n3';
import { parse } from 'oxigraph';
import { SparqlJsonParser } from 'sparqljson-parse';
import { SparqlXmlParser } from 'sparqlxml-parse';
import { expect, test } from 'vitest';
import { comunica } from '../../src/engines/comunica.ts';
import type { QueryEngine } from '../../src/engines/engine.ts';
import { oxigraph } from '../../src/engines/oxigraph.ts';
import { QueriedState } from '../../src/http/answers.ts';
import { offeredFor, writeAnswer } from '../../src/http/formats.ts';
import { negotiate } from '../../src/http/protocol.ts';
import type { Row } from '../../src/result.ts';

/** Solutions, each by the names of its variables. */
type Rows = readonly Readonly<Record<string, Term>>[];

/** How others read solutions of each format. */
const READERS: Readonly<Record<string, (text: string) => Rows | Promise<Rows>>> = {
  'application/sparql-results+json': (text) => new SparqlJsonParser().parseJsonResults(JSON.parse(text)),
  'application/sparql-results+xml': (text) =>
    (new SparqlXmlParser().parseXmlResultsStream(Readable.from([text])) as Readable).toArray(),
  // It does not tell an IRI from a text, nor what is not bound from what is empty.
  'text/csv': (text) => {
    const termOf = (value: string) => (value.startsWith('_:') ? blankNode(value.slice(2)) : literal(value));
    const recordDelimiter = ['\r\n', '\n', '\r'];
    return (parseCsv(text, { columns: true, recordDelimiter }) as Record<string, string>[]).map((row) =>
      Object.fromEntries(Object.entries(row).flatMap(([name, value]) => (value ? [[name, termOf(value)]] : []))),
    );
  },
  // It has terms of Turtle.
  'text/tab-separated-values': (text) => {
    const [head = '', ...lines] = text.replace(/\n$/, '').split('\n');
    const names = head.split('\t').map((name) => name.slice(1));
    const statements = lines.flatMap((line, index) =>
      line.split('\t').map((cell, at) => (cell === '' ? '' : `<urn:row:${index}> <urn:${names[at]}> ${cell} .`)),
    );
    const rows = lines.map((): Record<string, Term> => ({}));
    for (const { subject, predicate, object } of new Parser({ blankNodePrefix: '' }).parse(statements.join('\n'))) {
      (rows[Number(subject.value.slice(8))] as Record<string, Term>)[predicate.value.slice(4)] = object;
    }
    return rows;
  },
};

/** Reads solutions by a parser of somebody else. */
const readResults = async (text: string, mediaType: string) => (await READERS[mediaType]?.(text)) ?? [];

const AWKWARD = 'a "quoted"\\ text,\r\nof\ttwo lines <&> \u0001 ü 🚋';
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const INTEGER = 'http://www.w3.org/2001/XMLSchema#integer';
const variables = ['a', 'b', 'c'];
const rows: readonly Row[] = [
  { a: namedNode('urn:x:a'), b: literal(AWKWARD), c: languageLiteral('hallo', 'nl-be') },
  { b: blankNode('b0'), c: literal('1', INTEGER) },
  { b: literal('a\rb'), c: languageLiteral('שלום', 'he', 'rtl') },
  {},
];

/** A term as text, with all that there is to it, but with this value. */
function shown(term: Term, value: string): string {
  const { language, direction, datatype } = term as Literal;
  return [term.termType, value, language, direction, datatype?.value].filter(Boolean).join(' ');
}

const answer = { form: 'bindings', variables, rows } as const;

test.each([
  ['application/sparql-results+json', '{"head":{"vars":["a","b","c"]},'],
  ['application/sparql-results+xml', '<head><variable name="a"/><variable name="b"/><variable name="c"/></head>'],
  ['text/csv', 'a,b,c\r\n'],
  ['text/tab-separated-values', '?a\t?b\t?c\n'],
])('QUERY-80 each kind of term is read back from %s, and what is not bound', async (mediaType, head) => {
  const text = writeAnswer(answer, mediaType);
  expect(text).toContain(head);
  const read = await readResults(text, mediaType);
  const isXml = mediaType.endsWith('xml');
  const cell = (name: string, term: Term, value = term.value) =>
    `${name} ${mediaType === 'text/csv' ? value : shown(term, value)}`;
  const expected = rows.map((row) =>
    Object.entries(row).map(([name, term]) =>
      cell(name, term, isXml ? term.value.replace('\u0001', '\ufffd') : term.value),
    ),
  );
  expect(read.map((row) => Object.entries(row).map(([name, term]) => cell(name, term)))).toEqual(expected);
});

test.each(offeredFor('quads'))('QUERY-80 graphs are read back from %s as what they were', async (mediaType) => {
  const quads = [
    quad(namedNode('urn:x:a'), namedNode('urn:x:p'), literal(AWKWARD)),
    quad(namedNode('urn:x:a'), namedNode('urn:x:p'), languageLiteral('hallo', 'nl')),
    quad(blankNode('b0'), namedNode(`${RDF}type`), namedNode('urn:x:C')),
    quad(blankNode('b0'), namedNode('urn:x:p'), literal('1', INTEGER)),
  ];
  const read = await readQuads(writeAnswer({ form: 'quads', quads }, mediaType), mediaType);
  const isXml = mediaType === 'application/rdf+xml';
  const expected = await canonical(quads);
  // XML cannot have it.
  expect(await canonical(read as readonly Quad[])).toBe(isXml ? expected.replace('\\u0001', '\ufffd') : expected);
});

test('QUERY-110 an answer has as many bytes as may be, in every format, and not one more', () => {
  const quads = rows.flatMap(({ b }) => (b ? [quad(namedNode('urn:x:a'), namedNode('urn:x:p'), b as Literal)] : []));
  const all = [answer, { form: 'boolean', value: true }, { form: 'quads', quads }] as const;
  for (const one of all) {
    for (const mediaType of offeredFor(one.form)) {
      const text = writeAnswer(one, mediaType);
      const bytes = Buffer.byteLength(text);
      expect(writeAnswer(one, mediaType, bytes)).toBe(text);
      const error = { code: 'ERR_ANSWER_TOO_LARGE', details: { limitAnswerBytes: bytes - 1 } };
      expect(() => writeAnswer(one, mediaType, bytes - 1)).toThrow(expect.objectContaining(error));
    }
  }
});

async function readQuads(text: string, format: string) {
  if (format === 'application/ld+json') return await jsonld.toRDF(JSON.parse(text));
  return format === 'application/rdf+xml' ? parse(text, { format }) : new Parser({ format }).parse(text);
}

test('QUERY-80 what RDF/XML cannot name is refused with another format, and what it can is named to the letter', () => {
  const write = (predicate: string) => {
    const said = quad(blankNode('0'), namedNode(predicate), namedNode('urn:x?a&b'));
    return writeAnswer({ form: 'quads', quads: [said] }, 'application/rdf+xml');
  };
  for (const predicate of ['urn:x:1', 'urn:x/', 'urn:x#2.3', `${RDF}li`, `${RDF}Description`]) {
    const remedy = expect.stringContaining('text/turtle');
    expect(() => write(predicate)).toThrow(expect.objectContaining({ code: 'ERR_QUERY_UNSUPPORTED', message: remedy }));
  }
  for (const predicate of [`${RDF}_1`, 'urn:x:p1', 'urn:gr\u00f6\u00dfe', 'http://x.example/?a&b', 'urn:x:-a.b_c']) {
    const [read] = parse(write(predicate), { format: 'application/rdf+xml' }) as Quad[];
    expect([read?.predicate.value, read?.object.value]).toEqual([predicate, 'urn:x?a&b']);
  }
});

test('QUERY-80 the format is what is asked for, of each form; JSON and Turtle where anything will do', () => {
  const json = 'application/sparql-results+json';
  for (const accept of [undefined, '', '*/*', 'application/json', 'application/json;charset=utf-8, text/csv;q=0.1']) {
    expect(negotiate(accept)).toMatchObject({ bindings: json, boolean: json });
  }
  expect(negotiate(undefined).quads).toBe('text/turtle');
  expect([offeredFor('quads').length, offeredFor('bindings').length]).toEqual([5, 4]);
  const xml = 'application/sparql-results+xml';
  expect(negotiate(`text/csv;q=0.5, ${xml}`)).toEqual({ bindings: xml, boolean: xml });
  expect(negotiate('application/ld+json')).toEqual({ quads: 'application/ld+json' });
  expect(negotiate('image/png')).toEqual({});
});

const FORMATS: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  srj: 'application/sparql-results+json',
};

/**
 * Rows as lines that are equal for those that are alike but for labels of blank nodes. Doubles are compared by value: TSV
 * of the suite has 1.0e6 where the data has 1.0E6.
 */
async function linesOf(rows: Rows, isValues: boolean): Promise<string[]> {
  const shown = (term: Term) => {
    if (term.termType === 'BlankNode') return term;
    const isDouble = /^[\d.]+[eE]\d+$/.test(term.value);
    const value = isDouble ? String(Number(term.value)) : term.value;
    return isValues ? literal(value) : term.termType === 'Literal' && isDouble ? literal(value, term.datatype) : term;
  };
  const quads = rows.flatMap((row, index) =>
    Object.entries(row).map(([name, term]) =>
      quad(namedNode(`urn:row:${index}`), namedNode(`urn:${name}`), shown(term) as never),
    ),
  );
  return (await canonical(quads)).split('\n');
}

/** The state that a case is about, to be asked as its thread asks it. */
async function stateOf(engine: QueryEngine, { data = '', base }: SuiteCase): Promise<QueriedState> {
  const limits = {
    limitQueryChars: 1000,
    limitRows: 100,
    limitQuads: 100,
    limitTextChars: 1000,
    limitAnswerBytes: 10_000,
  };
  const state = new QueriedState(await engine.open(), limits);
  const quads = new Parser({ baseIRI: base }).parse(data);
  const member = { id: 'urn:m', entity: 'urn:e', kind: 'upsert', sequence: 1, time: new Date().toISOString(), quads };
  state.apply(0, { kind: 'state', cursor: 'a-1', members: [member as Member] });
  return state;
}

/** What a query can make and RDF cannot have, but for the first two and the last. */
const MADE = [
  ...['BNODE("a b")', 'BNODE("a_0020b")', 'STRLANG("x", "not a lang")', 'STRLANG("x", "en\\"><urn:x> .")'],
  ...['IRI("http://a/ b>")', 'IRI("http://a/[b]")', 'STRDT("x", IRI("http://a/ b>"))'],
  ...[`STRDT("x", <${RDF}langString>)`, 'STRLANG("x", "en")'],
].map((made) => `{ BIND(${made} AS ?o) }`);

test.each([
  [comunica(), 3],
  // It makes no blank node of a label that is none.
  [oxigraph(), 2],
])(
  'QUERY-112 what $name makes and RDF cannot have is in no graph, and all else is read back',
  async (engine, count) => {
    const state = await stateOf(engine, {} as SuiteCase);
    const read = async (query: string, mediaType: string, reader: (text: string, mediaType: string) => unknown) => {
      const { content } = await state.write(query, { quads: mediaType, bindings: mediaType });
      return await reader(new TextDecoder().decode(content), mediaType);
    };
    for (const mediaType of offeredFor('quads')) {
      const graph = `CONSTRUCT { _:a <urn:x:p> ?o } { ${MADE.join(' UNION ')} }`;
      const objects = ((await read(graph, mediaType, readQuads)) as readonly Quad[]).map(({ object }) => object);
      expect(new Set(objects.map(({ value }) => value)).size).toBe(count);
      expect(objects.filter(({ termType }) => termType === 'Literal')).toMatchObject([{ value: 'x', language: 'en' }]);
    }
    for (const mediaType of offeredFor('bindings')) {
      const rows = (await read(`SELECT ?o { ${MADE.slice(0, 4).join(' UNION ')} }`, mediaType, readResults)) as Rows;
      const made = rows.map(({ o }) => o?.termType).filter((kind) => kind !== undefined);
      expect(made).toEqual(
        engine.name === 'oxigraph' ? ['BlankNode'] : ['BlankNode', 'BlankNode', 'Literal', 'Literal'],
      );
    }
  },
);

test('QUERY-112 what the data has is in the graph as it came', async () => {
  const state = await stateOf(comunica(), { data: '<http://a/[b]> <urn:x:p> "v"@e .' } as SuiteCase);
  const { content } = await state.write('CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }', { quads: 'application/n-triples' });
  expect(new TextDecoder().decode(content)).toBe('<http://a/[b]> <urn:x:p> "v"@e .\n');
});

const cases = [...suiteCases('sparql-csv-tsv'), ...suiteCases('sparql-json')];

/** Oxigraph answers what is derived from integers as integers. */
const KNOWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  comunica: {},
  oxigraph: { tsv03: '<urn:row:2> <urn:o> "-3"^^<http://www.w3.org/2001/XMLSchema#integer> .' },
};

/** The answer of ASK, as others read it; that of CSV and TSV is left out by the standard. */
async function readBoolean(text: string, mediaType: string): Promise<unknown> {
  if (mediaType.endsWith('xml')) return await new SparqlXmlParser().parseXmlBooleanStream(Readable.from([text]));
  const value = JSON.parse(text);
  return mediaType.endsWith('json') ? new SparqlJsonParser().parseJsonBoolean(value) : value;
}

test.each([comunica(), oxigraph()])(
  'QUERY-80 answers of $name are as the W3C has them in every format',
  async (engine) => {
    expect(cases).toHaveLength(10);
    const found = await deviations(cases, async (each) => {
      const state = await stateOf(engine, each);
      const { input, output = '', kind } = each;
      const differing = new Set<string>();
      for (const written of offeredFor('bindings')) {
        const { content } = await state.write(input, { bindings: written, boolean: written });
        const text = new TextDecoder().decode(content);
        if (output.includes('"boolean"')) {
          const value = await readBoolean(text, written);
          if (value !== JSON.parse(output).boolean) differing.add(String(value));
          continue;
        }
        const isValues = kind === 'csv' || written === 'text/csv';
        const read = await linesOf(await readResults(text, written), isValues);
        const expected = await linesOf(await readResults(output, FORMATS[kind] as string), isValues);
        for (const line of read) if (!expected.includes(line)) differing.add(line);
        if (read.length !== expected.length) differing.add(`${read.length} lines of ${written}`);
      }
      return differing.size === 0 ? undefined : [...differing].join(' ');
    });
    expect(found).toEqual(KNOWN[engine.name]);
  },
);

import { Readable } from 'node:stream';
import { blankNode, literal } from '@ldes-live/rdf-stream';
import type { Term } from '@rdfjs/types';
import { parse as parseCsv } from 'csv-parse/sync';
import { Parser } from 'n3';
import { SparqlJsonParser } from 'sparqljson-parse';
import { SparqlXmlParser } from 'sparqlxml-parse';

/** Solutions, each by the names of its variables. */
export type Rows = readonly Readonly<Record<string, Term>>[];

/** Readers of others for each format; TSV has terms of Turtle. */
const READERS: Readonly<Record<string, (text: string) => Rows | Promise<Rows>>> = {
  'application/sparql-results+json': (text) => new SparqlJsonParser().parseJsonResults(JSON.parse(text)),
  'application/sparql-results+xml': async (text) =>
    await all(new SparqlXmlParser().parseXmlResultsStream(Readable.from([text]))),
  'text/csv': (text) => {
    const rows: Record<string, string>[] = parseCsv(text, { columns: true });
    return rows.map((row) => mapped(row, (value) => (value === '' ? undefined : csvTerm(value))));
  },
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

async function all(rows: AsyncIterable<unknown>): Promise<Rows> {
  const read = [];
  for await (const row of rows) read.push(row as Rows[number]);
  return read;
}

function mapped<From, To>(
  row: Readonly<Record<string, From>>,
  map: (from: From) => To | undefined,
): Record<string, To> {
  const entries = Object.entries(row).flatMap(([name, from]) => {
    const to = map(from);
    return to === undefined ? [] : [[name, to] as const];
  });
  return Object.fromEntries(entries);
}

/** A value of CSV, which does not tell an IRI from a text. */
function csvTerm(value: string): Term {
  return value.startsWith('_:') ? blankNode(value.slice(2)) : literal(value);
}

/** Reads solutions of a media type by a parser of somebody else. */
export async function readResults(text: string, mediaType: string): Promise<Rows> {
  const read = READERS[mediaType];
  if (!read) throw new TypeError(`Nothing here reads ${mediaType}`);
  return await read(text);
}

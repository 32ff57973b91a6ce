import { Readable } from 'node:stream';
import { literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { canonical } from '@ldes-live/test-support/rdf';
import { deviations, type SuiteCase, suiteCases } from '@ldes-live/test-support/suites';
import type { Term } from '@rdfjs/types';
import { Parser } from 'n3';
import { SparqlJsonParser } from 'sparqljson-parse';
import { SparqlXmlParser } from 'sparqlxml-parse';
import { expect, test } from 'vitest';
import { comunica } from '../../src/engines/comunica.ts';
import type { QueryEngine } from '../../src/engines/engine.ts';
import { oxigraph } from '../../src/engines/oxigraph.ts';
import { offeredFor, type WholeAnswer, writeAnswer } from '../../src/http/formats.ts';
import { prepareQuery } from '../../src/prepare/prepared-query.ts';
import { type Rows, readResults } from './read-results.ts';

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

async function evaluate(engine: QueryEngine, { input, data = '', base }: SuiteCase): Promise<WholeAnswer> {
  const store = await engine.open();
  for (const each of new Parser({ baseIRI: base }).parse(data)) store.add(each);
  const { form, query, variables } = await prepareQuery(input, { limitQueryChars: 1000 });
  try {
    if (form === 'ask') return { form: 'boolean', value: await store.ask(query, { limitRows: 1 }) };
    return { form: 'bindings', variables, rows: await store.select(query, { limitRows: 100 }) };
  } finally {
    store.close();
  }
}

const isSolutions = (each: SuiteCase) => each.kind !== 'srj' || 'results' in JSON.parse(each.output ?? '');
const cases = [...suiteCases('sparql-csv-tsv'), ...suiteCases('sparql-json')];

/** Oxigraph answers what is derived from integers as integers. */
const KNOWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  comunica: {},
  oxigraph: { tsv03: '<urn:row:2> <urn:o> "-3"^^<http://www.w3.org/2001/XMLSchema#integer> .' },
};

test.each([comunica(), oxigraph()])(
  'QUERY-80 solutions of $name are as the W3C has them in every format',
  async (engine) => {
    const solutions = cases.filter(isSolutions);
    expect(solutions).toHaveLength(8);
    const found = await deviations(solutions, async (each) => {
      const answer = await evaluate(engine, each);
      const differing = new Set<string>();
      for (const written of offeredFor('bindings')) {
        const isValues = each.kind === 'csv' || written === 'text/csv';
        const read = await linesOf(await readResults(writeAnswer(answer, written), written), isValues);
        const expected = await linesOf(await readResults(each.output ?? '', FORMATS[each.kind] as string), isValues);
        for (const line of read) if (!expected.includes(line)) differing.add(line);
        if (read.length !== expected.length)
          differing.add(`${read.length} lines, not ${expected.length}, of ${written}`);
      }
      return differing.size === 0 ? undefined : [...differing].join(' ');
    });
    expect(found).toEqual(KNOWN[engine.name]);
  },
);

test.each([comunica(), oxigraph()])('QUERY-80 answers of ASK by $name are as the W3C has them', async (engine) => {
  const asked = cases.filter((each) => !isSolutions(each));
  expect(asked).toHaveLength(2);
  const found = await deviations(asked, async (each) => {
    const answer = await evaluate(engine, each);
    const written = (mediaType: string) => writeAnswer(answer, mediaType);
    const expected = new SparqlJsonParser().parseJsonBoolean(JSON.parse(each.output ?? ''));
    const json = new SparqlJsonParser().parseJsonBoolean(JSON.parse(written('application/sparql-results+json')));
    const xml = await new SparqlXmlParser().parseXmlBooleanStream(
      Readable.from([written('application/sparql-results+xml')]),
    );
    // What the standard leaves out.
    const texts = [written('text/csv'), written('text/tab-separated-values')].map((text) => text.trim());
    return [json, xml, ...texts].every((value) => String(value) === String(expected)) ? undefined : written('text/csv');
  });
  expect(found).toEqual({});
});

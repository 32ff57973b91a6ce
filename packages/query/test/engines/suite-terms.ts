import { blankNode, languageLiteral, literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import type { Quad, Term } from '@rdfjs/types';
import { expect, test } from 'vitest';
import type { QueryEngine } from '../../src/engines/engine.ts';
import { fill, PREFIXES, quadsOf, SAMPLE, shown } from './sample-world.ts';

const limits = { limitRows: 10_000 };
const ask = (text: string) => ({ text: `${PREFIXES} ${text}` });
const says = (object: Term): Quad => quad(namedNode('urn:s'), namedNode('urn:p'), object as Quad['object']);

/** What holds of terms. */
export function termCases(engine: QueryEngine): void {
  test('QUERY-23 a blank node of the store is the same term in every evaluation', async () => {
    const store = await engine.open();
    fill(store, SAMPLE);
    const node = blankNode('m1b0');
    for (let round = 0; round < 3; round += 1) {
      const rows = await store.select(ask('SELECT ?n ?m { ?n ex:says "late" . ?m ex:about ?n }'), limits);
      expect(rows).toHaveLength(1);
      expect(rows[0]?.n?.equals(node)).toBe(true);
      expect(rows[0]?.m?.value).toBe('m2b0');
      const made = await store.construct(ask('CONSTRUCT { ?n ex:of ?v } WHERE { ?n ex:about ?v }'), limits);
      expect(made.map(shown).sort()).toEqual(['<<_:m1b0 of bus1>>', '<<_:m2b0 of _:m1b0>>']);
      fill(store, `ex:other ex:p ${round} .`);
    }
    expect([...store.match(node)]).toHaveLength(2);
  });

  test('QUERY-23 blank nodes that CONSTRUCT makes are none of the store', async () => {
    const store = await engine.open();
    fill(store, '_:e_x0 ex:p 1 . _:x ex:p 2 . _:e_x1 ex:p 3 .');
    const made = await store.construct(ask('CONSTRUCT { _:x ex:of ?n } WHERE { ?n ex:p ?o }'), limits);
    expect(new Set(made.map(({ subject }) => subject.value)).size).toBe(3);
    for (const { subject } of made) expect([...store.match(subject)]).toEqual([]);
  });

  test('QUERY-20 terms of answers are RDF/JS terms that equal those of the store', async () => {
    const store = await engine.open();
    const terms: Term[] = [
      namedNode('http://example.org/é#1'),
      blankNode('m7b12'),
      literal('text "quoted"\\ \n\t\u0000 \u{1F68B} <a>'),
      literal(''),
      literal('42', xsd.integer),
      literal('-2.5', xsd.decimal),
      literal('true', xsd.boolean),
      literal('POINT(3.7 51)', 'http://www.opengis.net/ont/geosparql#wktLiteral'),
      literal('2026-11-21T20:53:53.175Z', xsd.dateTime),
      literal('not a number', xsd.integer),
      languageLiteral('goeiedag', 'nl-be'),
      languageLiteral('right', 'he', 'rtl'),
      quad(namedNode('urn:a'), namedNode('urn:b'), languageLiteral('c', 'en')),
      quad(blankNode('m7b12'), namedNode('urn:b'), quad(namedNode('urn:c'), namedNode('urn:d'), literal('e'))),
    ];
    for (const term of terms) store.add(says(term));
    const rows = await store.select({ text: 'SELECT ?o { ?s ?p ?o }' }, limits);
    const made = await store.construct({ text: 'CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }' }, limits);
    expect(rows).toHaveLength(terms.length);
    expect(made).toHaveLength(terms.length);
    for (const term of terms) {
      expect(rows.filter(({ o }) => o?.equals(term) && term.equals(o))).toHaveLength(1);
      expect(made.filter((quad) => quad.equals(says(term)))).toHaveLength(1);
      expect([...store.match(undefined, undefined, term)]).toHaveLength(1);
    }
    for (const term of terms) store.delete(says(term));
    expect(store.size).toBe(0);
    expect(await store.ask({ text: 'ASK { ?s ?p ?o }' }, limits)).toBe(false);
  });

  test('QUERY-20 DISTINCT keeps terms apart that differ in datatype or language only', async () => {
    const store = await engine.open();
    const terms = [
      literal('1'),
      literal('1', xsd.integer),
      literal('1', xsd.double),
      languageLiteral('1', 'en'),
      languageLiteral('1', 'nl'),
      namedNode('urn:1'),
    ];
    for (const term of terms) store.add(says(term));
    const rows = await store.select({ text: 'SELECT DISTINCT ?o { ?s ?p ?o }' }, limits);
    expect(rows).toHaveLength(terms.length);
  });

  test('quads of other data factories are taken as they are', async () => {
    const store = await engine.open();
    fill(store, SAMPLE);
    for (const { subject, predicate, object, graph } of quadsOf(SAMPLE)) {
      const plain = (term: Term) => ({ ...(JSON.parse(JSON.stringify(term)) as object), equals: term.equals }) as never;
      store.delete(quad(subject as never, plain(predicate), object as never, graph as never));
    }
    expect(store.size).toBe(0);
  });

  test('numbers are told apart by how they are written when they are deleted', async () => {
    const store = await engine.open();
    const forms = [
      literal('1', xsd.integer),
      literal('01', xsd.integer),
      literal('1', `${xsd.integer.replace('integer', 'int')}`),
    ];
    for (const form of forms) store.add(says(form));
    expect(store.size).toBe(3);
    for (const form of forms) {
      expect(await store.ask({ text: 'ASK { ?s ?p ?o }' }, limits)).toBe(true);
      expect([...store.match(undefined, undefined, form)]).toHaveLength(1);
      store.delete(says(form));
    }
    expect(await store.ask({ text: 'ASK { ?s ?p ?o }' }, limits)).toBe(false);
  });
}

import { blankNode, languageLiteral, literal, namedNode, quad, rdf, xsd } from '@ldes-live/rdf-stream';
import { httpServer } from '@ldes-live/test-support/net';
import { size } from '@ldes-live/test-support/properties';
import type { Quad, Term } from '@rdfjs/types';
import * as stores from 'rdf-stores';
import { describe, expect, onTestFinished, test } from 'vitest';
import { comunica } from '../../src/engines/comunica.ts';
import { type EngineStore, queryFailed } from '../../src/engines/engine.ts';
import { oxigraph } from '../../src/engines/oxigraph.ts';
import { QuadIndex } from '../../src/engines/quad-store.ts';
import { errors } from '../../src/errors.ts';
import { prepareQuery } from '../../src/prepare/prepared-query.ts';
import { type QueryCase, queryCases, stringCases } from './query-cases.ts';
import { fill, PREFIXES, quadsOf, SAMPLE, shown, shownRow } from './sample-world.ts';

const limits = { limitRows: 10_000 };
const ask = (text: string) => ({ text: `${PREFIXES} ${text}` });
const says = (object: Term): Quad => quad(namedNode('urn:s'), namedNode('urn:p'), object as Quad['object']);

// What every engine has to pass.
describe.each([comunica(), oxigraph()])('engine: $name', (engine) => {
  const open = async (): Promise<EngineStore> => {
    const store = await engine.open();
    fill(store, SAMPLE);
    return store;
  };

  async function answers({ query, rows, isOrdered }: QueryCase): Promise<void> {
    const store = await open();
    const prepared = await prepareQuery(`${PREFIXES} ${query}`, { limitQueryChars: 1000 });
    // By its text, and by its algebra where the engine takes that.
    for (const asked of [ask(query), prepared.query]) {
      const found = (await store.select(asked, limits)).map(shownRow);
      if (isOrdered) expect(found).toEqual(rows);
      else expect(found.sort()).toEqual([...rows].sort());
    }
    store.close();
  }

  test.each(queryCases)('QUERY-20 it answers $about', answers);
  test.each(stringCases)('QUERY-20 it answers $about', answers);

  test('QUERY-20 an empty store has no solution, no quad, and does not hold', async () => {
    const store = await engine.open();
    expect(store.size).toBe(0);
    expect([...store.match()]).toEqual([]);
    expect(await store.select(ask('SELECT * { ?s ?p ?o }'), limits)).toEqual([]);
    expect(await store.construct(ask('CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }'), limits)).toEqual([]);
    expect(await store.ask(ask('ASK { ?s ?p ?o }'), limits)).toBe(false);
    expect(await store.select(ask('SELECT * {}'), limits)).toEqual([{}]);
    expect(await store.select(ask('SELECT DISTINCT ?o { ?s ?p ?o } ORDER BY ?o LIMIT 2'), limits)).toEqual([]);
    fill(store, '_:m1b0 ex:p ex:n1 .');
    const none = ask('SELECT DISTINCT ?o { ?s ?p ?o FILTER(ISNUMERIC(?o)) } ORDER BY ?o LIMIT 2');
    expect(await store.select(none, limits)).toEqual([]);
  });

  test('a quad added twice is there once, and one deleted twice is gone', async () => {
    const store = await engine.open();
    const [one, two] = quadsOf('ex:a ex:p 1, 2 .') as [Quad, Quad];
    for (const quad of [one, two, one]) store.add(quad);
    expect(store.size).toBe(2);
    for (const quad of [one, one]) store.delete(quad);
    expect([...store.match()].map((quad) => shown(quad.object))).toEqual(['2']);
    expect(store.size).toBe(1);
  });

  test('match finds quads by every combination of their terms', async () => {
    const store = await open();
    const quads = quadsOf(SAMPLE);
    expect(store.size).toBe(quads.length);
    const termsOf = ({ subject, predicate, object, graph }: Quad): Term[] => [subject, predicate, object, graph];
    for (const asked of quads) {
      for (let mask = 0; mask < 16; mask += 1) {
        const pattern = termsOf(asked).map((term, at) => (mask & (1 << at) ? term : undefined));
        const fits = (quad: Quad) => termsOf(quad).every((term, at) => pattern[at]?.equals(term) ?? true);
        expect([...store.match(...pattern)].map(shown).sort()).toEqual(quads.filter(fits).map(shown).sort());
      }
    }
  });

  test('each evaluation is of the store as it is, however often it changes', async () => {
    const store = await engine.open();
    const held = new Map<string, Quad>();
    let seed = 7;
    for (let round = 0; round < size({ gate: 40, night: 150 }); round += 1) {
      seed = (seed * 48271) % 2147483647;
      const [quad] = quadsOf(`ex:s${seed % 5} ex:p ${seed % 11} .`) as [Quad];
      if (held.delete(shown(quad))) store.delete(quad);
      else {
        held.set(shown(quad), quad);
        store.add(quad);
      }
      const rows = await store.select(ask('SELECT ?s ?o { ?s ex:p ?o }'), limits);
      const expected = [...held.values()].map(({ subject, object }) => `o=${shown(object)} s=${shown(subject)}`);
      expect(rows.map(shownRow).sort()).toEqual(expected.sort());
      const [count] = await store.select(ask('SELECT (COUNT(*) AS ?n) { ?s ex:p ?o . ?t ex:p ?o }'), limits);
      const objects = [...held.values()].map(({ object }) => shown(object));
      const pairs = objects.reduce((sum, object) => sum + objects.filter((other) => other === object).length, 0);
      expect(shownRow(count as never)).toBe(`n=${pairs}`);
    }
  });

  test('stores of one engine know nothing of each other', async () => {
    const [one, two] = await Promise.all([engine.open(), engine.open()]);
    fill(one, 'ex:a ex:p 1 .');
    fill(two, 'ex:a ex:p 2 .');
    const answers = await Promise.all([one, two].map((store) => store.select(ask('SELECT ?o { ?s ?p ?o }'), limits)));
    expect(answers.map((rows) => rows.map(shownRow))).toEqual([['o=1'], ['o=2']]);
  });

  test('QUERY-20 what CONSTRUCT makes that is no RDF is left out', async () => {
    const store = await engine.open();
    fill(store, 'ex:a ex:p "x" .');
    const made = await store.construct(ask('CONSTRUCT { ?o ex:of ?s . ?s ex:has ?o } WHERE { ?s ex:p ?o }'), limits);
    expect(made.map(shown)).toEqual(['<<a has "x">>']);
  });

  test('QUERY-20 CONSTRUCT and DESCRIBE give each quad once, and ASK whether there is a solution', async () => {
    const store = await open();
    const served = await store.construct(ask('CONSTRUCT { ?l ex:has ?t } WHERE { ?v ex:line ?l ; a ?t }'), limits);
    expect(served.map(shown).sort()).toEqual(['<<l1 has Bus>>', '<<l2 has Bus>>', '<<l2 has Tram>>']);
    const around = await store.construct(ask('CONSTRUCT { ?l ex:with ?m } WHERE { ?l ex:next+/^ex:next ?m }'), limits);
    expect(around).toHaveLength(9);
    const described = await store.construct(ask('DESCRIBE ex:tram1'), limits);
    const predicates = described.map(({ predicate }) => shown(predicate)).sort();
    expect(predicates).toEqual(['delay', rdf.type, 'line']);
    expect(await store.ask(ask('ASK { ?v ex:delay 120 }'), limits)).toBe(true);
    expect(await store.ask(ask('ASK { ?v ex:delay 121 }'), limits)).toBe(false);
  });

  test('QUERY-20 a blank node of the store is the same term in every evaluation', async () => {
    const store = await open();
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

  test('QUERY-20 blank nodes that CONSTRUCT makes are none of the store', async () => {
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
    const literals = [literal('1'), literal('1', xsd.integer), literal('1', xsd.double)];
    const terms = [...literals, languageLiteral('1', 'en'), languageLiteral('1', 'nl'), namedNode('urn:1')];
    for (const term of terms) store.add(says(term));
    const rows = await store.select({ text: 'SELECT DISTINCT ?o { ?s ?p ?o }' }, limits);
    expect(rows).toHaveLength(terms.length);
  });

  test('quads of other data factories are taken as they are', async () => {
    const store = await open();
    for (const { subject, predicate, object, graph } of quadsOf(SAMPLE)) {
      const plain = (term: Term) => ({ ...(JSON.parse(JSON.stringify(term)) as object), equals: term.equals }) as never;
      store.delete(quad(subject as never, plain(predicate), object as never, graph as never));
    }
    expect(store.size).toBe(0);
  });

  test('numbers are told apart by how they are written when they are deleted', async () => {
    const store = await engine.open();
    const int = xsd.integer.replace('integer', 'int');
    const forms = [literal('1', xsd.integer), literal('01', xsd.integer), literal('1', int)];
    for (const form of forms) store.add(says(form));
    expect(store.size).toBe(3);
    for (const form of forms) {
      expect(await store.ask({ text: 'ASK { ?s ?p ?o }' }, limits)).toBe(true);
      expect([...store.match(undefined, undefined, form)]).toHaveLength(1);
      store.delete(says(form));
    }
    expect(await store.ask({ text: 'ASK { ?s ?p ?o }' }, limits)).toBe(false);
  });

  test('an answer has as many solutions as the limit allows, and not one more', async () => {
    const store = await open();
    const select = ask('SELECT * { ?v ex:line ?l }');
    expect(await store.select(select, { limitRows: 4 })).toHaveLength(4);
    const tooLarge = { code: 'ERR_ANSWER_TOO_LARGE', details: { limitRows: 3 } };
    await expect(store.select(select, { limitRows: 3 })).rejects.toMatchObject(tooLarge);
    const construct = ask('CONSTRUCT { ?l ex:has ?t } WHERE { ?v ex:line ?l ; a ?t }');
    expect(await store.construct(construct, { limitRows: 3 })).toHaveLength(3);
    await expect(store.construct(construct, { limitRows: 2 })).rejects.toMatchObject({ code: 'ERR_ANSWER_TOO_LARGE' });
    expect(await store.select(select, { limitRows: 4 })).toHaveLength(4);
    const short = { limitRows: 4, limitAnswerBytes: 20 };
    const tooLong = { code: 'ERR_ANSWER_TOO_LARGE', details: { limitAnswerBytes: 20 } };
    await expect(store.select(select, short)).rejects.toMatchObject(tooLong);
    await expect(store.construct(construct, short)).rejects.toMatchObject(tooLong);
  });

  test('a signal that is aborted already is thrown with its reason', async () => {
    const store = await open();
    const reason = new Error('enough');
    const limits = { limitRows: 10, signal: AbortSignal.abort(reason) };
    await expect(store.select(ask('SELECT * { ?s ?p ?o }'), limits)).rejects.toBe(reason);
    await expect(store.construct(ask('DESCRIBE ex:bus1'), limits)).rejects.toBe(reason);
    await expect(store.ask(ask('ASK {}'), limits)).rejects.toBe(reason);
  });

  test('a query that is none, and one that the engine cannot answer, fail by name', async () => {
    const store = await open();
    for (const query of ['SELEC * {}', 'SELECT (<urn:unknown>(1) AS ?x) {}', 'SELECT * { ?s nowhere:p ?o }']) {
      const message = expect.not.stringContaining('\n');
      const failure = { code: 'ERR_QUERY_FAILED', details: { engine: engine.name }, message };
      await expect(store.select({ text: query }, limits)).rejects.toMatchObject(failure);
    }
    const failed = { code: 'ERR_QUERY_FAILED' };
    await expect(store.select(ask('ASK {}'), limits)).rejects.toMatchObject(failed);
    await expect(store.construct(ask('SELECT * {}'), limits)).rejects.toMatchObject(failed);
    await expect(store.ask(ask('SELECT * {}'), limits)).rejects.toMatchObject(failed);
  });

  test('QUERY-13 no query makes a request', async () => {
    const store = await open();
    let requests = 0;
    const { url, close } = await httpServer((_request, response) => {
      requests += 1;
      response.end();
    });
    onTestFinished(close);
    const refused = [
      `SELECT * { SERVICE <${url}> { ?s ?p ?o } }`,
      `SELECT * { SERVICE SILENT <${url}> { ?s ?p ?o } }`,
      `PREFIX s: <${url}> SELECT * { service s: { ?s ?p ?o } }`,
      `SELECT * { VALUES ?g { <${url}> } SERVICE ?g { ?s ?p ?o } }`,
      `SELECT * { { SELECT * { ?s ?p ?o FILTER EXISTS { SERVICE<${url}> { ?s ?q ?r } } } } }`,
    ];
    for (const text of refused) {
      const preparing = prepareQuery(text, { limitQueryChars: 1000 });
      await expect(preparing).rejects.toMatchObject({ code: 'ERR_SERVICE_REFUSED' });
      // Nor by an engine that is asked past that.
      await store.select({ text }, limits).catch(() => []);
    }
    for (const text of [`SELECT * FROM <${url}> { ?s ?p ?o }`, `SELECT * { GRAPH <${url}> { ?s ?p ?o } }`]) {
      expect(await store.select({ text }, limits)).toEqual([]);
    }
    expect(requests).toBe(0);
  });
});

test('what an engine throws is told in one short line, and errors of ours stay', () => {
  const own = errors.ERR_ANSWER_TOO_LARGE({ limitRows: 1 });
  expect(queryFailed('comunica', own)).toBe(own);
  const long = queryFailed('comunica', new Error(`${'x'.repeat(1000)}\n    at somewhere`));
  expect(long.details.problem).toBe('x'.repeat(300));
  expect(queryFailed('oxigraph', 'no.').details).toEqual({ engine: 'oxigraph', problem: 'no' });
  expect(queryFailed('oxigraph', new Error('')).details.problem).toBe('it gave no reason');
});

test('a store that entities come to and go from knows only the terms that are in use', () => {
  const index = new QuadIndex(stores);
  const version = (entity: number, round: number): Quad[] => {
    const node = namedNode(`http://example.org/${entity}#${round}`);
    return [
      quad(node, namedNode('urn:at'), literal(`place ${entity} ${round}`)),
      quad(node, namedNode('urn:says'), quad(node, namedNode('urn:of'), literal(`${round}`))),
    ];
  };
  const termsOf = (entity: number, round: number) =>
    version(entity, round).flatMap(({ subject, object }) => [subject, object]);
  for (let round = 0; round < 50; round += 1) {
    for (let entity = 0; entity < 20; entity += 1) {
      if (round > 0) for (const old of version(entity, round - 1)) expect(index.delete(old)).toBe(true);
      for (const next of version(entity, round)) index.add(next);
      for (const term of termsOf(entity, round)) expect(index.uses(term)).toBe(true);
      for (const term of termsOf(entity, round - 1)) expect(index.uses(term)).toBe(false);
    }
  }
  for (let entity = 0; entity < 20; entity += 1) {
    for (const held of version(entity, 49))
      expect(index.match(held.subject, held.predicate).map(shown)).toEqual([shown(held)]);
    for (const held of version(entity, 49)) index.delete(held);
  }
  expect(index.size).toBe(0);
  expect([namedNode('urn:at'), namedNode('urn:says')].some((term) => index.uses(term))).toBe(false);
});

test('a term stays for as long as one of its quads does, in whichever place', () => {
  const index = new QuadIndex(stores);
  const [first, second] = quadsOf('ex:a ex:a ex:a . ex:g { ex:b ex:c ex:a } ') as [Quad, Quad];
  for (const held of [first, second, first]) index.add(held);
  index.delete(first);
  index.delete(first);
  expect(index.uses(first.subject)).toBe(true);
  expect(index.match(undefined, undefined, first.subject).map(shown)).toEqual([shown(second)]);
  index.delete(second);
  expect(index.uses(first.subject)).toBe(false);
});

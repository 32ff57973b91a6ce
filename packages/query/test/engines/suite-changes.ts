import { size } from '@ldes-live/test-support/properties';
import type { Quad, Term } from '@rdfjs/types';
import { expect, test } from 'vitest';
import type { QueryEngine } from '../../src/engines/engine.ts';
import { EX, fill, PREFIXES, quadsOf, SAMPLE, shown, shownRow } from './sample-world.ts';

const limits = { limitRows: 10_000 };
const ask = (text: string) => ({ text: `${PREFIXES} ${text}` });

/** What holds as quads come and go. */
export function changeCases(engine: QueryEngine): void {
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
    const store = await engine.open();
    fill(store, SAMPLE);
    const quads = quadsOf(SAMPLE);
    expect(store.size).toBe(quads.length);
    for (const { subject, predicate, object, graph } of quads) {
      for (let mask = 0; mask < 16; mask += 1) {
        const pattern = [subject, predicate, object, graph].map((term, at) => (mask & (1 << at) ? term : undefined));
        const [s, p, o, g] = pattern as (Term | undefined)[];
        const fits = (quad: Quad) =>
          (!s || s.equals(quad.subject)) &&
          (!p || p.equals(quad.predicate)) &&
          (!o || o.equals(quad.object)) &&
          (!g || g.equals(quad.graph));
        expect([...store.match(s, p, o, g)].map(shown).sort()).toEqual(quads.filter(fits).map(shown).sort());
      }
    }
  });

  test('QUERY-22 each evaluation is of the store as it is, however often it changes', async () => {
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
      expect(rows.map(shownRow).sort()).toEqual(
        [...held.values()].map(({ subject, object }) => `o=${shown(object)} s=${shown(subject)}`).sort(),
      );
      const [count] = await store.select(ask('SELECT (COUNT(*) AS ?n) { ?s ex:p ?o . ?t ex:p ?o }'), limits);
      const objects = [...held.values()].map(({ object }) => shown(object));
      const pairs = objects.reduce((sum, object) => sum + objects.filter((other) => other === object).length, 0);
      expect(shownRow(count as never)).toBe(`n=${pairs}`);
    }
  });

  test('QUERY-22 stores of one engine know nothing of each other', async () => {
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
    const store = await engine.open();
    fill(store, SAMPLE);
    const served = await store.construct(ask('CONSTRUCT { ?l ex:has ?t } WHERE { ?v ex:line ?l ; a ?t }'), limits);
    expect(served.map(shown).sort()).toEqual(['<<l1 has Bus>>', '<<l2 has Bus>>', '<<l2 has Tram>>']);
    const around = await store.construct(ask('CONSTRUCT { ?l ex:with ?m } WHERE { ?l ex:next+/^ex:next ?m }'), limits);
    expect(around).toHaveLength(9);
    const described = await store.construct(ask('DESCRIBE ex:tram1'), limits);
    expect(described.map(({ predicate }) => predicate.value.replace(EX, '')).sort()).toEqual([
      'delay',
      'http://www.w3.org/1999/02/22-rdf-syntax-ns#type',
      'line',
    ]);
    expect(await store.ask(ask('ASK { ?v ex:delay 120 }'), limits)).toBe(true);
    expect(await store.ask(ask('ASK { ?v ex:delay 121 }'), limits)).toBe(false);
  });
}

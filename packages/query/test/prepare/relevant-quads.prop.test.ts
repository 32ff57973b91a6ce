import { check, Floors, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { quadKey } from '../../src/views/quads.ts';
import { type Answers, anyQuad, comunicaAnswers, dataFor, engines, prepared } from './fixture.ts';
import { local } from './local-queries.ts';

const others = [
  'ASK { ?s :p 1 }',
  'ASK { ?s :p "x" }',
  'SELECT * { ?s ?p 01 }',
  'SELECT * { :a ?p ?o }',
  'SELECT * { ?s :p :a , ?o }',
  'SELECT * { ?s :p+ ?o }',
  'SELECT * { :a :p* ?o }',
  'SELECT * { ?s :p* :a }',
  'SELECT * { ?s :q ?x . ?x :p* :a }',
  'SELECT * { :a :p? :a }',
  'SELECT * { ?s (:p|:q)+ ?o }',
  'SELECT * { ?s !(:p|^:q) ?o }',
  'SELECT * { ?s :p ?o FILTER NOT EXISTS { ?x :q :a } }',
  'SELECT * { ?s :p ?o MINUS { ?x :q ?o } }',
  'SELECT * { GRAPH :g { ?s :p ?o } }',
  'SELECT * { GRAPH ?g { ?s :p ?o . FILTER NOT EXISTS { ?s :q ?o } } }',
  'SELECT * { ?s :p ?o GRAPH ?g { ?s :q ?x } }',
  'SELECT * { GRAPH ?g {} }',
  'SELECT * { GRAPH :g { OPTIONAL { ?s :p ?o } } }',
  'SELECT * { GRAPH :g { SELECT (COUNT(*) AS ?n) { ?s :p ?o } } }',
  'SELECT ?o (COUNT(*) AS ?n) (MIN(?x) AS ?m) { ?s :p ?o ; :q ?x } GROUP BY ?o HAVING(EXISTS { :a :r :b })',
  'SELECT * { ?s :p ?o { SELECT ?o { ?x :q ?o } ORDER BY ?x } } ORDER BY EXISTS { ?s :r ?o }',
  'CONSTRUCT { ?s :made ?o . :a :b :c } { { ?s :p ?o } UNION { ?o :q ?s } }',
  'SELECT (1 AS ?x) {}',
];

// Comunica does not come to an end on the first, which is for its time limit to end.
const ofOxigraphOnly = ['SELECT * { ?s (:p/:q?)+ ?o }'];

const queries = [...local.map(([sparql]) => sparql), ...others];

async function leavesAlone(sparql: string, answers: Answers): Promise<void> {
  const { form, query, matters } = await prepared(sparql);
  const met = new Floors({ touched: 3 });
  await check(
    fc.asyncProperty(dataFor(sparql), fc.array(anyQuad, { minLength: 10, maxLength: 20 }), async (data, others) => {
      const quads = new Map(data.map((quad) => [quadKey(quad), quad]));
      const before = await answers(query, form, [...quads.values()]);
      const touched = others.filter((quad) => !matters(quad));
      if (touched.length > 0) met.count('touched');
      for (const quad of touched) if (!quads.delete(quadKey(quad))) quads.set(quadKey(quad), quad);
      expect(await answers(query, form, [...quads.values()])).toEqual(before);
    }),
    { numRuns: 30, gateRuns: 6, met, verbose: 1 },
  );
}

for (const [name, answers] of engines) {
  const asked = name === 'oxigraph' ? [...queries, ...ofOxigraphOnly] : queries;
  test.each(asked)(`what does not matter changes no answer of ${name}: %s`, (sparql) => leavesAlone(sparql, answers));
}

test.each(queries)('the algebra that is handed on asks what the text does: %s', async (sparql) => {
  const { form, query } = await prepared(sparql);
  await check(
    fc.asyncProperty(dataFor(sparql), async (data) => {
      expect(await comunicaAnswers(query, form, data)).toEqual(await comunicaAnswers({ text: query.text }, form, data));
    }),
    { numRuns: 4, verbose: 1 },
  );
});

import { performance } from 'node:perf_hooks';
import { QueryEngine } from '@comunica/query-sparql-rdfjs';
import { literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { RdfStore } from 'rdf-stores';
import { expect, test, vi } from 'vitest';
import { getTaskScheduler } from '#comunica';
import { comunica } from '../../src/engines/comunica.ts';
import type { EngineStore } from '../../src/engines/engine.ts';
import { oxigraph } from '../../src/engines/oxigraph.ts';
import { EX, fill, PREFIXES, quadsOf, SAMPLE } from './sample-world.ts';

test('the pinned Comunica is wrong in all that is replaced: where it no longer is, ours may go', async () => {
  const engine = new QueryEngine();
  const store = RdfStore.createDefault();
  const data =
    'ex:b1 ex:q ex:a1 . ex:a1 ex:r ex:c1 . ex:b2 ex:q ex:a2 . ex:a2 ex:s 1, "1" . ex:a1 ex:z ex:a2 . ex:a2 ex:z ex:a1 . ex:g { ex:x ex:p ex:x ; ex:w 1 }';
  for (const quad of quadsOf(data)) store.addQuad(quad);
  const count = async (query: string) =>
    (await (await engine.queryBindings(`${PREFIXES} ${query}`, { sources: [store] })).toArray()).length;
  expect(await count('SELECT * { ?a ex:q ?b MINUS { ?a ex:x|ex:y ?c } }')).toBeLessThan(2);
  expect(await count('SELECT * { ?b ex:q ?a . ?a !ex:s ?c }')).toBeLessThan(1);
  expect(await count('SELECT * { { ?a ex:q ?b } UNION { ?a ex:s ?c } FILTER(?c = ex:x) }')).toBeGreaterThan(0);
  expect(await count('SELECT * { GRAPH ex:g { ?a (ex:p/ex:p)|ex:p ?c FILTER(?c = ex:x) } }')).toBeLessThan(1);
  expect(await count('SELECT * { ?a ex:q ?b { SELECT (COUNT(*) AS ?n) { ?c ex:x ?d } } }')).toBeLessThan(2);
  expect(await count('SELECT * { { ?a ex:q ?b BIND(?a + 1 AS ?x) } { ?c ex:z ?x } }')).toBe(0);
  expect(await count('SELECT * { ?a ex:z+ ?a }')).toBe(0);
  expect(await count('SELECT * { FILTER("B" < "a") }')).toBe(0);
  expect(await count('SELECT DISTINCT ?a { ?a ex:z ?a }')).toBeGreaterThan(0);
  expect(await count('SELECT * { GRAPH ?g { ex:x ex:w+ ?a } }')).toBeGreaterThan(1);
});

/** A union of which one branch becomes ready while the other is read. */
const UNION = (() => {
  const quads = Array.from({ length: 6 }, (_, index) => [
    `ex:v${index} ex:label "v${index}" ; ex:at ex:place${index} ; ex:line ex:l${index % 3} .`,
    index % 2 === 0 ? `ex:place${index} ex:zone ex:z .` : `ex:v${index} ex:of ex:e .`,
  ]);
  const joined = '{ ?v ex:label ?t . ?v ex:at ?b . ?b ex:zone ?z . ?v ex:of ?e }';
  return {
    quads: quadsOf(quads.flat().join(' ')),
    text: `${PREFIXES} SELECT * { ${joined} UNION { ?v ex:line ?l } }`,
  };
})();

test('a query whose branches become ready while others are read ends with all of its solutions', async () => {
  const store = await comunica().open();
  for (const each of UNION.quads) store.add(each);
  const labels = [...store.match(undefined, namedNode(`${EX}label`))];
  for (let turn = 0; turn < 20; turn += 1) {
    const rows = await store.select({ text: UNION.text }, { limitRows: 1000, signal: AbortSignal.timeout(5000) });
    expect(rows).toHaveLength(6);
    store.delete(labels[turn % 6] as Quad);
  }
});

test.each([
  ['unions', UNION],
  [
    'paths',
    { quads: quadsOf('ex:a ex:p ex:b . ex:b ex:q ex:c .'), text: `${PREFIXES} SELECT * { ?x (ex:p/ex:q)+ ?y }` },
  ],
])(
  'one with %s never ends in the pinned Comunica: where it does, our change of these may go',
  async (_about, { quads, text }) => {
    const source = RdfStore.createDefault();
    for (const each of quads) source.addQuad(each);
    const rows = await new QueryEngine().queryBindings(text, { sources: [source] });
    const ended = rows.toArray().then(() => 'ended');
    expect(await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 500, 'waits'))])).toBe('waits');
    rows.destroy();
  },
);

test('a fault in what nobody waits for fails the query, and does not end the program', async () => {
  const store = await comunica().open();
  for (const each of UNION.quads) store.add(each);
  const evaluation = store.select({ text: UNION.text }, { limitRows: 1000 });
  getTaskScheduler()(() => {
    throw new Error('a fault inside');
  });
  const failure = { code: 'ERR_QUERY_FAILED', details: { problem: 'a fault inside' } };
  await expect(evaluation).rejects.toMatchObject(failure);
  expect(await store.select({ text: UNION.text }, { limitRows: 1000 })).toHaveLength(6);
});

const QUADS = 5000;
const PRODUCT = '{ ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }';

const engine = comunica();

async function crowded(): Promise<EngineStore> {
  const store = await engine.open();
  for (let at = 0; at < QUADS; at += 1) {
    store.add(quad(namedNode(`urn:s${at}`), namedNode(`urn:p${at % 5}`), literal(String(at), xsd.integer)));
  }
  return store;
}

/** Waits until this thread has little to do. */
async function idle(): Promise<void> {
  for (;;) {
    const before = performance.eventLoopUtilization();
    await new Promise((resolve) => setTimeout(resolve, 300));
    if (performance.eventLoopUtilization(before).utilization < 0.4) return;
  }
}

const runaways = {
  'a SELECT of rows without end': ['select', `SELECT * ${PRODUCT}`],
  'a COUNT that goes over rows without end': ['select', `SELECT (COUNT(*) AS ?n) ${PRODUCT}`],
  'a FILTER that lets nothing pass': ['select', `SELECT * ${PRODUCT.replace('}', ' FILTER(?a = ?g && ?d = ?c) }')}`],
  'an ASK that finds nothing': ['ask', `ASK ${PRODUCT.replace('}', ' FILTER(?a = ?g && ?d = ?c) }')}`],
  'an ORDER BY of rows without end': ['select', `SELECT * ${PRODUCT} ORDER BY ?a`],
  'a CONSTRUCT that makes the same quad without end': ['construct', `CONSTRUCT { ?b ?b ?b } WHERE ${PRODUCT}`],
  'groups of rows without end': ['select', `SELECT ?b (SUM(?c) AS ?n) ${PRODUCT} GROUP BY ?b`],
} as const;

for (const [about, [form, text]] of Object.entries(runaways)) {
  test(`a timer stops ${about}, and nothing goes on behind`, async () => {
    const store = await crowded();
    const stop = new AbortController();
    const reason = new Error('it took too long');
    setTimeout(() => stop.abort(reason), 200);
    const evaluation = store[form]({ text }, { limitRows: 1e9, signal: stop.signal });
    await expect(evaluation).rejects.toBe(reason);
    await idle();
    expect(await store.ask({ text: 'ASK { ?s <urn:p0> 0 }' }, { limitRows: 1 })).toBe(true);
  });
}

test('an answer that is too large is given up at its limit, and nothing goes on behind', async () => {
  const store = await crowded();
  const evaluation = store.select({ text: `SELECT * ${PRODUCT}` }, { limitRows: 1000 });
  await expect(evaluation).rejects.toMatchObject({ code: 'ERR_ANSWER_TOO_LARGE' });
  await idle();
});

test.each([comunica(), oxigraph()])('$name writes nothing to the console', async (engine) => {
  const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name));
  const store = await engine.open();
  fill(store, SAMPLE);
  const text = `${PREFIXES} SELECT ?v (COUNT(*) AS ?n) { ?v ?p ?o } GROUP BY ?v`;
  expect(await store.select({ text }, { limitRows: 100 })).not.toHaveLength(0);
  await expect(store.select({ text: 'SELEC' }, { limitRows: 100 })).rejects.toThrow();
  for (const spy of spies) {
    expect(spy).not.toHaveBeenCalled();
    spy.mockRestore();
  }
});
